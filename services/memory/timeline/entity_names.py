"""Entities by the names that a question uses."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from folds.text.things.inventory import object_of
from folds.vocabulary.verbs import ActionKind, action_kind_of
from folds.vocabulary.words import MANY, words_of
from services.memory.beliefs.facts import HAS, Changes, Entity, EntityKind

_ARTICLES = frozenset({"the", "a", "an", "my", "your", "some"})
_WORD = re.compile(r"[^\W_]+")
_ID = re.compile(r"\[([^\[\]]+)\]\s*$")
CUTS = (6, 9)
"""Letters of a word that dictionaries keep: of version 3, and of later ones."""
MAX_WORDS = 200
"""Words of a name beyond these are ignored."""


class EntityNames:
    """Finds entities by their name, by words of it, and by what the player has called them."""

    def __init__(self) -> None:
        self._by_id: dict[str, Entity] = {}
        self._exact: dict[tuple[str, ...], dict[Entity, int]] = defaultdict(dict)
        self._by_word: dict[str, dict[Entity, int]] = defaultdict(dict)
        self._synonyms: dict[str, dict[Entity, int]] = defaultdict(dict)
        """By word as a dictionary cuts it."""

    def add(self, entity: Entity, step: int) -> None:
        """Add an entity, first met at a step."""
        self._by_id[entity.id.casefold()] = entity
        self.add_name(entity, entity.name, step)

    def add_name(self, entity: Entity, name: str, step: int) -> None:
        """Add another name of an entity, used from a step on."""
        words = words_in(name)
        self._exact[words].setdefault(entity, step)
        for word in words:
            self._by_word[word].setdefault(entity, step)

    def add_synonyms(self, entity: Entity, words: Iterable[str], step: int) -> None:
        """Add other words for an entity; a word of 6 or 9 letters may be the beginning of a longer one."""
        for word in words:
            self._synonyms[word].setdefault(entity, step)

    def by_synonym(self, word: str, at: int | None = None) -> Iterator[Entity]:
        """The entities that go by a word beside their names."""
        for entity, since in self._called(word).items():
            if at is None or since <= at:
                yield entity

    def _called(self, word: str) -> dict[Entity, int]:
        cuts = dict.fromkeys((word, *(word[:length] for length in CUTS if len(word) > length)))
        return {e: since for cut in cuts for e, since in self._synonyms.get(cut, {}).items()}

    def find(self, name: str, kind: EntityKind, at: int | None = None) -> tuple[Entity, ...]:
        """The entities of exactly this name; where there are none, those whose name contains all its words.

        Where there are none of those either, a thing whose name ends the given one: `elvish sword` finds the
        `sword`. A room is also found by its id, as answers write it: `Maze [12]`, or `[12]`. Names that were
        not known at a step do not count for it.
        """
        by_id = _ID.search(name)
        if kind is EntityKind.ROOM and by_id and (room := self._by_id.get(f"room:{by_id[1]}".casefold())):
            return (room,) if at is None or self._exact[words_in(room.name)][room] <= at else ()
        words = words_in(name)
        ends = self._ending(words) if kind is EntityKind.ITEM else ()
        for found in (self._exact.get(words, {}).items(), self._with_all_words(words), ends):
            known = tuple(e for e, since in found if e.kind is kind and (at is None or since <= at))
            if known:
                return known
        return ()

    def has_exactly(self, name: str, kind: EntityKind) -> bool:
        """Whether an entity has exactly this name."""
        return any(entity.kind is kind for entity in self._exact.get(words_in(name), ()))

    def _with_all_words(self, words: tuple[str, ...]) -> Iterator[tuple[Entity, int]]:
        if not words:
            return
        holders = [{**self._called(word), **self._by_word.get(word, {})} for word in words]
        for entity in min(holders, key=len):
            if all(entity in holding for holding in holders):
                yield entity, max(holding[entity] for holding in holders)

    def _ending(self, words: tuple[str, ...]) -> Iterator[tuple[Entity, int]]:
        for begin in range(1, len(words)):
            yield from self._exact.get(words[begin:], {}).items()


def words_in(text: str) -> tuple[str, ...]:
    """The words of a name in lower case, without marks and articles, if it has others."""
    words = tuple(_WORD.findall(text.casefold())) or tuple(text.casefold().split())
    return (tuple(word for word in words if word not in _ARTICLES) or words)[:MAX_WORDS]


def name_from_action(changes: Changes) -> tuple[str, str] | None:
    """The only thing that an action has put into the inventory, and what the action called it."""
    action = changes.episodic.action or ""
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
