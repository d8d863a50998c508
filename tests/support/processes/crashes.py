"""Cells whose services a test may kill, stop and start again in milliseconds, and their sessions."""

from __future__ import annotations

import asyncio
import itertools
import signal
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lantern.nats.connection import connection
from lantern.play.services import SERVICES
from lantern.play.story_files import load_story
from mesh.errors import NobodyAnswers
from mesh.nats.subjects import record_of
from mesh.record import stories
from mesh.record.batches import raw_messages
from mesh.record.bus import Bus
from mesh.record.following import follow
from mesh.runner import dead_letters
from schemas.base import Kind, Message
from schemas.envelope import Envelope
from schemas.experience import StoryExperience
from schemas.game import SessionAnswer, StartSession
from tests.support.processes.awaits import Point
from tests.support.processes.command import REPEATABLE
from tests.support.processes.forked import Process, Zygote, first

DEADLY = f"{Path(__file__).with_name('deadly.py')}:Deadly"
NEWER = f"{Path(__file__).with_name('newer.py')}:Newer"
PATIENT: Mapping[str, Any] = {"heartbeat": 0.2, "ack_wait": 0.5, "dead_after": 600, "drain": 30}
"""Settings with which no deadline passes: what is lost comes again by redelivery alone."""
ENV = {
    **REPEATABLE,
    "LANTERN_ACTOR_DEADLINE": "600",
    "LANTERN_GAME_VERDICT_DEADLINE": "600",
    "LANTERN_GAME_SPARES": "0",
}
OFTEN = (0.02,) * 100
"""Retries without end: a message in hand at each of many kills is no poison."""


@dataclass(slots=True)
class Cell:
    """One test's services and its sessions."""

    zygote: Zygote
    bus: Bus
    url: str
    home: Path
    settings: dict[str, Any] = field(default_factory=lambda: {**PATIENT, "retry_delays": OFTEN})
    env: dict[str, str] = field(default_factory=lambda: dict(ENV))

    async def run(
        self,
        *services: str,
        watch: bool = False,
        at: Point | None = None,
        past: Iterable[Point] | None = None,
        signal: signal.Signals = signal.SIGKILL,
        armed: bool = True,
        nth: int = 1,
        version: str | None = None,
    ) -> Process:
        """Fork a process with services.

        `watch`: its await points are told; `at`: where it gets `signal`; `past`: it gets it at the first
        await point that is none of these; `armed`: at once, and not only after SIGUSR1; `nth`: not before it
        has come to `at` so many times; `version`: what it says it is.
        """
        order = {
            "services": services,
            "url": self.url,
            "cell": self.bus.cell.name,
            "home": str(self.home),
            "log": str(self.home / f"{'-'.join(Path(name).stem for name in services)}.log"),
            "settings": self.settings,
            "env": self.env,
            "watch": watch,
            "at": [at.where, at.side] if at else None,
            "past": None if past is None else [[point.where, point.side] for point in past],
            "signal": signal,
            "armed": armed,
            "nth": nth,
            "version": version,
        }
        process = self.zygote.fork(order)
        await process.forked.wait()
        return process

    async def ready(self, *services: str, **told: Any) -> Process:
        """The same, ready."""
        process = await self.run(*services, **told)
        await first(process.ready, process.ended)
        assert process.code is None, process.log()
        return process

    async def start(
        self,
        session: str = "s1",
        *,
        steps: int,
        valid_actions: bool = False,
        experience: StoryExperience | None = None,
    ) -> None:
        """Ask for a session until it is granted: who is asked may be killed meanwhile."""
        md5 = await stories.put(self.bus.cell, load_story("bundled").data)
        wish = StartSession(
            session=session,
            game="kelder.z5",
            story_md5=md5,
            policy="heuristic",
            seed=1,
            steps=steps,
            valid_actions=valid_actions,
            experience=experience,
        )
        while await self.bus.reader.started(session) is None:
            try:
                await self.bus.requests.ask("game", "start", wish, SessionAnswer, session=session, timeout=2)
            except NobodyAnswers:
                await asyncio.sleep(0.02)

    async def ended(self, session: str = "s1", seconds: float = 600) -> None:
        """Wait for a session's end."""
        async with asyncio.timeout(seconds):
            async for _ in follow(self.bus.reader, session, ()):
                pass

    async def reached(self, step: int, session: str = "s1") -> None:
        """Wait until the step is in the record."""
        async with asyncio.timeout(300):
            while (last := await self.bus.reader.last_step(session)) is None or last.step < step:
                await asyncio.sleep(0.01)

    async def envelopes(self, session: str = "s1") -> list[Envelope]:
        """Everything that was said in a session, in the record's order."""
        return [envelope async for envelope in self.bus.reader.messages(session)]

    async def told(self, session: str = "s1") -> dict[tuple[Kind, int, str], Message]:
        """Everything that was said in a session: by kind, step and service."""
        return {
            (envelope.kind, envelope.step, envelope.service.name): envelope.body
            for envelope in await self.envelopes(session)
        }


