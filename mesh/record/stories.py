"""Stores story files in NATS: the command that starts a session puts them there, the game service gets them.

So a session can be resumed on another machine, and no service needs the user's path.
"""

from __future__ import annotations

import hashlib

from nats.js.errors import APIError, NotFoundError
from nats.js.object_store import ObjectStore

from mesh.errors import SessionRefused
from mesh.nats.cell import Cell

BUCKET = "LANTERN_STORIES"
STREAM = f"OBJ_{BUCKET}"
"""The JetStream stream behind the bucket."""


async def put(cell: Cell, data: bytes) -> str:
    """Store a story under its MD5, which is returned; repeating this is harmless."""
    md5 = hashlib.md5(data, usedforsecurity=False).hexdigest()
    store = await _store(cell)
    try:
        await store.get_info(md5)
    except NotFoundError:
        await store.put(md5, data)
    return md5


async def get(cell: Cell, md5: str, session: str) -> bytes:
    """The story of that MD5; `session`: the one that needs it, for the error.

    Raises:
        SessionRefused: the story is missing from the store, or damaged there.
    """
    try:
        info = await (await _store(cell)).get_info(md5)
        data = await _chunks(cell, f"$O.{BUCKET}.C.{info.nuid}", info.chunks or 0)
    except NotFoundError as error:
        raise SessionRefused(
            f"The story {md5} is not in the story store. "
            f"Put its file there: `lantern sessions verify {session} --story FILE`."
        ) from error
    if hashlib.md5(data, usedforsecurity=False).hexdigest() != md5:
        raise SessionRefused(
            f"The story {md5} is damaged in the story store. "
            f"Remove it there (`nats object rm {BUCKET} {md5}`), and put its file there again: "
            f"`lantern sessions verify {session} --story FILE`."
        )
    return data


async def provision(cell: Cell) -> None:
    """Create the story store if it is missing."""
    await _store(cell)


async def _chunks(cell: Cell, subject: str, number: int) -> bytes:
    """Read the chunks of a story in order (nats-py would create a consumer, which a game service may not)."""
    data, sequence = b"", 0
    for _ in range(number):
        raw = await cell.jsm.get_msg(STREAM, seq=sequence + 1, subject=subject, next=True)
        data, sequence = data + (raw.data or b""), raw.seq or 0
    return data


async def _store(cell: Cell) -> ObjectStore:
    try:
        return await cell.js.object_store(BUCKET)
    except (NotFoundError, APIError):
        return await cell.js.create_object_store(BUCKET)
