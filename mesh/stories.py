"""Story files on the bus: put there by who starts a session, fetched by whichever game service plays it.

So a session can resume on another machine, and the user's path means nothing to anybody else.
"""

from __future__ import annotations

import hashlib

from nats.js.errors import APIError, NotFoundError
from nats.js.object_store import ObjectStore

from mesh.bus import Bus
from mesh.errors import SessionRefused

BUCKET = "LANTERN_STORIES"


async def put(bus: Bus, data: bytes) -> str:
    """Keep a story under its MD5 (which is returned); harmless to repeat."""
    md5 = hashlib.md5(data, usedforsecurity=False).hexdigest()
    store = await _store(bus)
    try:
        await store.get_info(md5)
    except NotFoundError:
        await store.put(md5, data)
    return md5


async def get(bus: Bus, md5: str) -> bytes:
    """The story of that MD5.

    Raises:
        SessionRefused: it was never put there.
    """
    try:
        found = await (await _store(bus)).get(md5)
    except NotFoundError as error:
        raise SessionRefused(
            f"The story {md5} is not in the story store. Start the session from its file again."
        ) from error
    return found.data or b""


async def _store(bus: Bus) -> ObjectStore:
    try:
        return await bus.js.object_store(BUCKET)
    except (NotFoundError, APIError):
        return await bus.js.create_object_store(BUCKET)
