"""Ranks the actions that have not been tried here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Self

from folds.attempts import Attempt
from folds.playthrough import Playthrough
from folds.untried import untried_here
from folds.vocabulary.actions import normal
from schemas.fragment import Fragment, Section
from schemas.game import RESTART, SessionStarted, StepTaken

LEAST, MOST = 3, 5
"""The least and the most hints, if so many are known (text-adventure agent, action hints)."""


@dataclass(frozen=True, slots=True)
class Attempts:
    """An action tried in a room."""

    action: str
    times: int
    latest: Attempt | None
    """None: the attempt log does not go back so far."""


@dataclass(frozen=True, slots=True)
class Entrance:
    """A room that was just entered, and what was tried in it."""

    step: StepTaken
    tried: tuple[Attempts, ...]
    """The latest one first."""
    rooms: tuple[tuple[str, str], ...]
    """Ids and names of the rooms to which attempts led."""


class Hints:
    """The hints for the player's room, renewed when the room or the world changes."""

    def __init__(self, asks_models: bool = False) -> None:
        self.actions: tuple[str, ...] = ()
        self.entrance: Entrance | None = None
        """The player's room; None: no model is asked, or the game is over."""
        self._playthrough = Playthrough()
        self._asks_models = asks_models
        self._state_of_actions: tuple[str, str, bool] | None = None

    @classmethod
    def opening(cls, started: SessionStarted) -> Self:
        """No hints before the opening text."""
        return cls(started.asks_models)

    def after(self, step: StepTaken) -> Self:
        """Fold one step; a step that was folded before changes nothing."""
        played = self._playthrough
        if played.includes(step):
            return self
        now = played.after(step).last or step
        state = (played.room, played.attempts.world, now.done)
        if state != self._state_of_actions:
            self.actions = _hints(now, played)
            self._state_of_actions = state
        if played.before is None or now.done or now.action == RESTART or played.left is not None:
            self.entrance = self._entered(now)
        return self

    @property
    def barred(self) -> frozenset[str]:
        """Actions without effect in this state of the world, and actions that have ended the game here."""
        attempts = self._playthrough.attempts
        here = attempts.in_world(attempts.world).items()
        vain = {action for action, attempt in here if _is_vain(attempt)}
        return frozenset(vain | attempts.deadly_in(self._playthrough.room))

    def _entered(self, step: StepTaken) -> Entrance | None:
        if step.done or not self._asks_models:
            return None
        room, rooms = self._playthrough.room, self._playthrough.map.names
        latest = {attempt.action: attempt for attempt in self._playthrough.attempts.by_room[room]}
        names = self._playthrough.attempts.in_room(room)
        tried = (Attempts(action, times, latest.get(action)) for action, times in names.items())
        ordered = sorted(tried, key=lambda each: -each.latest.step if each.latest else 0)
        led_to = dict.fromkeys(attempt.moved_to for attempt in latest.values() if attempt.moved_to)
        return Entrance(step, tuple(ordered), tuple((each, rooms.get(each, each)) for each in led_to))


def fragment(state: Hints) -> Fragment | None:
    """The ranked hints as a section and as suggestions; None where nothing untried is known."""
    return hints_of("Untried here, most promising first:", state.actions) if state.actions else None


def hints_of(heading: str, actions: tuple[str, ...]) -> Fragment:
    """Actions, best first, as a section and as suggestions."""
    lines = (f"{rank}. {action}" for rank, action in enumerate(actions, start=1))
    text = "\n".join((heading, *lines))
    return Fragment(sections=(Section(name="hints", text=text),), suggestions=actions)


def without(barred: frozenset[str], actions: Iterable[str]) -> tuple[str, ...]:
    """The actions that are not barred."""
    return tuple(action for action in actions if normal(action) not in barred)


def merge_actions(*sources: Iterable[str]) -> tuple[str, ...]:
    """The first `MOST` actions of several sources; of equivalent actions, only the first."""
    found: dict[str, str] = {}
    for action in chain(*sources):
        found.setdefault(normal(action), action)
    return tuple(found.values())[:MOST]


def _is_vain(attempt: Attempt) -> bool:
    return not (attempt.changed or attempt.earned or attempt.moved_to)


def _hints(step: StepTaken, played: Playthrough) -> tuple[str, ...]:
    return () if step.done else untried_here(step, played.attempts, played.map)[:MOST]
