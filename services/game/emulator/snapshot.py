"""A snapshot: a saved game as text, and back. The text holds data only, never code."""

from __future__ import annotations

import base64
import binascii
import zlib
from dataclasses import replace
from hashlib import blake2b, md5

from msgspec import MsgspecError, msgpack

from services.game.emulator.interpreter.game import Position, SavedGame
from services.game.emulator.protocol import SnapshotRefused

FORMAT = "lantern-snapshot/2"
LEVEL = 1
"""Of compression. Level 3 makes the text 3 % shorter, no more."""


def packed(saved: SavedGame, story: bytes) -> str:
    """Four parts with blanks between: format, the story's MD5, a digest, and the data."""
    encoded = msgpack.encode(with_memory_xored(saved, story))
    data = base64.b64encode(zlib.compress(encoded, LEVEL)).decode()
    return f"{head_of(story)} {digest_of(data)} {data}"


def unpacked(text: str, story: bytes) -> SavedGame:
    """The saved game from which `packed` made the text, for this story.

    Raises SnapshotRefused.
    """
    head = head_of(story)
    if not text.startswith(head + " "):
        raise SnapshotRefused(f"it does not begin with {head}")
    digest, _, data = text[len(head) + 1 :].partition(" ")
    if digest != digest_of(data):
        raise SnapshotRefused("its digest does not match its data")
    try:
        encoded = zlib.decompress(base64.b64decode(data, validate=True))
        return with_memory_xored(msgpack.decode(encoded, type=SavedGame), story)
    except (MsgspecError, zlib.error, binascii.Error) as error:
        raise SnapshotRefused(f"its data is not a saved game ({error})") from error


def head_of(story: bytes) -> str:
    return f"{FORMAT} {md5(story, usedforsecurity=False).hexdigest()}"


def digest_of(data: str) -> str:
    return blake2b(data.encode(), digest_size=16).hexdigest()


def with_memory_xored(saved: SavedGame, story: bytes) -> SavedGame:
    """Each memory as its difference from the story, mostly zeros; applied twice, the saved game again."""

    def xored(position: Position) -> Position:
        ram = difference(position.state.ram, story)
        return replace(position, state=replace(position.state, ram=ram))

    return SavedGame(
        now=xored(saved.now),
        saved=xored(saved.saved) if saved.saved else None,
        before=xored(saved.before) if saved.before else None,
        world=saved.world,
    )


def difference(data: bytes, story: bytes) -> bytes:
    """The bytes XORed with the story's, which is padded with zeros or cut to their length."""
    other = story[: len(data)].ljust(len(data), b"\0")
    return (int.from_bytes(data, "big") ^ int.from_bytes(other, "big")).to_bytes(len(data), "big")
