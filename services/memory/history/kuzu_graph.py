"""A graph in a file."""

# ruff: noqa: D102  (the protocol documents the methods)
from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from services.memory.beliefs.facts import (
    AT,
    BLOCKED,
    EXIT,
    HAS,
    PLAYER,
    Changes,
    Entity,
    EntityKind,
    EpisodicStep,
)
from services.memory.history import cypher
from services.memory.history.graph import Blocked, DatedEntity, Exit, GraphError, OpenedFile, PlacePeriod
from services.memory.history.history_store import HistoryStore
from services.memory.history.store_pool import StorePool


class KuzuGraph:
    """A graph on Kuzu or Ladybug. Its file is used through the pool."""

    def __init__(self, pool: StorePool, opened: OpenedFile) -> None:
        self._pool, self._closed = pool, False
        self.opened = opened

    @classmethod
    async def open(cls, path: Path, pool: StorePool | None = None) -> KuzuGraph:
        """Open a session's graph, or create it; `opened` names its file.

        Raises:
            GraphError: no file can be used.
        """
        pool = pool or StorePool()
        return cls(pool, await pool.open(path, HistoryStore))

    async def write(self, changes: Sequence[Changes]) -> None:
        await self._use("write", tuple(changes))

    async def forget_after(self, step: int) -> None:
        await self._use("forget_after", step)

    async def last_step(self) -> int:
        return int(await self._use("last_step"))

    async def entities(self, kind: EntityKind) -> tuple[Entity, ...]:
        rows = await self._ask(cypher.ENTITIES, kind=kind.value)
        return tuple(_entity(*row) for row in rows)

    async def room_now(self) -> DatedEntity | None:
        return next(iter(await self._valid_now(AT)), None)

    async def inventory(self) -> tuple[DatedEntity, ...]:
        return await self._valid_now(HAS)

    async def exits_of(self, room: str) -> tuple[Exit, ...]:
        rows = await self._ask(cypher.WAYS, room=room, prefix=EXIT)
        return tuple(Exit(name.removeprefix(EXIT), _entity(*end), since) for name, *end, since in rows)

    async def blocked_in(self, room: str) -> tuple[Blocked, ...]:
        rows = await self._ask(cypher.WAYS, room=room, prefix=BLOCKED)
        return tuple(Blocked(name.removeprefix(BLOCKED), since) for name, *_, since in rows)

    async def places_of(self, thing: str) -> tuple[PlacePeriod, ...]:
        rows = await self._ask(cypher.PLACES_OUTSIDE, thing=thing)
        rows += await self._ask(cypher.PLACES_WITH_PLAYER, thing=thing, relation=HAS)
        periods = (PlacePeriod(_entity(*holder), since, until) for *holder, since, until in rows)
        return tuple(sorted(periods, key=lambda period: (period.since, period.holder.id)))

    async def tried_in(self, room: str) -> tuple[EpisodicStep, ...]:
        rows = await self._ask(cypher.TRIED, room=room)
        return tuple(EpisodicStep(*row) for row in rows)

    async def steps_mentioning(self, entity: str) -> tuple[int, ...]:
        rows = await self._ask(cypher.MENTIONED, entity=entity)
        return tuple(row[0] for row in rows)

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await self._pool.close(self.opened.path)

    async def _valid_now(self, relation: str) -> tuple[DatedEntity, ...]:
        rows = await self._ask(cypher.VALID_NOW, subject=PLAYER.id, relation=relation)
        return tuple(DatedEntity(_entity(*entity), since) for *entity, since in rows)

    async def _ask(self, query: str, **parameters: object) -> list[list[Any]]:
        rows: list[list[Any]] = await self._use("rows", query, **parameters)
        return rows

    async def _use(self, method: str, *arguments: object, **keywords: object) -> Any:
        if self._closed:
            raise GraphError(str(self.opened.path), "it is closed")
        return await self._pool.use(self.opened.path, method, *arguments, **keywords)


def _entity(entity: str, kind: str, name: str) -> Entity:
    return Entity(entity, EntityKind(kind), name)