async def said(cell: Cell, calm: Calm) -> None:
    """Wait for a session's end, and for what is said of it, which nothing else waits for."""
    await cell.ended()
    async with asyncio.timeout(120):
        while len(await cell.told()) < len(calm.told):
            await asyncio.sleep(0.05)


@dataclass
class Supervised:
    """A service that is started again whenever it has died."""

    cell: Cell
    name: str
    dies: bool = False
    """Each life ends at the first await point at which none has ended yet; or by SIGTERM, soon."""
    deaths: list[Point] = field(default_factory=list)
    lives: int = 0
    process: Process | None = None
    _leaving: bool = False

    async def enter(self, cell: Cell, **order: Any) -> Process:
        """A first life in a cell, in which nothing happens to it but what is ordered (see `Cell.run`)."""
        self.cell, self._leaving = cell, False
        self.process = await cell.ready(self.name, **order)
        return self.process

    async def keep(self) -> None:
        """Start it again whenever it has ended, until `leave`."""
        process = self.process
        assert process is not None
        await process.ended.wait()
        while not self._leaving:
            self.process = process = await self.cell.run(self.name, past=self.deaths if self.dies else None)
            self.lives += 1
            if self._leaving:
                process.terminate()
            ending = asyncio.ensure_future(self._end(process))
            await process.ended.wait()
            ending.cancel()
            assert process.code in (0, -signal.SIGKILL, -signal.SIGTERM), process.log()
            if process.fired_at is not None:
                self.deaths.append(process.fired_at)

    async def leave(self, keeping: asyncio.Task[None]) -> None:
        """The last life is ended as a user would end it."""
        self._leaving = True
        if self.process is not None:
            self.process.terminate()
        await keeping

    async def _end(self, process: Process) -> None:
        """Have it leave after some steps, lest a life go on in which there is nothing new."""
        if self.dies:
            await process.ready.wait()
            last = await self.cell.bus.reader.last_step("s1")
            await self.cell.reached(last.step + 2 if last else 1)
            process.terminate()


@dataclass(slots=True)
class Cells:
    """New cells on one server, for as long as a test lasts."""

    zygote: Zygote
    url: str
    name: str
    home: Path
    stack: AsyncExitStack
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    async def new(self) -> Cell:
        """A cell in which nothing has happened yet."""
        name = f"{self.name}-{next(self._numbers)}"
        bus = await self.stack.enter_async_context(connection(self.url, name))
        return Cell(self.zygote, bus, self.url, self.home)


Told = dict[tuple[Kind, int, str], Message]


@dataclass(frozen=True, slots=True)
class Calm:
    """An undisturbed session, and the await points at which each service was."""

    steps: int
    told: Told
    points: dict[str, list[Point]]

    def publishing(self, service: str) -> Point:
        """Where a service has made up its mind, and nobody knows yet; however the message came to it."""
        return next(
            point.reaction
            for point in self.points[service]
            if point.side == "before" and point.publishes and point.reacts
        )


_calm: dict[int, Calm] = {}


async def undisturbed(cells: Cells, steps: int) -> Calm:
    """Played once, by a process for each service."""
    if steps not in _calm:
        cell = await cells.new()
        processes = [await cell.ready(name, watch=True) for name in SERVICES]
        await cell.start(steps=steps)
        await cell.ended()
        for process in processes:
            process.terminate()
            await process.ended.wait()
        points = {process.name: process.points for process in processes}
        _calm[steps] = Calm(steps, await cell.told(), points)
    return _calm[steps]


async def assert_nothing_is_lost_or_done_twice(cell: Cell, calm: Calm) -> None:
    told = await cell.told()
    stored = [held async for held in raw_messages(cell.bus.cell, record_of(cell.bus.cell.name, "s1"))]
    numbers = [step for kind, step, _ in told if kind is Kind.STEP]
    assert numbers == list(range(calm.steps + 1))
    other = {
        where: (body, calm.told.get(where)) for where, body in told.items() if calm.told.get(where) != body
    }
    assert other == {}, other
    assert told.keys() == calm.told.keys(), calm.told.keys() - told.keys()
    assert len(stored) == len(told)
    assert [letter async for letter in dead_letters.every(cell.bus.cell)] == []
