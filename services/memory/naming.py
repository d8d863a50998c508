"""Entities by the names that a question uses, and as answers name them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from schemas.memory import NamedRoom, NamedThing
from services.memory.facts import Entity, EntityKind
from services.memory.wording import cut

_ARTICLES = frozenset({"the", "a", "an", "my"})
_ID = re.compile(r"\[([^\[\]]+)\]\s*$")
MOST = 200
"""Things and steps in a typed answer, at most."""
LONGEST = 200
"""Words of a name that count."""


class Names:
    """Every entity, found by its name or by words of it."""

    def __init__(self) -> None:
        self._by_id: dict[str, Entity] = {}
        self._exact: dict[tuple[str, ...], list[Entity]] = defaultdict(list)
        self._by_word: dict[str, dict[str, Entity]] = defaultdict(dict)

    def add(self, entity: Entity) -> None:
        """Note an entity, once."""
        self._by_id[entity.id.casefold()] = entity
        words = words_in(entity.name)
        self._exact[words].append(entity)
        for word in words:
            self._by_word[word][entity.id] = entity

    def called(self, name: str, kind: EntityKind) -> tuple[Entity, ...]:
        """The entities of exactly this name; where there are none, those whose name has all its words.

        A room may be called by its id too, as answers write it: `Maze [12]`, or `[12]`.
        """
        by_id = _ID.search(name)
        if kind is EntityKind.ROOM and by_id and (room := self._by_id.get(f"room:{by_id[1]}".casefold())):
            return (room,)
        words = words_in(name)
        exact = [entity for entity in self._exact.get(words, ()) if entity.kind is kind]
        return tuple(exact or [entity for entity in self._with_all(words) if entity.kind is kind])

    def _with_all(self, words: tuple[str, ...]) -> Iterator[Entity]:
        if not words:
            return iter(())
        rarest = min((self._by_word.get(word, {}) for word in words), key=len)
        return (e for e in rarest.values() if all(e.id in self._by_word[word] for word in words))


def words_in(text: str) -> tuple[str, ...]:
    """The words of a name in lower case, without articles."""
    return tuple(word for word in text.casefold().split() if word not in _ARTICLES)[:LONGEST]


def named_room(entity: Entity) -> NamedRoom:
    """A room as answers name it."""
    return NamedRoom(id=cut(entity.id.removeprefix("room:")), name=cut(entity.name))


def named_thing(entity: Entity) -> NamedThing:
    """A thing as answers name it."""
    return NamedThing(id=cut(entity.id.removeprefix("item:")), name=cut(entity.name))
