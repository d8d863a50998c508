"""What the memory keeps of a session: what is believed now, and everything that was believed."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Self

from folds.vocabulary.actions import DIRECTIONS
from schemas.game import StepTaken
from services.memory.beliefs.beliefs import Beliefs
from services.memory.beliefs.facts import BLOCKED, EXIT, LED, LOCKED, TOLD, Fact
from services.memory.experience.failures import Failures
from services.memory.experience.lessons import Lessons
from services.memory.texts.passages import Texts
from services.memory.timeline.change_log import ChangeLog
from services.memory.timeline.temporal_index import TemporalIndex


class WorldModel:
    """A fold over steps, from which questions about any of them are answered.

    `at` is a step; None is now.
    """

    def __init__(self, lessons: Lessons | None = None, known: tuple[str, ...] = ()) -> None:
        """`lessons`: what the session teaches for later ones (None: it is not kept).

        `known`: what the failures of earlier ones have taught.
        """
        self.lessons = lessons
        self.failures = Failures(known)
        self.beliefs = Beliefs()
        self.changes = ChangeLog()
        self.index = TemporalIndex(self.changes)
        self.texts = Texts()
        self.ends: dict[int, bool] = {}
        """By step at which the game has ended, whether it was won."""
        self._exits: dict[str, ExitFacts] = {}

    @property
    def last_step(self) -> int:
        """The newest step that was folded; -1: none was."""
        return self.changes.last_step

    def after(self, step: StepTaken) -> Self:
        """Fold one step; a step that was folded before, or an older one, changes nothing."""
        before = self.beliefs.last
        changes = self.beliefs.after(step).changes
        if changes is not None and self.changes.add(changes):
            now = self.beliefs.last or step
            if self.lessons is not None:
                self.lessons.after(before, now)
            self.index.add(changes, self.beliefs.things.in_sight)
            self.index.add_synonyms(now, before)
            self.texts.after(now)
            self.failures.after(before, now)
            if now.done:
                self.ends[now.step] = now.victory
            for fact in (*changes.begun, *changes.ended):
                self._exits.pop(fact.subject, None)
        return self

    def exits(self, room: str, at: int | None = None) -> ExitFacts:
        """What is known of the exits of a room."""
        if at is not None:
            return ExitFacts(tuple(self.index.facts(room, at)))
        if room not in self._exits:
            self._exits[room] = ExitFacts(tuple(self.index.facts(room)))
        return self._exits[room]

    def unexplored(self, room: str, at: int | None = None) -> tuple[str, ...]:
        """The directions that were neither walked nor blocked; of now, the likeliest stand first."""
        known = self.exits(room, at).directions
        ordered = DIRECTIONS if at is not None else self.beliefs.map.untried(room.removeprefix("room:"))
        return tuple(direction for direction in ordered if direction not in known)

    def likely(self, room: str, at: int | None = None) -> tuple[str, ...]:
        """The unexplored directions that the game offers or mentions; of earlier steps, none are known."""
        return self.beliefs.exits.likely(room.removeprefix("room:")) if at is None else ()

    def uncertain(self, room: str, at: int | None = None) -> tuple[str, ...]:
        """The unexplored directions of a room whose exits the game does not list."""
        listed = at is None and self.beliefs.map.offers(room.removeprefix("room:"))
        return () if listed else self.unexplored(room, at)


class Ways(StrEnum):
    """Which ways a route may take: each kind includes the one before."""

    WALKED = "walked"
    TOLD = "told"
    """Ways back that the game names."""
    ANY = "any"
    """Other actions that led to a room."""


class ExitFacts:
    """The facts about the exits of one room, sorted."""

    def __init__(self, facts: tuple[Fact, ...]) -> None:
        self.walked = _with_prefix(EXIT, facts)
        self.told = _with_prefix(TOLD, facts)
        self.led = _with_prefix(LED, facts)
        self.blocked = _with_prefix(BLOCKED, facts)
        self.locked = dict(_with_prefix(LOCKED, facts))

    @property
    def directions(self) -> set[str]:
        """The directions of which it is known whether they lead anywhere."""
        return {direction for direction, _ in (*self.walked, *self.blocked)}

    def passable(self, ways: Ways) -> Iterator[tuple[str, Fact]]:
        """The exits that are not known to be shut."""
        told = self.told if ways is not Ways.WALKED else ()
        found = (*self.walked, *told, *(self.led if ways is Ways.ANY else ()))
        return ((action, fact) for action, fact in found if action not in self.locked)


def _with_prefix(prefix: str, facts: tuple[Fact, ...]) -> list[tuple[str, Fact]]:
    return [(fact.relation.removeprefix(prefix), fact) for fact in facts if fact.relation.startswith(prefix)]
