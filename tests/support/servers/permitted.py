"""A NATS server as it is deployed, with one user per service, for the tests."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from lantern.nats.connection import connection, identity
from lantern.nats.embedded_nats import nats_server_binary
from lantern.play.compose import running
from lantern.play.services import SERVICES, service_named
from mesh.nats.connection import with_login
from mesh.record import snapshots, stories
from mesh.record.bus import Bus
from mesh.runner.consumer import Consumer, kinds_for
from mesh.security.nats_configuration import password_variable
from mesh.settings import MeshSettings


class Server:
    """A nats-server with a configuration, and the passwords of its users."""

    def __init__(self, configuration: Path, directory: Path, passwords: dict[str, str]) -> None:
        self.configuration, self.directory, self.passwords = configuration, directory, passwords
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.log = directory / "server.log"

    def __enter__(self) -> Server:
        passwords = {password_variable(user): f'"{password}"' for user, password in self.passwords.items()}
        self.process = subprocess.Popen(
            [nats_server_binary(), *self._arguments()],
            env={**os.environ, **passwords, "LANTERN_NATS_STORE": str(self.directory / "store")},
        )
        deadline = time.monotonic() + 20
        while "Server is ready" not in (self.log.read_text() if self.log.exists() else ""):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.process.kill()
                raise AssertionError(f"nats-server did not start: {self.said()}")
            time.sleep(0.02)
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(10)

    def _arguments(self) -> list[str]:
        return ["-c", str(self.configuration), "-a", "127.0.0.1", "-p", str(self.port), "-l", str(self.log)]

    def url(self, user: str = "") -> str:
        bare = f"nats://127.0.0.1:{self.port}"
        return with_login(bare, user, self.passwords[user]) if user else bare

    def said(self) -> str:
        return self.log.read_text() if self.log.exists() else ""

    def refusals(self) -> list[str]:
        """What the server did not let its users do."""
        return [line for line in self.said().splitlines() if "Violation" in line]

    @asynccontextmanager
    async def user(self, name: str, cell: str = "main", speaking_as: str = "") -> AsyncIterator[Bus]:
        """A connection of one user; what it then does is up to the test."""
        bus = await Bus.connect(self.url(name), identity(speaking_as or name, "1.0.0"), cell)
        try:
            yield bus
        finally:
            await bus.cell.close()

    async def provision(self, settings: MeshSettings) -> None:
        """As `lantern provision` does."""
        async with connection(self.url("operator"), "main") as bus:
            await stories.provision(bus.cell)
            await snapshots.provision(bus.cell)
            for name in SERVICES:
                speaker = bus.speaking_as(identity(name, "1.0.0"))
                reads = service_named(name, settings.home).reads
                await Consumer(speaker.cell, kinds_for(reads), "*", settings).provision()

    @asynccontextmanager
    async def serving(self, settings: MeshSettings) -> AsyncIterator[None]:
        """Every service, with its own user and its own connection."""
        async with AsyncExitStack() as stack:
            for name in SERVICES:
                service = service_named(name, settings.home)
                await stack.enter_async_context(running([service], self.url(name), "main", settings))
            yield
