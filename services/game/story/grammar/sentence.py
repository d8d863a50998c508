"""A line of a story's grammar, whichever compiler wrote it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Slot(StrEnum):
    """What may stand in a sentence's gap."""

    THING = "thing"
    HELD = "held"
    CREATURE = "creature"
    WORDS = "words"
    """A topic or free text."""
    NUMBER = "number"
    ROUTINE = "routine"
    """Whatever a routine of the story's own accepts."""


Part = Slot | tuple[str, ...]
"""A gap, or a preposition with its alternatives."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One line of a verb's grammar; its words are as the dictionary cuts them."""

    verbs: tuple[str, ...]
    """The verb and its synonyms."""
    parts: tuple[Part, ...]
    action: int
    """Sentences of one action number are carried out by the same routine."""

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The gaps, in their order."""
        return tuple(part for part in self.parts if isinstance(part, Slot))


class GrammarUnreadable(ValueError):
    """The tables are in no format that is known, or damaged."""
