"""Rooms as entities, and their names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from services.memory.beliefs.facts import FactLog, room_entity, room_id


class RoomNames:
    """Adds rooms to a `FactLog`, and knows which rooms share a name."""

    def __init__(self, log: FactLog, names: Mapping[str, str]) -> None:
        """`names` are the current names of the rooms, by their ids in the messages."""
        self._log, self._names = log, names
        self._rooms_of_name = Counter[str]()

    def add(self, room: str) -> str:
        """The entity of a room, by the room's id in the messages."""
        entity = room_entity(room, self._names.get(room, room))
        if entity.id not in self._log.entities:
            self._rooms_of_name[entity.name] += 1
        return self._log.add(entity)

    def name_of(self, room: str) -> str:
        """The name of a room, with its id where several rooms share the name."""
        entity = self._log.entities.get(room_id(room))
        name = entity.name if entity else "an unknown room"
        return f"{name} [{room}]" if self._rooms_of_name[name] > 1 else name
