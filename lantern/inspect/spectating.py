"""Shows a session that others play, or that is recorded, until the user leaves."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from lantern.play.session_requests import ask_pace
from lantern.play.watching import SessionView, check_not_deleted, explain_silence, shown
from lantern.views.live.live_view import LiveView
from mesh.errors import FailureError
from mesh.record.bus import Bus
from mesh.record.following import follow, walk
from schemas.game import SessionPace


async def is_played(session: str, bus: Bus) -> bool:
    """Whether a game service plays the session, so that its record grows."""
    try:
        await ask_pace(session, bus)
    except FailureError:  # it has ended, or no game service is live
        return False
    return True


async def spectate(
    session: str, bus: Bus, view: SessionView, stopping: asyncio.Event, patience: float
) -> None:
    """Show a session as it is played, from its beginning; on a terminal stay after its end, until `stopping`.

    Whoever leaves lets a session go on that was paused here.

    Raises:
        FailureError: the record is gone, or its server.
    """
    asked: list[SessionPace] = []

    async with asyncio.TaskGroup() as tasks, shown(view, session, bus, stopping, tasks, asked.append):
        await _unless_stopped(stopping, _follow(session, bus, view, patience))
        if isinstance(view, LiveView) and not stopping.is_set():
            view.go_through_record()
            await stopping.wait()
    if asked and asked[-1].hold_after is not None:
        with suppress(FailureError):  # it has ended
            await ask_pace(session, bus, SessionPace(delay=asked[-1].delay))


async def show_record(session: str, bus: Bus, view: SessionView, stopping: asyncio.Event) -> None:
    """Show a session that nobody plays; on a terminal until `stopping`."""
    async with asyncio.TaskGroup() as tasks, shown(view, session, bus, stopping, tasks):
        await _unless_stopped(stopping, _read(session, bus, view))
        if isinstance(view, LiveView):
            await stopping.wait()


async def _follow(session: str, bus: Bus, view: SessionView, patience: float) -> None:
    with suppress(FailureError):  # the game is not live: said as soon as it matters
        view.show_pace(await ask_pace(session, bus))
    async for envelope in follow(bus.reader, session, view.kinds):
        if envelope is None:
            await explain_silence(session, bus, view, patience)
        else:
            check_not_deleted(envelope)
            view.show_message(envelope)


async def _read(session: str, bus: Bus, view: SessionView) -> None:
    async for moment in walk(bus.reader, session):
        for envelope in moment.messages:
            view.show_message(envelope)
        await asyncio.sleep(0)  # a long record does not keep keys waiting


async def _unless_stopped(stopping: asyncio.Event, work: Coroutine[Any, Any, None]) -> None:
    working, stopped = asyncio.ensure_future(work), asyncio.ensure_future(stopping.wait())
    try:
        await asyncio.wait((working, stopped), return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopped.cancel()
        working.cancel()
    with suppress(asyncio.CancelledError):
        await working
