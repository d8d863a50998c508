"""What the rule-based player would do in an invented scene."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from schemas.game import StepTaken
from services.actor.heuristic.behaviours import BEHAVIOUR_NAMES
from services.actor.heuristic.options import NO_HINTS, options
from services.actor.knowledge.situation import Situation
from services.actor.policies import initial_situation
from tests.support.scenes.builders import a_session, a_step, folded


def a_blind_step(
    number: int,
    action: str | None = None,
    text: str = "Nothing happens.",
    *,
    room: str = "Hall",
    held: Sequence[str] = (),
    seen: Sequence[str] = (),
    reward: int = 0,
    changed: bool = True,
    done: bool = False,
    episode: int = 1,
) -> StepTaken:
    """A step of which room and things are known, but not valid actions, the world's hash and the score."""
    return a_step(
        number,
        action,
        text=text,
        room=room,
        held=held,
        seen=seen,
        valid=None,
        score=None,
        reward=reward,
        world="",
        changed=changed,
        done=done,
        episode=episode,
    )


def a_situation(*steps: StepTaken, without: Sequence[str] = (), budget: int = 1_000) -> Situation:
    """What a session knows after these steps."""
    return folded(initial_situation(a_session(steps=budget, without_behaviours=without)), steps)


def ideas_of(
    behaviour: str, *steps: StepTaken, hints: Mapping[str, str] = NO_HINTS, budget: int = 1_000
) -> list[str]:
    """What a session would do that has left out all behaviours but one; the best comes first."""
    others = [name for name in BEHAVIOUR_NAMES if name != behaviour]
    found = options(a_situation(*steps, without=others, budget=budget), hints=hints)
    return [option.action for option in sorted(found, key=lambda option: -option.utility)]


def best_action(*steps: StepTaken) -> str:
    """The action of most utility."""
    return max(options(a_situation(*steps)), key=lambda option: option.utility).action


def utility_of(action: str, *steps: StepTaken, budget: int = 1_000) -> float:
    """The utility of an action after the last of these steps; 0: it is not thought of."""
    return _utilities(*steps, budget=budget).get(action, 0.0)


def worth_of(action: str, *steps: StepTaken) -> float:
    """The same of an action that must be thought of."""
    return _utilities(*steps)[action]


def _utilities(*steps: StepTaken, budget: int = 1_000) -> Mapping[str, float]:
    return {option.action: option.utility for option in options(a_situation(*steps, budget=budget))}


def in_a_pit(steps: int, *, first: int = 0, episode: int = 1) -> list[StepTaken]:
    """Down into a pit, up in vain, and so many steps in it, all with new answers."""
    begin = "restart" if first else None
    way = [
        a_blind_step(first, begin, "Hall", episode=episode),
        a_blind_step(first + 1, "north", "Porch", room="Porch", episode=episode),
        a_blind_step(first + 2, "down", "Pit", room="Pit", episode=episode),
        a_blind_step(first + 3, "up", "You can't go that way.", room="Pit", episode=episode),
    ]
    numbers = range(first + 4, first + 3 + steps)
    return [
        *way,
        *(a_blind_step(n, f"push b{n}", f"Click {n}.", room="Pit", episode=episode) for n in numbers),
    ]


def starved(*last: str) -> list[StepTaken]:
    """Episodes that end in the same words, whatever is done."""
    steps = [a_blind_step(0, held=["ring"])]
    for episode, action in enumerate(last, start=1):
        told = "You starve.\n\n*** You have died ***"
        steps += [
            a_blind_step(len(steps), action, told, held=["ring"], done=True, episode=episode),
            a_blind_step(len(steps) + 1, "restart", "Hall", held=["ring"], episode=episode + 1),
        ]
    return steps
