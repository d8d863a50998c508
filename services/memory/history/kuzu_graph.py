"""The graph of one session in one file."""

# ruff: noqa: D102  (what each method promises is said once, in the Protocol)
from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from services.memory.beliefs.facts import AT, BLOCKED, EXIT, HAS, PLAYER, Changes, Entity, EntityKind, Turn
from services.memory.history import cypher
from services.memory.history.graph import Blocked, Exit, GraphError, Opening, Sighting, Told
from services.memory.history.store_pool import StoreFile, StorePool
from services.memory.store import Store

_T = TypeVar("_T")


class KuzuGraph:
    """A graph on Kuzu or Ladybug; its file is open while the shelf has room for it."""

    def __init__(self, shelf: StorePool, place: StoreFile) -> None:
        self._shelf = shelf
        self._place: StoreFile | None = place
        self.opening: Opening = place.opening

    @classmethod
    async def open(cls, path: Path, shelf: StorePool | None = None) -> KuzuGraph:
        """Open a session's graph, or begin it; `opening` says which file it is, and how it was found.

        Raises:
            GraphError: no file can be used.
        """
        shelf = shelf or StorePool()
        return cls(shelf, await shelf.place(path))

    async def write(self, changes: Sequence[Changes]) -> None:
        await self._with_store(lambda store: store.write(tuple(changes)))

    async def forget_after(self, step: int) -> None:
        await self._with_store(lambda store: store.forget_after(step))

    async def last_step(self) -> int:
        return await self._with_store(Store.last_step)

    async def entities(self, kind: EntityKind) -> tuple[Entity, ...]:
        rows = await self._ask(cypher.ENTITIES, kind=kind.value)
        return tuple(_entity(*row) for row in rows)

    async def room_now(self) -> Told | None:
        return next(iter(await self._holding(AT)), None)

    async def inventory(self) -> tuple[Told, ...]:
        return await self._holding(HAS)

    async def exits_of(self, room: str) -> tuple[Exit, ...]:
        rows = await self._ask(cypher.WAYS, room=room, prefix=EXIT)
        return tuple(Exit(name.removeprefix(EXIT), _entity(*end), since) for name, *end, since in rows)

    async def blocked_in(self, room: str) -> tuple[Blocked, ...]:
        rows = await self._ask(cypher.WAYS, room=room, prefix=BLOCKED)
        return tuple(Blocked(name.removeprefix(BLOCKED), since) for name, *_, since in rows)

    async def sightings_of(self, thing: str) -> tuple[Sighting, ...]:
        rows = await self._ask(cypher.SIGHTINGS_ELSEWHERE, thing=thing)
        rows += await self._ask(cypher.SIGHTINGS_HELD, thing=thing, relation=HAS)
        seen = (Sighting(_entity(*holder), since, until) for *holder, since, until in rows)
        return tuple(sorted(seen, key=lambda s: (s.since, s.holder.id)))

    async def tried_in(self, room: str) -> tuple[Turn, ...]:
        rows = await self._ask(cypher.TRIED, room=room)
        return tuple(Turn(*row) for row in rows)

    async def steps_mentioning(self, entity: str) -> tuple[int, ...]:
        rows = await self._ask(cypher.MENTIONED, entity=entity)
        return tuple(row[0] for row in rows)

    async def close(self) -> None:
        place, self._place = self._place, None
        if place is not None:
            await self._shelf.close(place)

    async def _holding(self, relation: str) -> tuple[Told, ...]:
        rows = await self._ask(cypher.HOLDING_NOW, subject=PLAYER.id, relation=relation)
        return tuple(Told(_entity(*entity), since) for *entity, since in rows)

    async def _ask(self, query: str, **parameters: object) -> list[list[Any]]:
        return await self._with_store(lambda store: store.rows(query, **parameters))

    async def _with_store(self, use: Callable[[Store], _T]) -> _T:
        if self._place is None:
            raise GraphError(str(self.opening.path), "it is closed")
        return await self._shelf.with_store(self._place, use)


def _entity(entity: str, kind: str, name: str) -> Entity:
    return Entity(entity, EntityKind(kind), name)
