"""Watches a session while it is played, to its end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from contextlib import asynccontextmanager, suppress
from typing import Protocol

from lantern.play.services import SERVICES
from lantern.play.session_requests import RETURN, ask_pace, stop_session
from lantern.play.summary import Summary, is_uncounted
from lantern.standard_streams import OutputFailed
from mesh.errors import MAKE_ROOM, STORES_NOTHING, BusUnreachable, FailureError
from mesh.nats.reconnecting_client import SERVER_GONE
from mesh.observability.liveness import who_serves
from mesh.record.bus import Bus
from mesh.record.following import follow
from mesh.runner.dead_letters import StoredDeadLetter, every
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.game import EndReason, SessionEnded, SessionPace

OPENING_ASKED, OPENING_EVERY = 100, 0.05
"""How often, and how many seconds apart, one asks for the opening of a session that is to be ended."""

SetPace = Callable[[SessionPace], None]


class RecordLost(FailureError):
    """The stream was deleted under a session."""

    def __init__(self, session: str) -> None:
        super().__init__(
            f"The record of the session {session!r} is gone: the session was deleted, or its stream on the "
            "NATS server. Play a new session."
        )


class SessionDeleted(FailureError):
    """`lantern sessions delete --force` has ended a session that was played."""

    def __init__(self, session: str) -> None:
        super().__init__(f"The session {session!r} was deleted while it was played. Play a new session.")


class StoreFull(FailureError):
    """The NATS server has no room for the messages of a session that is played."""

    def __init__(self, session: str) -> None:
        super().__init__(
            f"{STORES_NOTHING}. What it has acknowledged is kept. {MAKE_ROOM} "
            f"Then `lantern resume {session}`."
        )


class SessionStuckError(FailureError):
    """A service without which nothing moves has given up on a message."""

    def __init__(self, letter: StoredDeadLetter) -> None:
        super().__init__(
            f"The {letter.service} gave up on {letter.subject}: {letter.letter.error}. "
            f"See `lantern dead-letters show {letter.number}`."
        )


class SessionView(Protocol):
    """Shows a session while it is played."""

    kinds: Collection[Kind]
    """The kinds of messages that it shows."""

    async def run(self, stopping: asyncio.Event, set_pace: SetPace) -> None:
        """Draw, and read what the user types, until cancelled; then leave the terminal as it was.

        The user may ask for the end, which sets `stopping`, and for another pace of the session.
        """

    def show_message(self, envelope: Envelope) -> None:
        """A message of the session has come."""

    def show_waiting(self, absent: Iterable[str]) -> None:
        """Nothing has come for a while; these services are not live."""

    def show_outage(self, seconds: float) -> None:
        """The NATS server is away; it is waited for so many seconds more."""

    def show_pace(self, pace: SessionPace) -> None:
        """The pace at which the session is played now."""

    def show_notice(self, notice: str) -> None:
        """Something that the user should know."""

    def show_stopping(self) -> None:
        """The session is about to end, as the user wanted."""


async def watch(
    session: str, bus: Bus, view: SessionView, stopping: asyncio.Event, patience: float, after: int = 0
) -> None:
    """Show a session until it has ended; `stopping` ends it.

    `patience`: seconds that a server which has gone away is waited for. `after`: only what the stream keeps
    after that sequence number.

    Raises:
        FailureError: it cannot go on.
        SessionDeleted: somebody deletes it.
        OutputFailed: the view cannot print any more; the session has been ended.
    """
    unwritten: OutputFailed | None = None
    async with asyncio.TaskGroup() as tasks, shown(view, session, bus, stopping, tasks):
        stopper = tasks.create_task(_stop_when(stopping, session, bus, view))
        async for envelope in follow(bus.reader, session, view.kinds, after):
            try:
                if envelope is not None:
                    check_not_deleted(envelope)
                    view.show_message(envelope)
                elif await explain_silence(session, bus, view, patience):
                    await _check_stuck(session, bus, after)
            except StoreFull:
                with suppress(FailureError):  # its end is not stored either; but it does not go on by itself
                    await stop_session(session, bus)
                raise
            except OutputFailed as error:
                unwritten = error
                stopper.cancel()  # it would say what nobody asked for
                tasks.create_task(_stop(session, bus))
        stopper.cancel()
    if unwritten is not None:
        raise unwritten


def check_not_deleted(envelope: Envelope) -> None:
    """Raises SessionDeleted if a message ends its session because it is being deleted."""
    if isinstance(envelope.body, SessionEnded) and envelope.body.reason is EndReason.DELETED:
        raise SessionDeleted(envelope.session)


async def recorded_summary(session: str, bus: Bus) -> Summary:
    """The summary of a session from its whole record: what was said after its end belongs to it too."""
    summary = Summary(session, bus.cell.name)
    async for envelope in bus.reader.messages(session, is_uncounted):
        summary.after(envelope)
    return summary


@asynccontextmanager
async def shown(
    view: SessionView,
    session: str,
    bus: Bus,
    stopping: asyncio.Event,
    tasks: asyncio.TaskGroup,
    on_pace: SetPace = lambda pace: None,
) -> AsyncIterator[None]:
    """Within the block, the view draws, and paces that its user asks for are set, and told to `on_pace`."""
    paces: asyncio.Queue[SessionPace] = asyncio.Queue()

    def set_pace(pace: SessionPace) -> None:
        paces.put_nowait(pace)
        on_pace(pace)

    unwritten: list[OutputFailed] = []

    async def run() -> None:
        try:
            await view.run(stopping, set_pace)
        except OutputFailed as error:  # the session ends in order first
            unwritten.append(error)
            stopping.set()

    chores = [
        tasks.create_task(run()),
        tasks.create_task(_set_paces(paces, session, bus, view)),
    ]
    try:
        yield
    finally:
        for chore in chores:
            chore.cancel()
    if unwritten:
        raise unwritten[0]


async def _set_paces(paces: asyncio.Queue[SessionPace], session: str, bus: Bus, view: SessionView) -> None:
    while True:
        pace = await paces.get()
        while not paces.empty():
            pace = paces.get_nowait()
        try:
            await ask_pace(session, bus, pace)
        except FailureError as error:
            view.show_notice(str(error))


async def explain_silence(session: str, bus: Bus, view: SessionView, patience: float) -> bool:
    """Nothing has come for a while: say why, as far as it is known. True: it may be stuck.

    Raises:
        BusUnreachable: the NATS server has been gone for longer than `patience` seconds.
        RecordLost: the session is gone.
        StoreFull: the server stores nothing.
    """
    if (away := bus.cell.events.away()) > 0:
        if away >= patience:
            raise BusUnreachable(SERVER_GONE)
        view.show_outage(patience - away)
        return False
    started = await bus.reader.started(session)
    if started is None:
        raise RecordLost(session)
    if bus.cell.events.time_since_outage() < RETURN:
        return False
    with suppress(FailureError):  # the game is not live: that is said below
        pace = await ask_pace(session, bus)
        view.show_pace(pace)
        if pace.hold_after is not None:
            return False
    live = await who_serves(bus.cell)
    if any(STORES_NOTHING in alive.problems for alive in live):
        raise StoreFull(session)
    view.show_waiting(SERVICES.keys() - {alive.name for alive in live}.union(started.without))
    return True


async def _check_stuck(session: str, bus: Bus, after: int) -> None:
    """Raises SessionStuckError if the actor or the game has now given up on a message of the session."""
    async for letter in every(bus.cell, session):
        if letter.number > after and letter.service in ("actor", "game") and letter.is_message:
            await stop_session(session, bus)
            raise SessionStuckError(letter)


async def _stop_when(stopping: asyncio.Event, session: str, bus: Bus, view: SessionView) -> None:
    await stopping.wait()
    view.show_stopping()
    await _stop(session, bus)


async def _stop(session: str, bus: Bus) -> None:
    """End a session; one that has just begun, after its opening."""
    for _ in range(OPENING_ASKED):
        if await bus.reader.newest(session, Kind.STEP) is not None:
            break
        await asyncio.sleep(OPENING_EVERY)
    await stop_session(session, bus)
