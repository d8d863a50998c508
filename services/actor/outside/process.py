"""The process of an agent from outside: one text there, one line back, each within a time limit."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from mesh import child_process
from mesh.printable import one_line
from mesh.waiting import at_most

LINE_BYTES = 65_536
"""The most bytes that an agent may print for one answer."""

COMPLAINT_BYTES = 2_048
"""How much of the end of its standard error is kept."""

GRACE = 1.0
"""Seconds that an agent gets to end by itself when its standard input has ended."""


class AgentFault(Exception):
    """The agent cannot go on; the message says what it did, and the mend."""


class AgentProcess:
    """A running agent, in a process group of its own. After an `AgentFault` it is good for nothing."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin and process.stdout and process.stderr
        self._process, self._to, self._from = process, process.stdin, process.stdout
        self._come = b""
        self._complaint = b""
        self._complaints = asyncio.create_task(self._read_complaints(process.stderr))

    @classmethod
    async def start(cls, command: Sequence[str], seed: int) -> AgentProcess:
        """Start a command; the kernel kills it when this process ends.

        It gets this process's environment without Lantern's own settings (a login is none of its business),
        and its seed as AGENT_SEED.
        """
        environment = {name: value for name, value in os.environ.items() if not name.startswith("LANTERN_")}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", child_process.__file__, str(os.getpid()), *command),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
            env=environment | {"AGENT_SEED": str(seed)},
        )
        return cls(process)

    async def ask(self, text: bytes, seconds: float) -> bytes:
        """The line that the agent answers.

        Raises:
            AgentFault: it does not answer with one line within the time limit.
        """
        try:
            async with asyncio.timeout(seconds):
                await self._check_silent()
                self._to.write(text)
                with suppress(ConnectionError):  # whether it has ended is seen where its answer is read
                    await self._to.drain()
                return await self._line()
        except TimeoutError:
            raise AgentFault(self._silence(seconds)) from None

    async def close(self, grace: float = GRACE) -> None:
        """End the agent and every process of its group; it may end by itself within `grace` seconds."""
        self._to.close()
        if grace:
            await at_most(grace, self._process.wait())
        self.kill()
        await at_most(GRACE, self._all_read())
        await asyncio.wait({self._complaints}, timeout=GRACE)
        self._complaints.cancel()

    async def _all_read(self) -> None:
        """Read what nobody has asked for: asyncio's `wait` returns only when all pipes have ended, and one
        that is full of unread bytes never does (https://github.com/python/cpython/issues/119710).
        """
        while await self._from.read(LINE_BYTES):
            pass
        await self._process.wait()

    def kill(self) -> None:
        """Kill the whole process group at once."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    async def _check_silent(self) -> None:
        """What it has printed without being asked would be taken for its next answer."""
        with suppress(TimeoutError):
            async with asyncio.timeout(0):
                if await self._from.read(LINE_BYTES):
                    raise AgentFault(f"it printed more than one line after the step before. {_ONE_LINE}")

    async def _line(self) -> bytes:
        while b"\n" not in self._come:
            if len(self._come) > LINE_BYTES:
                what = f"it printed more than {LINE_BYTES:,} bytes without ending a line"
                raise AgentFault(f"{what}. {_ONE_LINE}")
            if not (come := await self._from.read(LINE_BYTES)):
                raise AgentFault(await self._ended())
            self._come += come
        line, _, more = self._come.partition(b"\n")
        if more:
            raise AgentFault(f"it printed more than one line. {_ONE_LINE}")
        self._come = b""
        return line

    def _silence(self, seconds: float) -> str:
        printed = "its line never ended" if self._come else "it printed nothing"
        return (
            f"it did not answer within {seconds:g} s: {printed}. End the line, flush it, "
            "or allow more time with LANTERN_ACTOR_AGENT_TIMEOUT"
        )

    async def _ended(self) -> str:
        await self._process.wait()
        await asyncio.wait({self._complaints}, timeout=GRACE)
        complaints = self._complaint.decode(errors="replace").strip().splitlines()
        why = f" ({one_line(complaints[-1].strip())[:200]})" if complaints else ""
        code = self._process.returncode or 0
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        return f"it {how}{why}. Correct it: it must answer until its standard input ends"

    async def _read_complaints(self, errors: asyncio.StreamReader) -> None:
        while come := await errors.read(LINE_BYTES):
            self._complaint = (self._complaint + come)[-COMPLAINT_BYTES:]


_ONE_LINE = "Print one line for each text, and everything else to standard error"

CLASS_HOST = str(Path(__file__).with_name("class_host.py"))
"""The program that runs a class of the user's."""
