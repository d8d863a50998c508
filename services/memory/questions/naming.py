"""Entities by the names that a question uses, and as answers name them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from folds.text.inventory import object_of
from folds.vocabulary.verbs import ActionKind, action_kind_of
from folds.vocabulary.words import MANY, words_of
from schemas.memory import NamedRoom, NamedThing
from services.memory.beliefs.facts import HAS, Changes, Entity, EntityKind
from services.memory.questions.wording import cut

_ARTICLES = frozenset({"the", "a", "an", "my", "your", "some"})
_WORD = re.compile(r"[^\W_]+")
_ID = re.compile(r"\[([^\[\]]+)\]\s*$")
MOST = 200
"""Things and steps in a typed answer, at most."""
LONGEST = 200
"""Words of a name that count."""


class Names:
    """Every entity, found by its name or by words of it, and by what the player has called it."""

    def __init__(self) -> None:
        self._by_id: dict[str, Entity] = {}
        self._exact: dict[tuple[str, ...], dict[Entity, int]] = defaultdict(dict)
        self._by_word: dict[str, dict[Entity, int]] = defaultdict(dict)

    def add(self, entity: Entity, step: int) -> None:
        """Note an entity, met at a step."""
        self._by_id[entity.id.casefold()] = entity
        self.also(entity, entity.name, step)

    def also(self, entity: Entity, name: str, step: int) -> None:
        """Note that an entity goes by this name too, from a step on."""
        words = words_in(name)
        self._exact[words].setdefault(entity, step)
        for word in words:
            self._by_word[word].setdefault(entity, step)

    def called(self, name: str, kind: EntityKind, at: int | None = None) -> tuple[Entity, ...]:
        """The entities of exactly this name; where there are none, those whose name has all its words.

        A thing's name may also be the end of what it is called: the `elvish sword` may be the `sword`.
        A room may be called by its id too, as answers write it: `Maze [12]`, or `[12]`.
        Names that were not known at a step do not count for it.
        """
        by_id = _ID.search(name)
        if kind is EntityKind.ROOM and by_id and (room := self._by_id.get(f"room:{by_id[1]}".casefold())):
            return (room,) if at is None or self._exact[words_in(room.name)][room] <= at else ()
        words = words_in(name)
        ends = self._ends_of(words) if kind is EntityKind.ITEM else ()
        for found in (self._exact.get(words, {}).items(), self._with_all(words), ends):
            known = tuple(e for e, since in found if e.kind is kind and (at is None or since <= at))
            if known:
                return known
        return ()

    def knows(self, name: str, kind: EntityKind) -> bool:
        """Whether an entity has exactly this name."""
        return any(entity.kind is kind for entity in self._exact.get(words_in(name), ()))

    def _with_all(self, words: tuple[str, ...]) -> Iterator[tuple[Entity, int]]:
        if not words:
            return
        holders = [self._by_word.get(word, {}) for word in words]
        for entity in min(holders, key=len):
            if all(entity in holding for holding in holders):
                yield entity, max(holding[entity] for holding in holders)

    def _ends_of(self, words: tuple[str, ...]) -> Iterator[tuple[Entity, int]]:
        for begin in range(1, len(words)):
            yield from self._exact.get(words[begin:], {}).items()


def words_in(text: str) -> tuple[str, ...]:
    """The words of a name in lower case, without marks and articles, if it has others."""
    words = tuple(_WORD.findall(text.casefold())) or tuple(text.casefold().split())
    return (tuple(word for word in words if word not in _ARTICLES) or words)[:LONGEST]


def named_by(changes: Changes) -> tuple[str, str] | None:
    """The one thing that an action has brought into the player's hand, and what the action called it."""
    action = changes.turn.action or ""
    taken = [fact.object for fact in changes.begun if fact.relation == HAS]
    name = object_of(action)
    if (
        len(taken) != 1
        or action_kind_of(action) is not ActionKind.TAKE
        or not name
        or set(words_of(name)) & MANY
    ):
        return None
    return taken[0], name


def named_room(entity: Entity) -> NamedRoom:
    """A room as answers name it."""
    return NamedRoom(id=cut(entity.id.removeprefix("room:")), name=cut(entity.name))


def named_thing(entity: Entity) -> NamedThing:
    """A thing as answers name it."""
    return NamedThing(id=cut(entity.id.removeprefix("item:")), name=cut(entity.name))
