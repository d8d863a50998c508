"""A line of a story's grammar, whichever compiler wrote it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Slot(StrEnum):
    """The kinds of a sentence's gap."""

    THING = "thing"
    HELD = "held"
    CREATURE = "creature"
    WORDS = "words"
    """A topic or free text."""
    NUMBER = "number"
    ROUTINE = "routine"
    """Anything that a routine of the story accepts."""


Part = Slot | tuple[str, ...]
"""A gap, or a preposition with its alternatives."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One line of a verb's grammar; its words are cut to the dictionary's length."""

    verbs: tuple[str, ...]
    """The verb and its synonyms."""
    parts: tuple[Part, ...]
    action: int
    """The action number; the same routine executes all sentences of one number."""

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The gaps, in their order."""
        return tuple(part for part in self.parts if isinstance(part, Slot))


class GrammarUnreadable(ValueError):
    """The tables have an unknown format, or are damaged."""
