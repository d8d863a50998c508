"""The two pipes to a child, on the event loop: one line there, one line back.

Not asyncio's streams: they cost several times as much for each exchange.
"""

from __future__ import annotations

import asyncio
import os
from typing import IO

CHUNK = 1 << 16
"""Bytes read at a time: what a pipe holds."""


class Pipes:
    """One exchange at a time, all on one event loop."""

    def __init__(self, requests: IO[bytes], answers: IO[bytes]) -> None:
        self._requests, self._answers = requests, answers
        self._loop: asyncio.AbstractEventLoop | None = None
        self._unsent = memoryview(b"")
        self._come: list[bytes] = []
        self._line: asyncio.Future[bytes] | None = None
        self._ended = False
        for pipe in (requests, answers):
            os.set_blocking(pipe.fileno(), False)

    async def exchange(self, request: bytes, patience: float) -> bytes:
        """The answer's line; empty where the child has ended.

        Raises TimeoutError after so many seconds; the pipes are then good for nothing.
        """
        if self._ended:
            return b""
        loop = self._joined()
        self._line = loop.create_future()
        limit = loop.call_later(patience, self._give_up, self._line)
        try:
            self._unsent = memoryview(request)
            if not self._sent():
                loop.add_writer(self._requests, self._send_rest)
            return await self._line
        finally:
            limit.cancel()

    def close(self) -> None:
        """May be called twice."""
        self._end()
        if self._loop is not None:
            self._loop.remove_writer(self._requests)
        self._requests.close()
        self._answers.close()

    def _joined(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            self._loop.add_reader(self._answers, self._read)
        return self._loop

    def _sent(self) -> bool:
        """Write what the pipe takes now; whether that was all."""
        try:
            self._unsent = self._unsent[os.write(self._requests.fileno(), self._unsent) :]
        except BlockingIOError:
            return False
        except ConnectionError:
            return True  # what the child may still have said is read, and then its end
        return not self._unsent

    def _send_rest(self) -> None:
        if self._sent() and self._loop is not None:
            self._loop.remove_writer(self._requests)

    def _read(self) -> None:
        try:
            come = os.read(self._answers.fileno(), CHUNK)
        except BlockingIOError:
            return
        self._come.append(come)
        if not come:
            self._end()
        elif come.endswith(b"\n"):
            line, self._come = b"".join(self._come), []
            self._settle(line)

    def _end(self) -> None:
        if self._loop is not None and not self._ended:
            self._loop.remove_reader(self._answers)
        self._ended = True
        self._settle(b"")

    def _settle(self, line: bytes) -> None:
        if self._line is not None and not self._line.done():
            self._line.set_result(line)

    def _give_up(self, line: asyncio.Future[bytes]) -> None:
        if not line.done():
            line.set_exception(TimeoutError())
