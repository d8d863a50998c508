"""GGUF files for tests: a header with what is given, and one tensor."""

from __future__ import annotations

import struct
from collections.abc import Mapping

DATA = 64
"""Bytes of the tensor."""


def a_gguf(values: Mapping[str, int | str | list[str]], *, version: int = 3) -> bytes:
    pairs = b"".join(_text(name) + _value(value) for name, value in values.items())
    tensor = _text("w") + struct.pack("<IQIQ", 1, DATA // 4, 0, 0)
    header = b"GGUF" + struct.pack("<IQQ", version, 1, len(values)) + pairs + tensor
    return header + bytes(-len(header) % 32) + bytes(DATA)


def a_llama(**changes: int) -> bytes:
    numbers = {"block_count": 2, "context_length": 1024, "embedding_length": 64} | changes
    heads = {"llama.attention.head_count": 4, "llama.attention.head_count_kv": 2}
    named = {f"llama.{name}": value for name, value in numbers.items()}
    return a_gguf({"general.architecture": "llama", **named, **heads, "tokenizer.ggml.tokens": ["a", "bc"]})


def _text(text: str) -> bytes:
    return struct.pack("<Q", len(text)) + text.encode()


def _value(value: int | str | list[str]) -> bytes:
    if isinstance(value, int):
        return struct.pack("<IQ", 10, value)
    if isinstance(value, str):
        return struct.pack("<I", 8) + _text(value)
    return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(_text, value))
