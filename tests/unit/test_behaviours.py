"""Each behaviour does something that a session without it does not do; together they never stand still."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count, pairwise

import pytest

from schemas.game import StepTaken
from services.actor.heuristic.behaviours import (
    BEHAVIOUR_NAMES,
    LAST_RESORTS,
    ROOM_BEHAVIOURS,
    SESSION_BEHAVIOURS,
)
from services.actor.heuristic.options import options
from services.actor.logic import by_policy, chance, proposal
from services.actor.policies import policy_of
from tests.support.scenes.builders import a_step, a_text_step
from tests.support.scenes.player_scenes import a_blind_step, a_situation, in_a_pit, starved

Scene = tuple[str, Sequence[StepTaken]]
"""What a behaviour does, and after which steps."""

HELD = ["iron key", "coin"]
EARNED = (
    a_step(0, valid=["frotz gem"]),
    a_step(1, "frotz gem", reward=5, score=5, world="v", changed=True, valid=["jump"]),
    a_step(2, "jump", world="x", score=5, done=True, valid=None),
    a_step(3, "restart", episode=2, valid=None),
    a_step(4, "east", room="Attic", world="y", episode=2, valid=None),
    a_step(5, "west", episode=2, valid=None),
)
WON = a_step(1, "dig", reward=5, score=5, world="v", done=True, valid=None).model_copy(
    update={"victory": True}
)
CROWNED = (
    a_blind_step(0),
    a_blind_step(1, "drink potion", "You feel taller.", reward=5),
    a_blind_step(2, "restart", "Hall", episode=2),
)
DROWNED = (
    a_blind_step(0),
    a_blind_step(1, "jump", "You drown.", done=True),
    a_blind_step(2, "restart", episode=2),
    a_blind_step(3, "take snorkel", "Taken.", held=["snorkel"], episode=2),
)
TROLL = a_blind_step(0, None, "A troll swings at you.", held=["sword"], seen=["troll"])
WALKED = (a_blind_step(0), a_blind_step(1, "north", room="Attic"))
NOISES = [a_blind_step(n, "wait", f"Noise {n}.", room="Attic") for n in range(2, 14)]
LOCKED = a_blind_step(1, "open safe", "It is locked.", held=HELD, seen=["safe"], changed=False)
PUT_AWAY = a_blind_step(1, "put cup in box", "You put the cup into the box.", held=[], seen=["box"])
MISSED = [
    a_blind_step(1, "drop cup", "Dropped.", held=[], seen=["cup"]),
    a_blind_step(2, "fill cup", "You don't have the cup.", held=[], seen=["cup"], changed=False),
    a_blind_step(3, "jump", "Whee.", held=[], seen=["cup"], changed=False),
]
BURDENED = a_blind_step(1, "take crown", "Your hands are full.", held=["cup"], seen=["crown"], changed=False)
BARRED = a_blind_step(1, "north", "The iron gate is closed.", changed=False)
OPENED = a_blind_step(1, "open grate", "You open the steel grate.", seen=["grate"])
REDONE = [
    a_blind_step(0, seen=["statue"]),
    a_blind_step(1, "dig", "The sand hides a lamp.", seen=["statue"]),
    a_blind_step(2, "restart", "Hall", seen=["statue"], episode=2),
]
WAITS = [a_blind_step(n, "jump", f"Whee {n}.") for n in range(2, 62)]
ASKED = a_blind_step(1, "open box", "Which do you mean, the red box or the blue box?", changed=False)
DIGGING = a_blind_step(
    1, "dig ground", "What do you want to dig the ground with?", held=["spoon"], changed=False
)
LOST = (
    a_blind_step(0),
    a_blind_step(1, "north", room="Attic"),
    a_blind_step(2, "east", "You can't go that way.", room="Attic", changed=False),
    a_blind_step(3, "south", "You can't go that way.", room="Attic", changed=False),
    a_blind_step(4, "jump", "You fall.", room="Hall"),
    a_blind_step(5, "west", room="Attic"),
    *(a_blind_step(n, "jump", "Whee.", room="Attic", changed=False) for n in range(6, 10)),
)
DEAF = [a_text_step(n, word, "No.") for n, word in enumerate(("north", "take all", "wait", "open door"), 1)]
DULL = [a_blind_step(n, "jump", "Whee.") for n in range(1, 30)]
BORED = [a_blind_step(n, "jump", "Whee.", seen=["statue"]) for n in range(1, 30)]
OUT_OF_REACH = a_blind_step(1, "take vase", "It is out of reach.", seen=["chair", "vase"], changed=False)
MAZE = "Maze\nYou are in a maze of passages, all alike."
IN_A_MAZE = [
    a_blind_step(0, None, MAZE, room="Maze"),
    *(a_blind_step(n, way, MAZE, room="Maze") for n, way in ((1, "north"), (2, "east"))),
    *(a_blind_step(n, way, "You can't.", room="Maze", changed=False) for n, way in ((3, "south"), (4, "up"))),
    *(
        a_blind_step(n, way, "You can't.", room="Maze", changed=False)
        for n, way in ((5, "north"), (6, "east"))
    ),
    a_blind_step(7, "down", "You can't.", room="Maze", changed=False),
]
IN_THE_LIGHT_FOR_LONG = [
    a_blind_step(0, None, "Hall"),
    a_blind_step(1, "down", "It is pitch dark.", room="Darkness"),
    a_blind_step(2, "up", "Hall"),
    *(a_blind_step(n, "jump", "Whee.", changed=False) for n in range(3, 103)),
]
RAISED = [
    a_blind_step(0),
    a_blind_step(1, "tie bucket to rope", "You can't tie anything to it until it's raised.", changed=False),
    a_blind_step(2, "turn crank", "You turn the crank, slowly raising the old rope."),
]
HUNGRY = a_blind_step(1, "jump", "Whee. You are really hungry by now.", held=["bread"])
STAGE = a_blind_step(0, None, "When you feel ready you can CLIMB ON STAGE.")
LATE = [a_blind_step(n, "east", f"Pit {n}", room=f"Pit {n}", episode=2) for n in range(3, 996)]

SCENES: Mapping[str, Scene] = {
    "valid": ("push bell", [a_step(0, valid=["push bell"])]),
    "suggested": ("frobnicate bell", [a_blind_step(0, seen=["bell"])]),
    "earned": ("frotz gem", EARNED),
    "things": ("rub stone", [a_blind_step(0, held=["stone"])]),
    "mentions": ("examine lever", [a_blind_step(0, None, "A rusty lever sticks out of the wall.")]),
    "take_all": ("take all", [a_blind_step(0)]),
    "tell_apart": ("open blue box", [a_blind_step(0), ASKED]),
    "complete": ("dig ground with spoon", [a_blind_step(0, held=["spoon"]), DIGGING]),
    "unlock": ("unlock safe with key", [a_blind_step(0, held=HELD, seen=["safe"]), LOCKED]),
    "talk": ("ask man about coin", [a_blind_step(0, held=["coin"], seen=["man"])]),
    "give": ("give coin to man", [a_blind_step(0, held=["coin"], seen=["man"])]),
    "unburden": ("drop cup", [a_blind_step(0, held=["cup"], seen=["crown"]), BURDENED]),
    "explore": ("southwest", [a_blind_step(0, None, "A path leads southwest.")]),
    "retry_ways": ("north", [a_blind_step(0), BARRED, *WAITS]),
    "redo": ("dig", REDONE),
    "retry_refused": ("tie bucket to rope", RAISED),
    "go_through": ("enter grate", [a_blind_step(0, seen=["grate"]), OPENED]),
    "find_way_out": ("east", LOST),
    "light": ("turn on lamp", [a_blind_step(0, None, "It is pitch black.", held=["lamp"], seen=[])]),
    "look_closely": ("look behind rug", [a_blind_step(0, seen=["rug"])]),
    "apt": ("ring bell", [a_blind_step(0, seen=["bell"])]),
    "use_tools": ("dig sand with spade", [a_blind_step(0, held=["spade"], seen=["sand"])]),
    "reach": ("stand on chair", [a_blind_step(0, seen=["chair", "vase"]), OUT_OF_REACH]),
    "heed": ("climb on stage", [STAGE]),
    "deposit": ("drop crown", [a_step(0, held=["gold crown"])]),
    "put": ("put coin on altar", [a_blind_step(0, held=["coin"], seen=["altar"])]),
    "take_back": ("take cup", [a_blind_step(0, held=["cup"], seen=["box"]), PUT_AWAY]),
    "fetch": ("take cup", [a_blind_step(0, held=["cup"]), *MISSED]),
    "deliver": ("drop crown", [a_blind_step(0, None, "LEAVE TREASURE HERE", held=["gold crown"])]),
    "fight": ("attack troll with sword", [TROLL]),
    "open_well": ("verbose", [a_text_step(0, None, "Hall\nA bare hall.")]),
    "answer": ("yes", [a_blind_step(0, None, "Are you sure? Please answer yes or no.")]),
    "escape": ("look", [a_text_step(0, None, "Hall"), *DEAF]),
    "replay_the_best": ("drink potion", CROWNED),
    "obey": ("kneel", [a_blind_step(0), a_blind_step(1, "pray", "You have to kneel first.", changed=False)]),
    "travel": ("south", [*WALKED, a_blind_step(2, "take key", "Taken.", room="Attic", held=["iron key"])]),
    "breadth": ("east", [a_blind_step(0, None, "A path leads east."), *DULL]),
    "wander": ("west", IN_A_MAZE),
    "grope": ("down", IN_THE_LIGHT_FOR_LONG),
    "wait": ("wait", [a_blind_step(0), a_blind_step(1, "wait", "A train arrives.")]),
    "probe_score": ("score", [a_text_step(n, f"push b{n}" if n else None, f"Click {n}.") for n in range(4)]),
    "meet_needs": ("eat bread", [a_blind_step(0, held=["bread"]), HUNGRY]),
    "end_well": ("restart", [*CROWNED, *LATE]),
    "give_up": ("restart", in_a_pit(60)),
    "take_advice": ("frobnicate bell", [a_blind_step(0)]),
    "break_out": ("push statue", [a_blind_step(0, seen=["statue"]), *BORED]),
    "beat_the_clock": ("open ring", starved("examine ring", "read sign")),
    "dare": ("jump", DROWNED),
    "experiment": ("shake statue", [a_blind_step(0, seen=["statue"])]),
    "say": ("xyzzy", [a_blind_step(0)]),
    "lay_down": ("drop all", [a_blind_step(0, held=["coin", "stick"])]),
    "tour": ("south", [*WALKED, *NOISES]),
    "improvise": ("take statue", [a_blind_step(0, seen=["statue"])]),
    "restart": ("restart", [a_blind_step(0, None, "Cell"), *DULL]),
    "win_again": ("dig", [a_step(0, valid=["dig"]), WON, a_step(2, "restart", episode=2, valid=["dig"])]),
}
HINTS = {"frobnicate bell": "oracle"}
USUAL = (*ROOM_BEHAVIOURS, *SESSION_BEHAVIOURS)


def reason_for(action: str, steps: Sequence[StepTaken], without: Sequence[str]) -> str | None:
    """Why a session without these behaviours would do this; None: it would not think of it."""
    found = options(a_situation(*steps, without=without), hints=HINTS)
    return next((option.reason for option in found if option.action == action), None)


@pytest.mark.parametrize("name", BEHAVIOUR_NAMES)
def test_a_session_does_without_a_behaviour_that_it_names(name: str) -> None:
    action, steps = SCENES[name]
    others = USUAL if name in LAST_RESORTS else ()  # last resorts are asked where these know nothing
    reason = reason_for(action, steps, others)

    assert reason is not None
    assert reason_for(action, steps, (*others, name)) != reason


class TextWorld:
    """A story of three rooms that tells nothing but its text, in which most actions come to nothing."""

    def __init__(self) -> None:
        self._numbers = count()
        self._room = 0

    def opening(self) -> StepTaken:
        """The first step."""
        return a_text_step(next(self._numbers), None, self._described())

    def after(self, action: str) -> StepTaken:
        """The step that an action leads to."""
        return a_text_step(next(self._numbers), action, self._answer(action))

    def _answer(self, action: str) -> str:
        ways = {"east": min(self._room + 1, 2), "west": max(self._room - 1, 0), "restart": 0}
        if (action in ways and ways[action] != self._room) or action in ("look", "restart"):
            self._room = ways.get(action, self._room)
            return self._described()
        if action == "inventory":
            return "You are carrying nothing."
        if action == "push lever" and self._room == 2:
            return "The lever creaks."
        return "You can't do that."

    def _described(self) -> str:
        return (
            "Cellar\nA cellar with stone walls. A passage leads east.",
            "Workshop\nAn old workshop. There is a bench here. Passages lead east and west.",
            "Vault\nA lever sticks out of the floor of this vault. A passage leads west.",
        )[self._room]


def played(world: TextWorld, steps: int, *, without: Sequence[str] = ()) -> list[str]:
    """The actions of a session."""
    step, actions = world.opening(), list[str]()
    situation = a_situation(step, without=without)
    for number in range(steps):
        random = chance(situation.started, number)
        thought = by_policy(situation, policy_of("heuristic"), {}, random)
        actions.append(proposal(situation, thought, (), ()).action)
        situation = situation.after(world.after(actions[-1]))
    return actions


@pytest.mark.parametrize("left_out", ["", "experiment", "explore", "mentions", "take_all"])
def test_no_session_stands_still_while_something_is_untried(left_out: str) -> None:
    actions = played(TextWorld(), 120, without=[left_out] if left_out else [])
    new_at = [number for number, action in enumerate(actions) if action not in actions[:number]]

    assert max(later - earlier for earlier, later in pairwise(new_at)) < 30
    assert actions.count("look") < 10
    assert len(new_at) > 40


def test_all_behaviours_have_a_scene() -> None:
    assert SCENES.keys() == set(BEHAVIOUR_NAMES)
