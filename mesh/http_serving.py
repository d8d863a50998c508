"""Serves HTTP at an address while a block runs: the local model, the MCP server, the web page."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import uvicorn

from mesh.errors import InputError

SHUTDOWN_TIMEOUT, STUCK_TIMEOUT = 1.0, 3
"""Seconds that an answer in progress may still take when the server stops; the second: until a connection is
cut whose client does not even take the end of the answer."""

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


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
    ending = _EndingApp(app)
    config = uvicorn.Config(
        ending,
        log_config=None,
        access_log=False,
        lifespan="on" if with_lifespan else "off",
        server_header=False,
        limit_concurrency=most_connections,
        timeout_graceful_shutdown=STUCK_TIMEOUT,
    )
    server = _UvicornServer(config)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(server.serve([listener]))
        try:
            yield
        finally:
            ending.end_soon()
            server.should_exit = True


class _EndingApp:
    """An application whose answers in progress can be ended: the server's own way of it is a traceback."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._end: float | None = None
        self._in_progress: set[asyncio.Timeout] = set()

    def end_soon(self) -> None:
        """Let what is in progress end within `SHUTDOWN_TIMEOUT`."""
        self._end = asyncio.get_running_loop().time() + SHUTDOWN_TIMEOUT
        for answer in self._in_progress:
            answer.reschedule(self._end)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request; what could not be answered in time is refused, or cut off."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_begun = False

        async def noting(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        limit = asyncio.timeout_at(self._end)
        try:
            async with limit:
                self._in_progress.add(limit)
                await self._app(scope, receive, noting)
        except TimeoutError:
            if not limit.expired():
                raise
            if not has_begun:
                await send({"type": "http.response.start", "status": 503, "headers": []})
            await send({"type": "http.response.body"})
        finally:
            self._in_progress.discard(limit)


class _UvicornServer(uvicorn.Server):
    """A server that leaves signals to the caller."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
