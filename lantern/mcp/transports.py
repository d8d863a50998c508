"""Serves the MCP server over standard input and output, or over streamable HTTP."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import RawIOBase

import uvicorn
from mcp.server.mcpserver import MCPServer

from mesh.errors import InputError

HOST = "127.0.0.1"
"""Nobody has to log in, so that no other machine may come."""

PATH = "/mcp"

CHUNK = 65_536
SHUTDOWN_TIMEOUT = 1
"""Seconds that a request in progress may still take when the server stops."""


async def serve_stdio(server: MCPServer[None], stopping: asyncio.Event) -> None:
    """Serve the client at standard input and output, until it closes its end or is told to stop."""
    read, write = os.pipe()
    pipe = os.fdopen(write, "wb", buffering=0)
    threading.Thread(target=_copy, args=(sys.stdin.fileno(), pipe), daemon=True).start()
    before = sys.stdin
    with os.fdopen(read, encoding="utf-8", errors="replace") as sys.stdin:
        closer = asyncio.create_task(_close_when(stopping, pipe))
        try:
            await server.run_stdio_async()
        finally:
            closer.cancel()
            sys.stdin = before


async def serve_http(server: MCPServer[None], listener: socket.socket, stopping: asyncio.Event) -> None:
    """Serve any number of clients of this machine until told to stop."""
    uvicorn_server = _McpServer(
        uvicorn.Config(
            server.streamable_http_app(streamable_http_path=PATH, host=HOST),
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=SHUTDOWN_TIMEOUT,
        )
    )
    async with asyncio.TaskGroup() as tasks:
        serving = tasks.create_task(uvicorn_server.serve([listener]))
        await stopping.wait()
        uvicorn_server.should_exit = True
        await serving


def listening(port: int) -> socket.socket:
    """A listening socket on this machine; port 0: any free port.

    Raises:
        InputError: the port cannot be listened on.
    """
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        raise InputError(f"--http {port} cannot be used ({error.strerror}). Give another, or 0.") from error


def url_of(listener: socket.socket) -> str:
    """Where a client finds the server."""
    return f"http://{HOST}:{listener.getsockname()[1]}{PATH}"


def _copy(source: int, target: RawIOBase) -> None:
    """In a thread of its own, because nothing interrupts a read from standard input."""
    with target, suppress(OSError, ValueError):  # it is closed when the server stops
        while chunk := os.read(source, CHUNK):
            target.write(chunk)


async def _close_when(stopping: asyncio.Event, pipe: RawIOBase) -> None:
    await stopping.wait()
    pipe.close()


class _McpServer(uvicorn.Server):
    """A server that leaves signals to the caller."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
