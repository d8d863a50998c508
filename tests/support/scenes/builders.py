"""Small builders of messages: only what a test is about has to be said."""

from collections.abc import Iterable, Sequence
from typing import Protocol, Self, TypeVar

from schemas.actor import ActionProposed
from schemas.game import Room, SessionStarted, StepTaken, Thing, ValidActions
from schemas.sources import TextKind


class Fold(Protocol):
    def after(self, step: StepTaken) -> Self: ...


F = TypeVar("F", bound=Fold)


def a_session(
    *,
    policy: str = "heuristic",
    seed: int = 1,
    steps: int = 100,
    max_score: int | None = None,
    without_behaviours: Sequence[str] = (),
) -> SessionStarted:
    return SessionStarted(
        step=0,
        game="story",
        story_md5="0" * 32,
        story_suffix=".z5",
        policy=policy,
        seed=seed,
        steps=steps,
        max_score=max_score,
        without_behaviours=tuple(without_behaviours),
    )


def a_step(
    number: int,
    action: str | None = None,
    *,
    text: str = "Nothing happens.",
    room: str | None = "Hall",
    held: Sequence[str] | None = (),
    seen: Sequence[str] | None = (),
    valid: Sequence[str] | None = (),
    complete: bool = True,
    score: int | None = 0,
    reward: int = 0,
    world: str = "w",
    world_seen: int = 0,
    changed: bool = False,
    done: bool = False,
    episode: int = 1,
    kind: TextKind = TextKind.STORY,
) -> StepTaken:
    return StepTaken(
        step=number,
        action=action,
        observation=text,
        room=None if room is None else Room(id=room, name=room),
        inventory=things(held),
        objects=things(seen),
        score=score,
        reward=reward,
        world=world,
        world_seen=world_seen,
        changed=changed,
        valid_actions=None if valid is None else ValidActions(actions=tuple(valid), complete=complete),
        done=done,
        episode=episode,
        text_kind=kind,
    )


def a_text_step(number: int, action: str | None, text: str) -> StepTaken:
    """A step of a story of which nothing but the text is known."""
    return a_step(
        number,
        action,
        text=text,
        room=None,
        held=None,
        seen=None,
        valid=None,
        score=None,
        world="",
        changed=True,
    )


def a_proposal(action: str, *, step: int = 0) -> ActionProposed:
    return ActionProposed(step=step, action=action, policy="heuristic", reason="")


def things(names: Sequence[str] | None) -> tuple[Thing, ...] | None:
    if names is None:
        return None
    return tuple(Thing(id=sum(map(ord, name)), name=name) for name in names)


def folded(state: F, steps: Iterable[StepTaken]) -> F:
    for step in steps:
        state = state.after(step)
    return state
