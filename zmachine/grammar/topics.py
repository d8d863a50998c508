"""Phrases that take a topic: what somebody may be asked about, or what may be looked up in a book."""

from __future__ import annotations

from collections.abc import Sequence

from zmachine.dictionary import Dictionary
from zmachine.grammar.phrases import ABOUT_THE_PROGRAM, Phrase
from zmachine.grammar.program_words import truncated
from zmachine.grammar.sentence import GrammarUnreadable, Sentence, Slot
from zmachine.grammar.tables import grammar_of

FREE = (Slot.WORDS, Slot.ROUTINE)
ABOUT = (("about",), ("up",))
"""Prepositions before a topic or after it."""
ASKED = "ask"
"""The verb that is preferred among synonyms."""


def topic_phrases(memory: bytes, dictionary: Dictionary) -> tuple[Phrase, ...]:
    """A phrase for each action that takes a thing and a topic; none, if the grammar cannot be read."""
    try:
        sentences = grammar_of(memory, dictionary)
    except GrammarUnreadable:
        return ()
    found: dict[tuple[int, tuple[Slot, ...]], Phrase] = {}
    for sentence in sentences:
        slots = sentence.slots
        free = [place for place, slot in enumerate(slots) if slot in FREE]
        if len(slots) == 2 and len(free) == 1 and Slot.NUMBER not in slots and is_about(sentence):
            kinds = tuple(Slot.WORDS if place in free else Slot.THING for place in range(2))
            found.setdefault((sentence.action, kinds), Phrase(wording(sentence), kinds))
    return tuple(found.values())


def word_phrases(memory: bytes, dictionary: Dictionary) -> tuple[Phrase, ...]:
    """A phrase for each action that takes a word alone, whatever is in reach: to say or to learn it."""
    try:
        sentences = grammar_of(memory, dictionary)
    except GrammarUnreadable:
        return ()
    left_out = truncated(ABOUT_THE_PROGRAM, dictionary.length)
    found: dict[int, Phrase] = {}
    for sentence in sentences:
        if len(sentence.slots) == 1 and sentence.slots[0] in FREE and left_out.isdisjoint(sentence.verbs):
            found.setdefault(sentence.action, Phrase(wording(sentence), (Slot.WORDS,)))
    return tuple(found.values())


def is_about(sentence: Sentence) -> bool:
    """Whether one of the gaps is a topic."""
    return Slot.WORDS in sentence.slots or any(part in ABOUT for part in sentence.parts)


def wording(sentence: Sentence) -> str:
    """A sentence in its plainest words."""
    verb = ASKED if ASKED in sentence.verbs else max(sentence.verbs, key=lambda verb: (len(verb), verb))
    words = ["{}" if isinstance(part, Slot) else part[0] for part in sentence.parts]
    return " ".join((verb, *words))


def with_topic(phrase: Phrase, noun: str, topic: str) -> str:
    """A phrase with its thing and its topic."""
    nouns: Sequence[str] = (noun, topic) if phrase.slots[1] is Slot.WORDS else (topic, noun)
    return phrase.text.format(*nouns)
