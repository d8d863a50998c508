"""What of a story's tables stays as it is while it is played, read once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from zmachine.dictionary import Dictionary, dictionary_of, object_words
from zmachine.object_table import Layout, Words, layout_of, names_of
from zmachine.ztext import word


@dataclass(frozen=True, slots=True)
class StoryTables:
    """A story's objects and words."""

    version: int
    variables: int
    """The address of the global variables."""
    time_game: bool
    """Whether the status line of a version 3 story shows the time, not score and moves."""
    layout: Layout
    names: tuple[str, ...]
    """By object number, as the compiler wrote them."""
    shown: tuple[str, ...]
    """By object number, to show."""
    words: Words
    dictionary: Dictionary
    things: frozenset[str]
    """The words that name any object."""

    def other_words(self, number: int, name: str) -> tuple[str, ...]:
        """The words that the parser takes for an object, without those of its name."""
        named = {word[: self.dictionary.length] for word in name.lower().split()}
        return tuple(word for word in self.words.get(number, ()) if word not in named)[:MOST_WORDS]


MOST_WORDS = 12
"""Of an object, beside those of its name."""

TIME_GAME = 0x02
"""Flags 1, bit 1 (section 8.2.3.2)."""


def tables_of(memory: bytes) -> StoryTables:
    """Read a story's memory, as it is after the start."""
    layout = layout_of(memory)
    dictionary = dictionary_of(memory)
    words = object_words(memory, layout, dictionary)
    names = names_of(memory, layout)
    return StoryTables(
        version=memory[0],
        variables=word(memory, 0x0C),
        time_game=memory[0] == 3 and bool(memory[1] & TIME_GAME),
        layout=layout,
        names=names,
        shown=display_names(names, words),
        words=words,
        dictionary=dictionary,
        things=frozenset(named for own in words.values() for named in own),
    )


def display_names(names: Sequence[str], words: Words) -> tuple[str, ...]:
    """The names to show; if a routine prints a name (Inform then writes `(hut_door)`), a noun instead."""
    return tuple(
        next(iter(words.get(number, ())), "") if not name or name.startswith("(") else name.strip()
        for number, name in enumerate(names)
    )
