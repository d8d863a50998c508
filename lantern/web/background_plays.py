"""Sessions that are played in processes of their own, because somebody wanted to on the page."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process

from lantern.inspect.forking import ForkOptions
from lantern.play.session_options import PlayOptions
from mesh.child_process import child_environment, send_signal
from mesh.errors import FailureError
from mesh.record.bus import Bus
from mesh.settings import MeshSettings

BEGINS_WITHIN = 60.0
"""Seconds in which a session must be played."""

ENDS_WITHIN = 20.0
"""Seconds that a play may take to end its session."""

MOST = 8
"""Plays at once."""


class NotBegun(FailureError):
    """A play has ended before its session began."""


class BackgroundPlays:
    """The processes of this page; all of them end with it."""

    def __init__(self, settings: MeshSettings) -> None:
        self._settings = settings
        self._plays: set[Process] = set()
        self._silence, self._writer = os.pipe()
        """Their standard input, which never ends: a session that is played by hand would end with it."""

    async def fork(self, bus: Bus, options: ForkOptions) -> None:
        """Play a fork on; its services take requests when this returns.

        Raises:
            NotBegun: it cannot be played.
        """
        given = {"--steps": options.steps, "--policy": options.policy, "--action": options.action}
        more = [word for name, value in given.items() if value is not None for word in (name, str(value))]
        await self._begin(bus, options.session, "fork", options.parent, "--at", str(options.at), *more)

    async def play(self, bus: Bus, options: PlayOptions) -> None:
        """Play a new session; its services take requests when this returns.

        Raises:
            NotBegun: it cannot be played.
        """
        given = {"--steps": options.steps, "--policy": options.policy, "--seed": options.seed}
        more = [word for name, value in given.items() for word in (name, str(value))]
        await self._begin(bus, options.session, "play", options.story, "--cell", options.cell, *more)

    async def _begin(self, bus: Bus, session: str, *words: str) -> None:
        self._plays = {each for each in self._plays if each.returncode is None}
        if len(self._plays) >= MOST:
            raise NotBegun(f"{MOST} sessions are played on from here already. Wait until one has ended.")
        process = await self._start(*words, "--session", session)
        self._plays.add(process)
        ending = asyncio.ensure_future(process.communicate())
        async with asyncio.timeout(BEGINS_WITHIN):
            while not (process.returncode == 0 or await bus.reader.is_begun(session)):
                await asyncio.wait((ending,), timeout=0.1)
                if process.returncode:
                    raise NotBegun(_last_line((await ending)[1]))

    async def close(self) -> None:
        """End all of them after the step under way."""
        os.close(self._silence)
        running = [each for each in self._plays if each.returncode is None]
        for process in running:
            send_signal(process.pid, signal.SIGTERM)
        try:
            async with asyncio.timeout(ENDS_WITHIN):
                await asyncio.gather(*(process.wait() for process in running))
        except TimeoutError:
            for process in running:
                if process.returncode is None:
                    send_signal(process.pid, signal.SIGKILL)
        os.close(self._writer)

    async def _start(self, *words: str) -> Process:
        nats = ["--nats", self._settings.nats_url] if self._settings.nats_url else []
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "lantern.cli", *words, "--json", *nats),
            env={**os.environ, **child_environment()},
            stdin=self._silence,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=PIPE,
            start_new_session=True,
        )


def _last_line(told: bytes) -> str:
    lines = told.decode(errors="replace").strip().splitlines()
    return lines[-1].removeprefix("lantern: ") if lines else "It has ended before it began. See its log."
