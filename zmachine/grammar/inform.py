"""Grammar as Inform writes it: its versions 1 and 2 (Inform Technical Manual, sections 8.5 and 8.6)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from zmachine.dictionary import Dictionary
from zmachine.grammar.sentence import GrammarUnreadable, Part, Sentence, Slot
from zmachine.ztext import word

VERB, META, PREPOSITION = 0x01, 0x02, 0x08
"""Flags in the first byte of a word's data. A `meta` verb is about the program, not the world."""

ELEMENTARY = (
    Slot.THING,  # noun
    Slot.HELD,  # held
    Slot.THING,  # multi
    Slot.HELD,  # multiheld
    Slot.HELD,  # multiexcept
    Slot.THING,  # multiinside
    Slot.CREATURE,  # creature
    Slot.WORDS,  # special
    Slot.NUMBER,  # number
    Slot.WORDS,  # topic
)

LINE = 8
"""Bytes of a line in version 1: the number of gaps, six tokens, the action."""
FIRST_PREPOSITION = 176
"""The first token of version 1 that is a preposition."""
END = 15
"""The token that ends a line of version 2."""
REVERSED = 0x400
"""Of version 2's action word: the first gap is the second noun."""
ALTERNATIVE = 0x10
"""Of version 2's token type: another word for the one before."""


def sentences(memory: bytes, dictionary: Dictionary, entries: Sequence[int]) -> Iterator[Sentence]:
    """Every line of every verb that is about the world."""
    version_1 = is_version_1(memory, entries)
    prepositions = prepositions_of(dictionary)
    for number, verbs in verbs_of(dictionary).items():
        if number < len(entries):
            lines = (
                lines_1(memory, entries[number], prepositions)
                if version_1
                else lines_2(memory, entries[number], dictionary)
            )
            for action, parts in lines:
                yield Sentence(verbs, parts, action)


def verbs_of(dictionary: Dictionary) -> Mapping[int, tuple[str, ...]]:
    """The words of each verb by its place in the table (the dictionary counts down from 255)."""
    found: dict[int, list[str]] = defaultdict(list)
    for text, data in dictionary.data.items():
        if data[0] & VERB and not data[0] & META and len(data) > 1:
            found[255 - data[1]].append(text)
    return {number: tuple(words) for number, words in found.items()}


def prepositions_of(dictionary: Dictionary) -> Mapping[int, tuple[str, ...]]:
    """The words of each preposition of version 1 by its number."""
    found: dict[int, list[str]] = defaultdict(list)
    for text, data in dictionary.data.items():
        if data[0] & PREPOSITION and len(data) > 2:
            found[data[2]].append(text)
    return {number: tuple(words) for number, words in found.items()}


def is_version_1(memory: bytes, entries: Sequence[int]) -> bool:
    """Whether the verbs' entries have the length of their lines in version 1."""
    return all(after - entry == 1 + LINE * memory[entry] for entry, after in pairwise(sorted(set(entries))))


def lines_1(
    memory: bytes, entry: int, prepositions: Mapping[int, tuple[str, ...]]
) -> Iterator[tuple[int, tuple[Part, ...]]]:
    """Action and parts of each line in version 1."""
    for at in range(entry + 1, entry + 1 + LINE * memory[entry], LINE):
        gaps, tokens, action = memory[at], memory[at + 1 : at + LINE - 1], memory[at + LINE - 1]
        parts: list[Part] = []
        for token in tokens:
            if token >= FIRST_PREPOSITION:
                parts.append(prepositions.get(token, ()))
            elif gaps > 0:
                parts.append(slot_1(token))
                gaps -= 1
            else:
                break
        if () not in parts:
            yield action, tuple(parts)


def slot_1(token: int) -> Slot:
    """The gap of a token of version 1."""
    if token < len(ELEMENTARY):
        return ELEMENTARY[token]
    return Slot.THING if token < 48 or token >= 128 else Slot.ROUTINE


def lines_2(memory: bytes, entry: int, dictionary: Dictionary) -> Iterator[tuple[int, tuple[Part, ...]]]:
    """Action and parts of each line in version 2."""
    at = entry + 1
    for _ in range(memory[entry]):
        action = word(memory, at) & (REVERSED - 1)
        parts: list[Part] = []
        at += 2
        while at < len(memory) and memory[at] != END:
            part = part_2(memory[at] & 15, word(memory, at + 1), dictionary)
            if (
                memory[at] & ALTERNATIVE
                and parts
                and isinstance(parts[-1], tuple)
                and isinstance(part, tuple)
            ):
                parts[-1] = (*parts[-1], *part)
            else:
                parts.append(part)
            at += 3
        at += 1
        yield action, tuple(parts)


def part_2(kind: int, data: int, dictionary: Dictionary) -> Part:
    """The part of a token of version 2.

    Raises:
        GrammarUnreadable: there is no such token.
    """
    match kind:
        case 1 if data < len(ELEMENTARY):
            return ELEMENTARY[data]
        case 2 if data in dictionary.addresses:
            return (dictionary.addresses[data],)
        case 3 | 4:
            return Slot.THING
        case 5 | 6:
            return Slot.ROUTINE
        case _:
            raise GrammarUnreadable(f"no token of kind {kind} is known")
