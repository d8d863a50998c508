"""Reads the header of a GGUF file, to check the file and to estimate the memory that it needs.

Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

MAGIC = b"GGUF"
VERSIONS = (2, 3)
SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
STRING, ARRAY = 8, 9
LONGEST = 64 * 1024 * 1024
"""The most bytes of a text or list in a header."""

ALIGNED = 32
"""The data begins at a multiple of so many bytes, unless the header names a greater one."""

CACHE_BYTES = 2
"""The size of one number in the cache of keys and values (16 bits)."""
BATCH = 512
"""The number of prompt tokens that llama.cpp processes at a time; it reserves memory for their logits."""


class NotGguf(Exception):
    """The file is not a usable GGUF file; the message gives the reason as a clause."""


@dataclass(frozen=True, slots=True)
class Header:
    """The values of a header; of a list of texts, only its length."""

    values: Mapping[str, Any]

    @property
    def architecture(self) -> str:
        """The kind of model, such as llama."""
        return str(self.values.get("general.architecture", ""))

    @property
    def context(self) -> int:
        """The size of the context in tokens for which the model was trained; 0: unknown."""
        return self._number("context_length")

    def memory(self, context: int) -> int:
        """About how many bytes llama.cpp needs beside the file for a context of so many tokens."""
        heads = self._number("attention.head_count_kv") or self._number("attention.head_count")
        width = self._number("embedding_length") // max(1, self._number("attention.head_count"))
        numbers = self._number("attention.key_length", width) + self._number("attention.value_length", width)
        cache = context * self._number("block_count") * heads * numbers * CACHE_BYTES
        tokens = self.values.get("tokenizer.ggml.tokens", 0)
        return cache + BATCH * (tokens if isinstance(tokens, int) else 0) * struct.calcsize("f")

    def _number(self, name: str, default: int = 0) -> int:
        """A parameter of the architecture; the greatest, if its layers differ."""
        value = self.values.get(f"{self.architecture}.{name}", default)
        numbers = value if isinstance(value, list) else [value]
        return max((number for number in numbers if isinstance(number, int)), default=default)


def header_of(file: BinaryIO, size: int) -> Header:
    """The header of an open file of so many bytes.

    Raises:
        NotGguf: the file has no header, or is shorter than its header says.
    """
    if file.read(len(MAGIC)) != MAGIC:
        raise NotGguf("it is not a GGUF file")
    reader = _GgufReader(file)
    version = reader.number("I")
    if version not in VERSIONS:
        raise NotGguf(f"it is a GGUF file of version {version}, and not of 2 or 3")
    try:
        tensors, pairs = reader.number("Q"), reader.number("Q")
        values = {reader.text(): reader.value(reader.number("I")) for _ in range(pairs)}
        last = max((reader.tensor() for _ in range(tensors)), default=0)
    except (UnicodeDecodeError, KeyError, OverflowError) as error:
        raise NotGguf("its header is damaged") from error
    length = -(-file.tell() // ALIGNED) * ALIGNED + last
    if size <= length:
        raise NotGguf(f"it is cut short: it has {size} bytes, but its header promises more than {length}")
    return Header(values)


class _GgufReader:
    """Reads values one after the other."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def bytes(self, count: int) -> bytes:
        if count > LONGEST:
            raise NotGguf("its header is damaged")
        read = self._file.read(count)
        if len(read) < count:
            raise NotGguf("it is cut short within its header")
        return read

    def number(self, form: str) -> Any:
        return struct.unpack(f"<{form}", self.bytes(struct.calcsize(form)))[0]

    def text(self) -> str:
        return self.bytes(self.number("Q")).decode()

    def value(self, kind: int) -> Any:
        if kind == STRING:
            return self.text()
        return self._list() if kind == ARRAY else self.number(SCALARS[kind])

    def _list(self) -> Any:
        kind, count = self.number("I"), self.number("Q")
        if kind == STRING:
            for _ in range(count):
                self.bytes(self.number("Q"))
            return count
        if kind == ARRAY:
            raise NotGguf("its header has lists within lists")
        form = SCALARS[kind]
        return list(struct.unpack(f"<{count}{form}", self.bytes(count * struct.calcsize(form))))

    def tensor(self) -> int:
        """The offset of a tensor's data, counted from the end of the header."""
        self.text()
        for _ in range(self.number("I")):
            self.number("Q")
        self.number("I")
        return int(self.number("Q"))
