"""Everything that was believed of one session, and when, in memory: what questions are answered from."""

# ruff: noqa: D102  (what each method promises is said once, in the Protocol)
from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from services.memory.facts import (
    AT,
    BLOCKED,
    EXIT,
    HAS,
    INSIDE,
    LOCATED_IN,
    PLAYER,
    STILL,
    Changes,
    Entity,
    EntityKind,
    Fact,
    Turn,
)
from services.memory.graph import Blocked, Exit, Sighting, Told

_Spans = dict[tuple[int, str, str], int]
"""From which step, in what relation, with whom: until which step."""


class Living:
    """A graph whose questions cost what they tell, however long the session: dead facts are kept apart."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self.changes: list[Changes] = []
        self._entities: dict[str, Entity] = {}
        self._ordered: dict[EntityKind, tuple[Entity, ...]] = {}
        self._now: defaultdict[str, dict[tuple[str, str], int]] = defaultdict(dict)
        self._sightings: defaultdict[str, _Spans] = defaultdict(dict)
        self._turns: defaultdict[str, list[Turn]] = defaultdict(list)
        self._mentions: defaultdict[str, list[int]] = defaultdict(list)

    async def write(self, changes: Sequence[Changes]) -> None:
        for change in changes:
            if not self.changes or change.step > self.changes[-1].step:
                self.add(change)
            elif change not in self.changes:
                await self.forget_after(change.step - 1)
                self.add(change)

    def add(self, change: Changes) -> None:
        """Take a step's changes, which come after all that were taken before."""
        self.changes.append(change)
        for entity in change.entities:
            self._entities[entity.id] = entity
            self._ordered.pop(entity.kind, None)
        for fact in change.ended:
            self._now[fact.subject].pop((fact.relation, fact.object), None)
            self._sight(fact)
        for fact in change.begun:
            self._now[fact.subject][fact.relation, fact.object] = fact.valid_from
            self._sight(fact)
        if change.turn.room is not None and change.turn.action is not None:
            self._turns[change.turn.room].append(change.turn)
        for entity_id in change.mentions:
            self._mentions[entity_id].append(change.step)

    async def forget_after(self, step: int) -> None:
        kept = [change for change in self.changes if change.step <= step]
        self._begin()
        for change in kept:
            self.add(change)

    async def last_step(self) -> int:
        return self.changes[-1].step if self.changes else -1

    async def entities(self, kind: EntityKind) -> tuple[Entity, ...]:
        if kind not in self._ordered:
            self._ordered[kind] = tuple(e for _, e in sorted(self._entities.items()) if e.kind is kind)
        return self._ordered[kind]

    async def room_now(self) -> Told | None:
        return next(self._held(AT), None)

    async def inventory(self) -> tuple[Told, ...]:
        return tuple(sorted(self._held(HAS), key=lambda told: (told.since, told.entity.id)))

    async def exits_of(self, room: str) -> tuple[Exit, ...]:
        return tuple(Exit(way, self._entities[end], since) for since, way, end in self._ways(room, EXIT))

    async def blocked_in(self, room: str) -> tuple[Blocked, ...]:
        return tuple(Blocked(way, since) for since, way, _ in self._ways(room, BLOCKED))

    async def sightings_of(self, thing: str) -> tuple[Sighting, ...]:
        spans = self._sightings.get(thing, {})
        seen = (Sighting(self._entities[who], since, until) for (since, _, who), until in spans.items())
        return tuple(sorted(seen, key=lambda sighting: (sighting.since, sighting.holder.id)))

    async def tried_in(self, room: str) -> tuple[Turn, ...]:
        return tuple(self._turns.get(room, ()))

    async def steps_mentioning(self, entity: str) -> tuple[int, ...]:
        return tuple(self._mentions.get(entity, ()))

    async def close(self) -> None:
        """Nothing to let go of."""

    def _sight(self, fact: Fact) -> None:
        if fact.relation == HAS:
            self._sightings[fact.object][fact.valid_from, HAS, fact.subject] = fact.valid_to
        elif fact.relation in (LOCATED_IN, INSIDE):
            self._sightings[fact.subject][fact.valid_from, fact.relation, fact.object] = fact.valid_to

    def _held(self, relation: str) -> Iterator[Told]:
        for (held_as, entity), since in self._now.get(PLAYER.id, {}).items():
            if held_as == relation:
                yield Told(self._entities[entity], since, STILL)

    def _ways(self, room: str, prefix: str) -> list[tuple[int, str, str]]:
        facts = self._now.get(room, {}).items()
        ways = ((since, name, end) for (name, end), since in facts if name.startswith(prefix))
        return [(since, name.removeprefix(prefix), end) for since, name, end in sorted(ways)]
