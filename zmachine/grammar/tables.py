"""Finds a story's grammar, whichever compiler wrote it."""

from __future__ import annotations

from zmachine.dictionary import Dictionary
from zmachine.grammar import infocom, inform
from zmachine.grammar.sentence import GrammarUnreadable, Sentence
from zmachine.ztext import word


def grammar_of(memory: bytes, dictionary: Dictionary) -> tuple[Sentence, ...]:
    """Every sentence of a story, verb by verb.

    Raises:
        GrammarUnreadable: the story has no valid tables.
    """
    compiler = inform if is_inform(memory) else infocom
    try:
        found = tuple(compiler.sentences(memory, dictionary, verb_entries(memory)))
    except IndexError as error:
        raise GrammarUnreadable("the tables go beyond the memory") from error
    if not any(sentence.slots for sentence in found):
        raise GrammarUnreadable("no verb takes a thing")
    return found


def verb_entries(memory: bytes) -> list[int]:
    """The addresses of the verbs' entries; their table begins where static memory does."""
    table = word(memory, 0x0E)
    first = word(memory, table)
    if not table < first < len(memory) or (first - table) % 2 or first - table > 2 * 256:
        raise GrammarUnreadable("no table of verbs where static memory begins")
    entries = [word(memory, address) for address in range(table, first, 2)]
    if not all(first <= entry < len(memory) for entry in entries):
        raise GrammarUnreadable("verbs outside the memory")
    return entries


def is_inform(memory: bytes) -> bool:
    """Whether Inform compiled the story: its serial number is then a date of the nineties or later."""
    serial = memory[0x12:0x18].decode("latin-1")
    return serial.isascii() and serial.isdigit() and not serial.startswith("8")
