"""Serves the page at an address, until told to stop."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

from lantern.nats.connection import connection, nats_url
from lantern.web.access import Access
from lantern.web.api.controls import ControlPages
from lantern.web.api.inquiries import InquiryPages
from lantern.web.api.session_list import SessionList
from lantern.web.api.sessions import SessionPages
from lantern.web.app import application
from lantern.web.background_plays import BackgroundPlays
from lantern.web.feed.feeds import Feeds
from mesh.http_serving import serving
from mesh.settings import MeshSettings

MOST_CONNECTIONS = 2000
"""At once; more are told to come back later."""


def address_of(listener: socket.socket, access: Access, path: str = "/") -> str:
    """What to open in a browser."""
    host, port = listener.getsockname()[:2]
    name = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)
    token = f"?{urlencode({'token': access.token})}" if access.token else ""
    return f"http://{f'[{name}]' if ':' in name else name}:{port}{path}{token}"


async def serve(
    listener: socket.socket,
    access: Access,
    settings: MeshSettings,
    cell: str,
    evaluations: Path,
    stopping: asyncio.Event,
    ready: Callable[[], None],
) -> None:
    """Serve the page until `stopping`; `ready` is called when it answers.

    `cell`: the one whose sessions are shown, `*` for all. `evaluations`: the folder with runs of evaluations.
    """
    name = "main" if cell == "*" else cell
    async with (
        nats_url(settings) as url,
        connection(url, name, patience=settings.patience) as bus,
        asyncio.TaskGroup() as tasks,
    ):
        feeds = Feeds(bus, tasks)
        plays = BackgroundPlays(settings)
        pages = SessionPages(feeds, SessionList(bus, cell))
        app = application(
            pages, ControlPages(feeds, plays, name), InquiryPages(feeds, cell, evaluations), access
        )
        async with serving(app, listener, most_connections=MOST_CONNECTIONS):
            ready()
            await stopping.wait()
            feeds.let_go()
        await plays.close()
        await feeds.close()
