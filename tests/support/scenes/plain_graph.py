"""A graph in plain lists: slow, and plainly right. It shows what the contract means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from services.memory.beliefs.facts import (
    AT,
    BLOCKED,
    EXIT,
    HAS,
    INSIDE,
    LOCATED_IN,
    PLAYER,
    STILL_VALID,
    Changes,
    Entity,
    EntityKind,
    EpisodicStep,
    Fact,
)
from services.memory.history.graph import Blocked, DatedEntity, Exit, PlacePeriod


class PlainGraph:
    """All changes as they were written; every question is worked out from them anew."""

    def __init__(self) -> None:
        self.steps: dict[int, Changes] = {}

    async def write(self, changes: Sequence[Changes]) -> None:
        for change in changes:
            if self.steps.get(change.step) != change:
                await self.forget_after(change.step - 1)
                self.steps[change.step] = change

    async def forget_after(self, step: int) -> None:
        self.steps = {held: change for held, change in self.steps.items() if held <= step}

    async def last_step(self) -> int:
        return max(self.steps, default=-1)

    async def entities(self, kind: EntityKind) -> tuple[Entity, ...]:
        return tuple(e for _, e in sorted(self._entities().items()) if e.kind is kind)

    async def room_now(self) -> DatedEntity | None:
        return next(iter(self._held_by_player(AT)), None)

    async def inventory(self) -> tuple[DatedEntity, ...]:
        return self._held_by_player(HAS)

    async def exits_of(self, room: str) -> tuple[Exit, ...]:
        return tuple(
            Exit(fact.relation.removeprefix(EXIT), self._entities()[fact.object], fact.valid_from)
            for fact in self._ways(room, EXIT)
        )

    async def blocked_in(self, room: str) -> tuple[Blocked, ...]:
        ways = self._ways(room, BLOCKED)
        return tuple(Blocked(fact.relation.removeprefix(BLOCKED), fact.valid_from) for fact in ways)

    async def places_of(self, thing: str) -> tuple[PlacePeriod, ...]:
        held = [(f.subject, f) for f in self._facts() if f.relation == HAS and f.object == thing]
        lying = [
            (f.object, f) for f in self._facts() if f.subject == thing and f.relation in (LOCATED_IN, INSIDE)
        ]
        seen = ((f.valid_from, holder, f.valid_to) for holder, f in (*held, *lying))
        return tuple(PlacePeriod(self._entities()[holder], since, to) for since, holder, to in sorted(seen))

    async def tried_in(self, room: str) -> tuple[EpisodicStep, ...]:
        turns = (change.episodic for change in self.steps.values())
        return tuple(turn for turn in turns if turn.room == room and turn.action is not None)

    async def steps_mentioning(self, entity: str) -> tuple[int, ...]:
        return tuple(step for step, change in self.steps.items() if entity in change.mentions)

    async def close(self) -> None:
        """Nothing to let go of."""

    def _entities(self) -> dict[str, Entity]:
        return {entity.id: entity for change in self.steps.values() for entity in change.entities}

    def _facts(self) -> Iterator[Fact]:
        ended = {replace(f, valid_to=STILL_VALID): f for c in self.steps.values() for f in c.ended}
        for change in self.steps.values():
            for fact in change.begun:
                yield ended.get(fact, fact)

    def _now(self, subject: str) -> list[Fact]:
        return [fact for fact in self._facts() if fact.subject == subject and fact.valid_to == STILL_VALID]

    def _held_by_player(self, relation: str) -> tuple[DatedEntity, ...]:
        facts = [fact for fact in self._now(PLAYER.id) if fact.relation == relation]
        facts.sort(key=lambda fact: (fact.valid_from, fact.object))
        return tuple(DatedEntity(self._entities()[fact.object], fact.valid_from) for fact in facts)

    def _ways(self, room: str, prefix: str) -> list[Fact]:
        ways = [fact for fact in self._now(room) if fact.relation.startswith(prefix)]
        return sorted(ways, key=lambda fact: (fact.valid_from, fact.relation))
