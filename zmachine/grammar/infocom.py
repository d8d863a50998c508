"""Grammar as Infocom's compiler wrote it, in versions 1 to 5: lines of eight bytes, or of two, four or seven.

The Standard describes neither; both follow Mark Howell's `infodump`, and the bits of a gap the language's
manuals.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from zmachine.dictionary import Dictionary
from zmachine.grammar.sentence import Part, Sentence, Slot

VERB, PREPOSITION = 0x40, 0x08
"""Flags in the first byte of a word's data."""
FIRST, VERB_FIRST, PREPOSITION_FIRST = 0x03, 0x01, 0x00
"""The bits that determine which of a word's numbers comes first in its data, and two of their values."""

FIRST_PREPOSITION = 0x80
LINE = 8
SHORT_LINES = (2, 4, 7)
"""Bytes of a line by the number of its things, if lines differ in length."""
HELD, CARRIED, IN_ROOM, ON_GROUND, HAVE = 0x80, 0x40, 0x20, 0x10, 0x02
"""Where the parser looks for a thing, and whether the player must have it."""


def sentences(memory: bytes, dictionary: Dictionary, entries: Sequence[int]) -> Iterator[Sentence]:
    """Every line of every verb."""
    short = has_short_lines(memory, entries)
    prepositions = numbered(dictionary, PREPOSITION, PREPOSITION_FIRST)
    for number, verbs in numbered(dictionary, VERB, VERB_FIRST).items():
        if 255 - number < len(entries):
            for line in lines(memory, entries[255 - number], short):
                parts = parts_of(line, short, prepositions)
                if () not in parts:
                    yield Sentence(verbs, parts, line[1] if short else line[7])


def numbered(dictionary: Dictionary, flag: int, first: int) -> Mapping[int, tuple[str, ...]]:
    """The words of one part of speech by their number."""
    found: dict[int, list[str]] = defaultdict(list)
    for text, data in dictionary.data.items():
        if data[0] & flag and len(data) > 2:
            found[data[1] if data[0] & FIRST == first else data[2]].append(text)
    return {number: tuple(words) for number, words in found.items()}


def has_short_lines(memory: bytes, entries: Sequence[int]) -> bool:
    """Whether lines differ in length: then the verbs' entries are too short for lines of eight bytes."""
    return any(after - entry < 1 + LINE * memory[entry] for entry, after in pairwise(sorted(set(entries))))


def lines(memory: bytes, entry: int, short: bool) -> Iterator[bytes]:
    """The lines of a verb."""
    at = entry + 1
    for _ in range(memory[entry]):
        length = SHORT_LINES[min(memory[at] >> 6, 2)] if short and at < len(memory) else LINE
        line = memory[at : at + length]
        if len(line) == length:
            yield line
        at += length


def parts_of(line: bytes, short: bool, prepositions: Mapping[int, tuple[str, ...]]) -> tuple[Part, ...]:
    """The parts of a line; an empty tuple among them is a preposition without a word."""
    if short:
        things, before, between = line[0] >> 6, whole(line[0]), whole(line[4]) if len(line) > 4 else 0
        bits = [line[at] for at in (3, 6) if at < len(line)]
    else:
        things, before, between = line[0], *(byte if byte >= FIRST_PREPOSITION else 0 for byte in line[1:3])
        bits = [line[5], line[6]]
    parts: list[Part] = []
    for number, preposition in enumerate((before, between)):
        if preposition:
            parts.append(prepositions.get(preposition, ()))
        if number < things:
            parts.append(slot(bits[number]))
    return tuple(parts)


def whole(byte: int) -> int:
    """A preposition's number from the six bits in a short line; 0: there is none."""
    return byte & 0x3F and byte | 0xC0


def slot(bits: int) -> Slot:
    """The kind of gap that the parser fills from these places."""
    if bits & HAVE or (bits & (HELD | CARRIED) and not bits & (IN_ROOM | ON_GROUND)):
        return Slot.HELD
    return Slot.THING
