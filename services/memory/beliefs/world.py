"""What the memory holds of a session: what is believed now, and everything that was."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

from folds.vocabulary.actions import DIRECTIONS
from schemas.game import StepTaken
from services.memory.beliefs.beliefs import Beliefs
from services.memory.beliefs.facts import BLOCKED, EXIT, LED, LOCKED, Fact
from services.memory.beliefs.recall import Recall


class World:
    """A fold over steps, from which questions about any of them are answered."""

    def __init__(self) -> None:
        self.beliefs = Beliefs()
        self.recall = Recall()
        self._ways: dict[str, Ways] = {}

    def after(self, step: StepTaken) -> Self:
        """Fold one step; a step that was folded before, or an older one, changes nothing."""
        self.recall.after(self.beliefs.after(step))
        if (changes := self.beliefs.changes) is not None:
            for fact in (*changes.begun, *changes.ended):
                self._ways.pop(fact.subject, None)
        return self

    def ways(self, room: str, at: int | None = None) -> Ways:
        """What is known at a step of the ways out of a room."""
        if at is not None:
            return Ways(tuple(self.recall.facts(room, at)))
        if room not in self._ways:
            self._ways[room] = Ways(tuple(self.recall.facts(room)))
        return self._ways[room]

    def unexplored(self, room: str, at: int | None = None) -> tuple[str, ...]:
        """The directions out of a room that were neither walked nor blocked; now, the likeliest first."""
        known = self.ways(room, at).tried
        ordered = DIRECTIONS if at is not None else self.beliefs.map.untried(room.removeprefix("room:"))
        return tuple(direction for direction in ordered if direction not in known)

    def likely(self, room: str, at: int | None = None) -> tuple[str, ...]:
        """Of these, those that the game offers or mentions; it is known of now only."""
        return self.beliefs.likely.get(room.removeprefix("room:"), ()) if at is None else ()

    def unknown(self, room: str, at: int | None = None) -> tuple[str, ...]:
        """The unexplored directions of a room where the game does not say which ways there are."""
        offered = at is None and self.beliefs.map.offers(room.removeprefix("room:"))
        return () if offered else self.unexplored(room, at)


class Ways:
    """The facts about the ways out of one room, sorted."""

    def __init__(self, facts: tuple[Fact, ...]) -> None:
        self.exits = [(f.relation.removeprefix(EXIT), f) for f in facts if f.relation.startswith(EXIT)]
        self.led = [(f.relation.removeprefix(LED), f) for f in facts if f.relation.startswith(LED)]
        self.blocked = [
            (f.relation.removeprefix(BLOCKED), f) for f in facts if f.relation.startswith(BLOCKED)
        ]
        self.shut = {f.relation.removeprefix(LOCKED): f for f in facts if f.relation.startswith(LOCKED)}

    @property
    def tried(self) -> set[str]:
        """The directions of which it is known whether they lead anywhere."""
        return {way for way, _ in (*self.exits, *self.blocked)}

    def open(self, *, deeds: bool) -> Iterator[tuple[str, Fact]]:
        """What was walked (and with `deeds`, what else led out), but for what is known to be shut."""
        found = (*self.exits, *self.led) if deeds else self.exits
        return ((way, fact) for way, fact in found if way not in self.shut)
