"""Reads no more of a response than a reply can be, whatever a server sends."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2

MAX_RESPONSE_BYTES = 200_000
"""Bytes of a response that are read; a longer one is refused."""

UNCOMPRESSED = {"accept-encoding": "identity"}
"""The headers with which a client asks for what `bound` accepts."""


class ResponseRefused(Exception):
    """The response is not what was asked for; the message says why."""


async def bound(response: httpx2.Response) -> None:
    """A response hook of the client: it limits the bytes that are read, also of an error.

    A compressed response is refused unread: a few bytes of it may stand for a gigabyte.

    Raises:
        ResponseRefused: the response is compressed. Reading its body raises the same if it is too long.
    """
    encoding = response.headers.get("content-encoding", "identity")
    if encoding.strip().lower() != "identity":
        raise ResponseRefused(f"it is compressed ({encoding[:40]}), which was not asked for")
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    response.stream = _BoundedStream(response.stream)


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = 0
        async for chunk in self._stream:
            read += len(chunk)
            if read > MAX_RESPONSE_BYTES:
                raise ResponseRefused(f"it is too long: more than {MAX_RESPONSE_BYTES:,} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()
