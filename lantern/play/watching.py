"""Watches a session while it is played, to its end."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable
from typing import Protocol

from lantern.play.services import SERVICES
from lantern.play.session_requests import RETURN, stop_session
from lantern.play.summary import Summary
from mesh.errors import BusUnreachable, FailureError
from mesh.nats.reconnecting_client import SERVER_GONE
from mesh.observability.liveness import who_serves
from mesh.record.bus import Bus
from mesh.record.following import follow
from mesh.runner.dead_letters import StoredDeadLetter, every
from schemas.base import Kind
from schemas.envelope import Envelope


class RecordLost(FailureError):
    """The stream was deleted under a session."""

    def __init__(self, session: str) -> None:
        super().__init__(
            f"The record of the session {session!r} is gone: its stream was deleted on the NATS server. "
            "Play a new session."
        )


class SessionStuckError(FailureError):
    """A service without which nothing moves has given up on a message."""

    def __init__(self, letter: StoredDeadLetter) -> None:
        super().__init__(
            f"The {letter.service} gave up on {letter.subject}: {letter.letter.error}. "
            f"See `lantern dead-letters show {letter.number}`."
        )


class Watcher(Protocol):
    """Shows a session while it is played (for as long as its block lasts)."""

    kinds: Collection[Kind]
    """What it wants to see."""

    def __enter__(self) -> Watcher:
        """Begin to show."""

    def __exit__(self, *error: object) -> None:
        """Leave the screen as it should be."""

    def saw(self, envelope: Envelope) -> None:
        """A message of the session has come."""

    def quiet(self, absent: Iterable[str]) -> None:
        """Nothing has come for a while; these services are not live."""

    def away(self, seconds: float) -> None:
        """The NATS server is away; it is waited for so many seconds more."""


async def watch(
    session: str, bus: Bus, watcher: Watcher, stopping: asyncio.Event, patience: float, after: int = 0
) -> None:
    """Show a session to a watcher until it has ended; `stopping` ends it.

    `patience`: seconds that a server which has gone away is waited for. `after`: only what the stream keeps
    after that sequence number.

    Raises:
        FailureError: it cannot go on.
    """
    async with asyncio.TaskGroup() as tasks:
        stopper = tasks.create_task(_stop_when(stopping, session, bus))
        async for envelope in follow(bus.reader, session, watcher.kinds, after):
            if envelope is None:
                await _look_why(session, bus, watcher, patience, after)
            else:
                watcher.saw(envelope)
        stopper.cancel()


async def recorded_summary(session: str, bus: Bus) -> Summary:
    """The summary of a session from its whole record: what was said after its end belongs to it too."""
    summary = Summary(session, bus.cell.name)
    async for envelope in bus.reader.messages(session):
        summary.after(envelope)
    return summary


async def _look_why(session: str, bus: Bus, watcher: Watcher, patience: float, after: int) -> None:
    """Nothing has come for a while: say who is absent, or that nothing more will come.

    Raises:
        BusUnreachable: the NATS server has been gone for longer than `patience` seconds.
        RecordLost: the session is gone.
        SessionStuckError: the actor or the game has given up on a message of the session, this time.
    """
    if (away := bus.cell.events.away()) > 0:
        if away >= patience:
            raise BusUnreachable(SERVER_GONE)
        watcher.away(patience - away)
        return
    if await bus.reader.started(session) is None:
        raise RecordLost(session)
    if bus.cell.events.time_since_outage() < RETURN:
        return
    watcher.quiet(SERVICES.keys() - {alive.name for alive in await who_serves(bus.cell)})
    async for letter in every(bus.cell, session):
        if letter.number > after and letter.service in ("actor", "game") and letter.is_message:
            await stop_session(session, bus)
            raise SessionStuckError(letter)


async def _stop_when(stopping: asyncio.Event, session: str, bus: Bus) -> None:
    await stopping.wait()
    await stop_session(session, bus)
