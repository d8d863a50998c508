"""The dictionary of a story (Standard 1.1, section 13): every word that its parser knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from zmachine.object_table import Layout, properties_of
from zmachine.ztext import Decoder, word

NOUN = 0x80
"""The flag that both Infocom's and Inform's compilers set on a word that names a thing."""


@dataclass(frozen=True, slots=True)
class Dictionary:
    """A story's words, cut to the length that its parser compares."""

    data: Mapping[str, bytes]
    """Each word with its data, whose first byte holds the flags of its part of speech."""
    addresses: Mapping[int, str]
    length: int

    def known(self, text: str) -> str | None:
        """The entry that the parser finds for a typed word."""
        cut = text.lower()[: self.length]
        return cut if cut in self.data else None

    def is_noun(self, text: str) -> bool:
        """Whether the parser takes a typed word for the name of a thing."""
        entry = self.known(text)
        return entry is not None and bool(self.data[entry][0] & NOUN)


def dictionary_of(memory: bytes) -> Dictionary:
    """Read a story's dictionary; where it is damaged, what there is of it."""
    words: dict[str, bytes] = {}
    addresses: dict[int, str] = {}
    decoder = Decoder(memory)
    encoded = 4 if memory[0] <= 3 else 6
    for address, size in entries(memory):
        text = decoder.text(address)[: encoded // 2 * 3].lower()
        words.setdefault(text, memory[address + encoded : address + size])
        addresses[address] = text
    return Dictionary(words, addresses, 6 if encoded == 4 else 9)


def entries(memory: bytes) -> Iterator[tuple[int, int]]:
    """The addresses of the dictionary's entries, and their size in bytes."""
    table = word(memory, 0x08)
    if not 0 < table < len(memory):
        return
    head = table + 1 + memory[table]
    size = memory[head] if head < len(memory) else 0
    count = abs(int.from_bytes(memory[head + 1 : head + 3], "big", signed=True))
    if size < 5:
        return
    for address in range(head + 3, head + 3 + count * size, size):
        if address + size <= len(memory):
            yield address, size


def object_words(memory: bytes, layout: Layout, dictionary: Dictionary) -> dict[int, tuple[str, ...]]:
    """The words that the parser takes for each object, nouns first.

    Infocom's compiler and Inform both keep them in a property that holds nothing but addresses of
    dictionary entries.
    """
    found: dict[int, tuple[str, ...]] = {}
    for number in range(1, layout.count + 1):
        named: list[str] = []
        for _, data in properties_of(memory, layout, number):
            named += named_in(data, dictionary)
        nouns = [w for w in named if dictionary.is_noun(w)]
        found[number] = tuple(dict.fromkeys(nouns + named))
    return found


def named_in(data: bytes, dictionary: Dictionary) -> list[str]:
    """The words of a property made of dictionary addresses alone; else none."""
    if not data or len(data) % 2:
        return []
    addresses = [word(data, at) for at in range(0, len(data), 2)]
    if not all(address in dictionary.addresses for address in addresses):
        return []
    return [dictionary.addresses[address] for address in addresses]
