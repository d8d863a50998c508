"""A position of a game as text, and back: plain data, checked, and no code in it.

Everything is packed by its type, so that a field added to a part of a position is kept without a word here.
Standard library only: the child imports this module.
"""

from __future__ import annotations

import base64
import binascii
import json
import types
import zlib
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from enum import Enum
from functools import cache
from hashlib import blake2b, md5
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

FORMAT = "lantern-snapshot/1"
LEVEL = 1
"""Of compression: 2 ms instead of 10 for a large story, and a quarter more text."""

MAPPINGS: dict[Any, type] = {dict: dict, OrderedDict: OrderedDict, Mapping: dict}
"""What is made for each type of mapping."""

P = TypeVar("P")
Packer = Callable[[Any], Any]


class SnapshotRefused(Exception):
    """A snapshot that is broken, or of another format, story or shape of position."""


def packed(position: Any, story: bytes) -> str:
    """A position (a dataclass) as text: format, the story's MD5, a digest, and the data.

    Memory is kept as its difference from the story's own bytes.
    """
    told = json.dumps(packer(type(position), story)(position), separators=(",", ":"))
    data = base64.b64encode(zlib.compress(told.encode(), LEVEL)).decode()
    return f"{head_of(story)} {digest_of(data)} {data}"


def unpacked(shape: type[P], text: str, story: bytes) -> P:
    """The position in a text that `packed` made of one of this type, for this story.

    Raises SnapshotRefused.
    """
    head = head_of(story)
    if not text.startswith(head + " "):
        raise SnapshotRefused(f"it is not {head}")
    digest, _, data = text[len(head) + 1 :].partition(" ")
    if digest != digest_of(data):
        raise SnapshotRefused("its digest is not that of its data")
    try:
        told = json.loads(zlib.decompress(base64.b64decode(data, validate=True)))
        position: P = unpacker(shape, story)(told)
    except (ValueError, KeyError, TypeError, zlib.error, binascii.Error) as error:
        raise SnapshotRefused(f"its data is of another shape ({error})") from error
    return position


def head_of(story: bytes) -> str:
    return f"{FORMAT} {md5(story, usedforsecurity=False).hexdigest()}"


def digest_of(data: str) -> str:
    return blake2b(data.encode(), digest_size=16).hexdigest()


def packer(shape: Any, story: bytes) -> Packer:
    """What makes plain data of a value of this type."""
    origin, inner = get_origin(shape), get_args(shape)
    if shape is bytes:
        return lambda value: packed_bytes(value, story)
    if isinstance(shape, type) and is_dataclass(shape):
        parts = {name: packer(kind, story) for name, kind in fields_of(shape).items()}
        return lambda value: [part(getattr(value, name)) for name, part in parts.items()]
    if origin in (Union, types.UnionType):
        part = packer(optional(inner), story)
        return lambda value: None if value is None else part(value)
    if isinstance(shape, type) and issubclass(shape, Enum):
        return lambda value: value.value
    if origin in MAPPINGS:
        key, item = (packer(kind, story) for kind in inner)
        return lambda value: [[key(k), item(v)] for k, v in value.items()]
    if origin in (set, frozenset):
        part = packer(inner[0], story)
        return lambda value: sorted(map(part, value))
    if origin in (list, tuple):
        parts_of = positions(origin, inner, story, packer)
        return lambda value: [part(item) for part, item in zip(parts_of(value), value, strict=True)]
    return plain


def unpacker(shape: Any, story: bytes) -> Packer:
    """What makes a value of this type of plain data. It raises ValueError or TypeError where that is none."""
    origin, inner = get_origin(shape), get_args(shape)
    if shape is bytes:
        return lambda told: unpacked_bytes(told, story)
    if isinstance(shape, type) and is_dataclass(shape):
        parts = [unpacker(kind, story) for kind in fields_of(shape).values()]
        return lambda told: shape(*(part(value) for part, value in zip(parts, told, strict=True)))
    if origin in (Union, types.UnionType):
        part = unpacker(optional(inner), story)
        return lambda told: None if told is None else part(told)
    if isinstance(shape, type) and issubclass(shape, Enum):
        return shape
    if origin in MAPPINGS:
        key, item = (unpacker(kind, story) for kind in inner)
        return lambda told: MAPPINGS[origin]((key(k), item(v)) for k, v in told)
    if origin in (set, frozenset):
        part = unpacker(inner[0], story)
        return lambda told: origin(map(part, told))
    if origin in (list, tuple):
        parts_of = positions(origin, inner, story, unpacker)
        return lambda told: origin(part(value) for part, value in zip(parts_of(told), told, strict=True))
    return checked(shape)


def positions(
    origin: type, inner: tuple[Any, ...], story: bytes, make: Callable[[Any, bytes], Packer]
) -> Callable[[Any], list[Packer]]:
    """What to use for each place of a list or tuple."""
    if origin is tuple and inner[-1] is not Ellipsis:
        fixed = [make(kind, story) for kind in inner]
        return lambda value: fixed
    part = make(inner[0], story)
    return lambda value: [part] * len(value)


def plain(value: Any) -> Any:
    return value


def checked(shape: type) -> Packer:
    """A value that JSON keeps as it is, if it is of this type."""

    def same(told: Any) -> Any:
        if type(told) is not shape:
            raise TypeError(f"{type(told).__name__} where {shape.__name__} belongs")
        return told

    return same


def optional(inner: tuple[Any, ...]) -> Any:
    [kind] = (each for each in inner if each is not type(None))
    return kind


@cache
def fields_of(shape: type) -> dict[str, Any]:
    """The fields of a dataclass, with their types."""
    return get_type_hints(shape)


def packed_bytes(data: bytes, story: bytes) -> list[Any]:
    """Whether it is kept as the difference (memory is, the stack is not), and what is kept."""
    other = difference(data, story)
    differs = other.count(0) > data.count(0)
    return [differs, base64.b64encode(zlib.compress(other if differs else data, LEVEL)).decode()]


def unpacked_bytes(told: Any, story: bytes) -> bytes:
    differs, text = told
    data = zlib.decompress(base64.b64decode(text, validate=True))
    return difference(data, story) if differs else data


def difference(data: bytes, story: bytes) -> bytes:
    """The bytes in which two differ, as a third; twice gives the first again."""
    other = story[: len(data)].ljust(len(data), b"\0")
    return (int.from_bytes(data, "big") ^ int.from_bytes(other, "big")).to_bytes(len(data), "big")
