"""Serves the MCP server over standard input and output, or over streamable HTTP."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import threading
from contextlib import suppress
from io import RawIOBase

from mcp.server.mcpserver import MCPServer

from mesh import http_serving
from mesh.http_serving import serving

HOST = "127.0.0.1"
"""Nobody has to log in, so that no other machine may come."""

PATH = "/mcp"

CHUNK = 65_536


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
    app = server.streamable_http_app(streamable_http_path=PATH, host=HOST)
    async with serving(app, listener, with_lifespan=True):
        await stopping.wait()


def listening(port: int) -> socket.socket:
    """A listening socket on this machine; port 0: any free port.

    Raises:
        AddressTaken: the port cannot be listened on.
    """
    return http_serving.listening("MCP", HOST, port, "Give another --http PORT, or 0.")


def url_of(listener: socket.socket) -> str:
    """Where a client finds the server."""
    return http_serving.url_of(listener) + PATH


def _copy(source: int, target: RawIOBase) -> None:
    """In a thread of its own, because nothing interrupts a read from standard input."""
    with target, suppress(OSError, ValueError):  # it is closed when the server stops
        while chunk := os.read(source, CHUNK):
            target.write(chunk)


async def _close_when(stopping: asyncio.Event, pipe: RawIOBase) -> None:
    await stopping.wait()
    pipe.close()
