"""Serves HTTP at an address while a block runs: the local model, the MCP server, the web page."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import uvicorn

from mesh.errors import InputError

SHUTDOWN_TIMEOUT = 1
"""Seconds that an answer in progress may still take when the server stops."""


class AddressTaken(InputError):
    """The address cannot be listened on."""

    def __init__(self, what: str, host: str, port: int, why: str, mend: str) -> None:
        super().__init__(f"{what} cannot be served at {host}:{port} ({why}). {mend}")


def listening(
    what: str, host: str, port: int, mend: str = "Give another --host or --port (0: any that is free)."
) -> socket.socket:
    """A listening socket at an address; port 0: any free port. `what` is served there, for the error.

    Raises:
        AddressTaken: the address cannot be listened on.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=512)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise AddressTaken(what, host, port, why, mend) from error


def url_of(listener: socket.socket) -> str:
    """The address of a socket, for a client."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@asynccontextmanager
async def serving(
    app: Any, listener: socket.socket, *, with_lifespan: bool = False, most_connections: int | None = None
) -> AsyncIterator[None]:
    """Serve an ASGI application while the block runs.

    `with_lifespan`: the application is told of its start and end. `most_connections`: at once; more are told
    to come back later.
    """
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="on" if with_lifespan else "off",
        server_header=False,
        limit_concurrency=most_connections,
        timeout_graceful_shutdown=SHUTDOWN_TIMEOUT,
    )
    server = _UvicornServer(config)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(server.serve([listener]))
        try:
            yield
        finally:
            server.should_exit = True


class _UvicornServer(uvicorn.Server):
    """A server that leaves signals to the caller."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
