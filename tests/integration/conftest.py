"""A real NATS server for the tests, on a free loopback port, stopped with them."""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import structlog

from language_model.client.served_model import ServedModel
from language_model.configured import configured_model
from language_model.settings import ModelSettings
from lantern.nats.connection import connection
from lantern.nats.embedded_nats import embedded_nats
from lantern.play.compose import running
from mesh.record.bus import Bus
from mesh.runner.runner import Runner
from mesh.runner.service import Service
from mesh.settings import MeshSettings
from tests.support.processes.command import REPEATABLE, Lantern
from tests.support.processes.crashes import Cells
from tests.support.processes.forked import Zygote
from tests.support.servers.asking_api import Making, settings_of
from tests.support.servers.messages_server import MessagesServer
from tests.support.servers.own_server import OwnServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_cells = itertools.count(1)

os.environ.update(REPEATABLE)
for variable in [name for name in os.environ if name.startswith(("ANTHROPIC_", "LANTERN_MODEL_"))]:
    del os.environ[variable]  # no test asks a model that costs money


@pytest.fixture(autouse=True)
def plain_logs() -> None:
    """Logs of each test's own: a command that ran before has left its own ways, and its closed file.

    The default draws every fault with all its variables, which takes seconds on a busy machine.
    """
    structlog.reset_defaults()  # what is not configured below: an earlier test's level of logs, say
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso"),
            structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
        ],
        logger_factory=structlog.PrintLoggerFactory(),
        cache_logger_on_first_use=False,
    )


@pytest.fixture(scope="session")
def nats_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One server for all tests; each test has a cell of its own."""
    home = tmp_path_factory.mktemp("lantern")
    with asyncio.Runner() as runner:
        server = embedded_nats(home)
        yield runner.run(server.__aenter__())
        runner.run(server.__aexit__(None, None, None))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[OwnServer]:
    """A server of the test's own, which may be killed."""
    server = OwnServer(tmp_path)
    yield server
    server.process.kill()
    server.process.wait()


@pytest.fixture
def cell() -> str:
    """A cell that no other test uses."""
    return f"test{next(_cells)}"


@pytest.fixture
def settings(tmp_path: Path) -> MeshSettings:
    """Settings with short pauses."""
    return MeshSettings(home=tmp_path, heartbeat=0.2, dead_after=0.8, retry_delays=(0.02, 0.05))


@pytest.fixture
async def bus(nats_url: str, cell: str) -> AsyncIterator[Bus]:
    """A connection of the test's own."""
    async with connection(nats_url, cell) as bus:
        yield bus


class Mesh:
    """Runs services for a test, and stops them with it."""

    def __init__(self, url: str, cell: str, settings: MeshSettings, stack: AsyncExitStack) -> None:
        self.url, self.cell, self.settings, self.stack = url, cell, settings, stack

    async def run(self, *services: Service[object], scope: str = "*") -> list[Runner[object]]:
        """Start services; they are ready when this returns."""
        mesh = running(services, self.url, self.cell, self.settings, scope)
        return await self.stack.enter_async_context(mesh)


@pytest.fixture
async def mesh(nats_url: str, cell: str, settings: MeshSettings) -> AsyncIterator[Mesh]:
    """A mesh with nobody in it."""
    async with AsyncExitStack() as stack:
        yield Mesh(nats_url, cell, settings, stack)


@pytest.fixture(scope="session")
def zygote() -> Iterator[Zygote]:
    """Forks the services of the tests that kill them."""
    zygote = Zygote()
    yield zygote
    zygote.close()


@pytest.fixture
async def cells(zygote: Zygote, nats_url: str, cell: str, tmp_path: Path) -> AsyncIterator[Cells]:
    """As many cells as a test wants; no process is left when it ends."""
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(zygote.heard())
        yield Cells(zygote, nats_url, cell, tmp_path, stack)


@pytest.fixture
def lantern(tmp_path: Path) -> Iterator[Lantern]:
    """A command with an empty home; whatever it started is gone afterwards."""
    command = Lantern(tmp_path / "home")
    yield command
    try:
        command.wait_until_gone()
    finally:
        for left in command.processes():
            left.kill()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real browser, for all tests of a module: its event loop is in the way of tests that run their own."""
    from tests.support.browser.chromium import chromium  # few tests need it

    with chromium() as browser:
        yield browser


@pytest.fixture
def messages_server() -> Iterator[MessagesServer]:
    """A server that speaks the Messages API; give it a `script` (see messages_server.py)."""
    with MessagesServer() as server:
        yield server


@pytest.fixture
def model_settings(messages_server: MessagesServer) -> ModelSettings:
    """Settings that name that server; change them with `model_copy(update=...)`."""
    return settings_of(messages_server)


@pytest.fixture
async def model(model_settings: ModelSettings) -> AsyncIterator[ServedModel]:
    """The real client, which asks that server."""
    async with configured_model(model_settings, "a test") as model:
        yield model


@pytest.fixture
async def making(model_settings: ModelSettings) -> AsyncIterator[Making]:
    """Makes the real client with other settings."""
    async with AsyncExitStack() as stack:

        async def made(**changes: Any) -> ServedModel:
            settings = model_settings.model_copy(update=changes)
            return await stack.enter_async_context(configured_model(settings, "a test"))

        yield made
