"""Serves the page at an address, until told to stop."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

import uvicorn

from lantern.nats.connection import connection, nats_url
from lantern.web.access import Access
from lantern.web.api.controls import ControlPages
from lantern.web.api.inquiries import InquiryPages
from lantern.web.api.session_list import SessionList
from lantern.web.api.sessions import SessionPages
from lantern.web.app import application
from lantern.web.background_plays import BackgroundPlays
from lantern.web.feed.feeds import Feeds
from mesh.errors import InputError
from mesh.settings import MeshSettings

SHUTDOWN_TIMEOUT = 1
"""Seconds that an answer may still take when the server stops."""


MOST_CONNECTIONS = 2000
"""At once; more are told to come back later."""


class PageAddressTaken(InputError):
    """The page's address cannot be listened on."""

    def __init__(self, host: str, port: int, why: str) -> None:
        super().__init__(
            f"The page cannot be served at {host}:{port} ({why}). Give another --port (0: any that is free) "
            "or --host."
        )


def listening(host: str, port: int) -> socket.socket:
    """A listening socket; port 0: any free port.

    Raises:
        PageAddressTaken: the address cannot be listened on.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=512)
    except (OSError, OverflowError) as error:
        raise PageAddressTaken(host, port, getattr(error, "strerror", None) or str(error)) from error


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
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            lifespan="off",
            server_header=False,
            limit_concurrency=MOST_CONNECTIONS,
            timeout_graceful_shutdown=SHUTDOWN_TIMEOUT,
        )
        server = _WebServer(config)
        serving = tasks.create_task(server.serve([listener]))
        ready()
        await stopping.wait()
        server.should_exit = True
        feeds.let_go()
        await serving
        await plays.close()
        await feeds.close()


class _WebServer(uvicorn.Server):
    """A server that leaves signals to the caller."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield
