"""What the page asks about sessions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from lantern.web.api.answers import BadRequest, as_json, number_in
from lantern.web.api.export import exported
from lantern.web.api.session_list import SessionList
from lantern.web.feed.events import ALIVE, RETRY
from lantern.web.feed.feeds import Feeds
from lantern.web.feed.session_feed import SessionFeed
from lantern.web.feed.step_page import read_step_page

MOST_TEXTS = 300
"""Steps whose texts are given at once."""

QUIET = 15.0
"""Seconds without an event after which a sign of life is sent."""


class SessionPages:
    """Answers from the record."""

    def __init__(self, feeds: Feeds, listed: SessionList) -> None:
        self._feeds, self._listed = feeds, listed

    async def sessions(self, request: Request) -> Response:
        """All sessions."""
        return as_json({"sessions": await self._listed.sessions()})

    async def events(self, request: Request) -> Response:
        """A session as it grows, from the step of `Last-Event-ID` or `after` on, as server-sent events."""
        last = request.headers.get("last-event-id", "")
        after = int(last) if last.isdecimal() and len(last) < 10 else number_in(request, "after", 0)
        feed = await self._feeds.feed(request.path_params["session"])
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(_events(feed, after), media_type="text/event-stream", headers=headers)

    async def step(self, request: Request) -> Response:
        """Everything that was said about a step."""
        session = request.path_params["session"]
        bus = await self._feeds.bus_of(session)
        return as_json(await read_step_page(bus, session, request.path_params["step"]))

    async def texts(self, request: Request) -> Response:
        """The texts of the steps `first` to `last`."""
        session = request.path_params["session"]
        first, last = number_in(request, "first"), number_in(request, "last")
        if not first <= last < first + MOST_TEXTS:
            raise BadRequest(f"first and last must name 1 to {MOST_TEXTS} steps.")
        bus = await self._feeds.bus_of(session)
        steps = bus.reader.steps(session, first, last)
        return as_json({"texts": {str(step.step): step.observation async for step in steps}})

    async def export(self, request: Request) -> Response:
        """A session as one file that opens from disk."""
        session = request.path_params["session"]
        bus = await self._feeds.bus_of(session)
        headers = {
            "content-disposition": f'attachment; filename="{session}.html"',
            "cache-control": "no-store",
        }
        return StreamingResponse(exported(bus, session), media_type="text/html", headers=headers)


async def _events(feed: SessionFeed, after: int) -> AsyncIterator[bytes]:
    yield RETRY
    events = feed.events(after)
    coming = asyncio.ensure_future(anext(events, None))
    try:
        while True:
            await asyncio.wait((coming,), timeout=QUIET)
            if not coming.done():
                yield ALIVE
                continue
            if (told := coming.result()) is None:
                return
            yield told
            coming = asyncio.ensure_future(anext(events, None))
    finally:
        coming.cancel()
        await asyncio.gather(coming, return_exceptions=True)
        await events.aclose()
