"""Serves a model at an address."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import uvicorn
from pydantic import SecretStr

from language_model.local.api.app import Api
from language_model.local.files import ModelFile
from language_model.local.llama import running
from language_model.local.settings import LocalSettings
from mesh.errors import InputError

SHUTDOWN_TIMEOUT = 1
"""Seconds that a reply in progress may still take when the server stops."""


class AddressTaken(InputError):
    """The address cannot be listened on."""

    def __init__(self, host: str, port: int, why: str | None) -> None:
        super().__init__(
            f"The model cannot be served at {host}:{port} ({why}). Give another --host or --port."
        )


def listening(host: str, port: int) -> socket.socket:
    """A listening socket at an address; port 0: any free port.

    Raises:
        AddressTaken: the address cannot be listened on.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        raise AddressTaken(host, port, getattr(error, "strerror", None) or str(error)) from error


def url_of(listener: socket.socket) -> str:
    """The address of a socket, for a client."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@asynccontextmanager
async def serving(
    file: ModelFile, listener: socket.socket, key: SecretStr, settings: LocalSettings
) -> AsyncIterator[None]:
    """Serve a model while the block runs.

    Raises:
        ModelDidNotStart: llama.cpp does not load the model.
    """
    async with running(file, settings) as llama:
        server = _UvicornServer(
            uvicorn.Config(
                Api(llama, key).app,
                log_config=None,
                access_log=False,
                lifespan="off",
                server_header=False,
                timeout_graceful_shutdown=SHUTDOWN_TIMEOUT,
            )
        )
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
