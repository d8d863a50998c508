"""The commands against a NATS server with one user per service and a sub-agent of the user's own."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from mesh.observability.liveness import LivenessTracker
from mesh.settings import MeshSettings
from tests.support.processes.command import ROOT, Lantern
from tests.support.servers.permitted import Server

COMPASS = str(ROOT / "examples" / "compass.py") + ":Compass"

As = Callable[[str], Lantern]


@pytest.fixture
def secrets(tmp_path: Path) -> Path:
    return tmp_path / "secrets"


@pytest.fixture
def server(lantern: Lantern, secrets: Path, tmp_path: Path) -> Iterator[Server]:
    """A server as the user makes it, with nothing provisioned."""
    for _ in range(2):  # passwords that are there are kept
        made = lantern.run("nats-config", "--agent", "compass", "--secrets", str(secrets))
        assert (made.returncode, made.stderr) == (0, "")
    passwords = {file.name: file.read_text() for file in secrets.iterdir() if file.name != "nats.conf"}
    assert not any(password in made.stdout for password in passwords.values())
    assert {file.stat().st_mode & 0o077 for file in secrets.iterdir()} == {0}
    (tmp_path / "nats").mkdir()
    with Server(secrets / "nats.conf", tmp_path / "nats", passwords) as server:
        yield server


@pytest.fixture
def logged_in(server: Server, secrets: Path, tmp_path: Path) -> As:
    def user(name: str) -> Lantern:
        command = Lantern(tmp_path / "home")
        login = {"LANTERN_NATS_USER": name, "LANTERN_NATS_PASSWORD_FILE": str(secrets / name)}
        command.env |= {"NATS_URL": server.url(), **login}
        return command

    return user


def one_line(done: subprocess.CompletedProcess[str]) -> str:
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1), done.stderr
    assert done.stderr.startswith("lantern: ")
    return done.stderr


async def test_a_mesh_with_a_sub_agent_of_ones_own_is_set_up_and_played_with(
    server: Server, logged_in: As, settings: MeshSettings
) -> None:
    async def run(user: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return await asyncio.to_thread(logged_in(user).run, *arguments)

    assert one_line(await run("player", "sessions", "list")) == (
        "lantern: NATS does not let the user player create the stream LANTERN. "
        "Run `lantern provision` as the operator.\n"
    )
    for _ in range(2):
        done = await run("operator", "provision", "--agent", "compass")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == "provisioned: the stream, 2 buckets, 9 consumers (main)\n"
    alone = one_line(await run("player", "play", "--steps", "2", "--json"))
    assert alone == (
        "lantern: NATS does not let the user player run what nobody serves: "
        "game memory narrator hint npc_tracker critic actor. "
        "Start each with `lantern serve NAME`, logged in as its own user.\n"
    )

    refused_before = server.refusals()
    async with server.serving(settings), serving(logged_in("compass"), COMPASS), server.user("player") as bus:
        tracker = LivenessTracker(dead_after=30.0)
        await tracker.open(bus.cell)
        while "compass" not in {alive.name for alive in tracker.live()}:
            await asyncio.sleep(0.05)
        counts = await asyncio.to_thread(logged_in("player").play, "--steps", "4", "--session", "s1")
        learned = await run("player", "play", "--steps", "4", "--experience", "--policy", "heuristic")
        while "1 session" not in (await run("player", "experience", "show", "bundled")).stdout:
            await asyncio.sleep(0.05)
        protected = one_line(await run("player", "experience", "forget", "bundled"))
        forgotten = await run("operator", "experience", "forget", "bundled")
    exported = await run("player", "sessions", "export", "s1", "-")
    assert (counts["steps"], counts["degraded_steps"]) == (4, 0)
    assert "lantern.main.s1.fragment.4.compass" in exported.stdout
    assert "experience: no session of this story has left any yet" in learned.stderr
    assert protected.startswith("lantern: NATS does not let the user player publish lantern.main.ask.memory")
    assert forgotten.stdout.endswith("forgot 1 session\n")
    assert len(server.refusals()) == len(refused_before) + 1

    kept = one_line(await run("player", "sessions", "delete", "s1"))
    assert kept.startswith("lantern: NATS does not let the user player publish $JS.API.STREAM.PURGE.")
    assert (await run("operator", "sessions", "delete", "s1")).stdout == "deleted s1\n"


@asynccontextmanager
async def serving(lantern: Lantern, service: str) -> AsyncIterator[None]:
    """A service as a process of its own, for as long as the block lasts."""
    running = lantern.start("serve", service)
    try:
        yield
    finally:
        running.process.terminate()
        done = await asyncio.to_thread(running.wait, 30)
    assert done.returncode == 0
    assert "bus_refused" not in done.stderr


def test_a_wrong_password_is_one_line_that_does_not_show_it(logged_in: As, tmp_path: Path) -> None:
    (tmp_path / "wrong").write_text("hunter2\n")
    player = logged_in("player")
    player.env["LANTERN_NATS_PASSWORD_FILE"] = str(tmp_path / "wrong")

    said = one_line(player.run("status"))

    assert "does not let the user player in. Correct the name and the password" in said
    assert "hunter2" not in said
