"""A disk of 40 MB gets full: one line, no hang, nothing lost, no half file."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from mesh.errors import STORES_NOTHING
from mesh.log import LogFile
from services.memory.graph import store_pool
from services.memory.graph.graph_files import GraphError
from services.memory.graph.session_graph_store import SessionFacts, SessionGraphStore
from services.memory.graph.store_pool import StorePool
from tests.support.processes.command import Lantern, Running
from tests.support.scenes.memory_builders import Walk
from tests.support.servers.own_server import OwnServer

WITHIN = 10.0
"""Seconds after which a command has ended, once its disk is full."""


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own."""
    there = tmp_path / "small"
    there.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=40m", "tmpfs", str(there)], capture_output=True, text=True
    )
    if mounted.returncode != 0:
        pytest.skip(f"needs the right to mount a small file system: {mounted.stderr.strip()}")
    yield there
    subprocess.run(["umount", "-l", str(there)], check=True)


def fill(disk: Path, *, but: int = 0) -> Path:
    """Take all space but some bytes."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while file.write(bytes(1 << 16)):
                pass
        except OSError:
            file.truncate(file.tell() - but)
    return ballast


@pytest.mark.parametrize("left", [0, 2 << 20], ids=["at once", "nearly"])
def test_a_play_on_a_full_disk_ends_in_one_line_and_can_be_resumed(small: Path, left: int) -> None:
    lantern = Lantern(small)
    played = lantern.start("play", "--steps", "500", "--policy", "heuristic", "--session", "s")
    played.wait_for_step(3)
    ballast, began = fill(small, but=left), time.monotonic()

    done = played.wait()
    took = time.monotonic() - began

    assert done.returncode == 1
    *notices, error = done.stderr.splitlines()
    assert set(notices) <= {"lantern: stopping after the step under way"}
    assert f"{small} is full" in error and error.endswith("lantern resume s`.")
    assert took < WITHIN
    lantern.wait_until_gone()
    ballast.unlink()
    recorded = lantern.sessions()[0]
    assert recorded["steps"] >= 3
    assert left == 0 or recorded["ended"] == "stopped"
    assert lantern.resume("s", "--steps", "2")["steps"] == recorded["steps"] + 2
    assert lantern.run("sessions", "verify", "s").returncode == 0


def ends_in_one_line(played: Running) -> None:
    """A play whose server stores nothing more says so, and how to go on."""
    done = played.wait()
    assert done.returncode == 1
    *notices, error = done.stderr.splitlines()
    assert all("nothing has come for a while" in notice for notice in notices)
    assert STORES_NOTHING in error and "lantern provision --limit" in error
    assert error.endswith("lantern resume s`.")


@pytest.mark.exhaustive
def test_a_play_whose_own_server_has_a_full_disk_ends_in_one_line_and_can_be_resumed(
    small: Path, tmp_path: Path
) -> None:
    server, lantern = OwnServer(small), Lantern(tmp_path / "home")
    lantern.env["NATS_URL"] = server.url
    try:
        played = lantern.start("play", "--steps", "5000", "--policy", "random", "--session", "s")
        played.wait_for_step(3)
        ballast = fill(small)
        ends_in_one_line(played)
        lantern.wait_until_gone()
        ballast.unlink()
        server.kill()  # a nats-server that could not write does not write again
        server.start()
        steps = lantern.resume("s", "--steps", "2")["steps"]
        verified = lantern.run("sessions", "verify", "s")
    finally:
        server.kill()

    assert steps >= 5
    assert verified.returncode == 0


def test_a_stream_at_its_limit_refuses_what_is_new_and_drops_nothing(tmp_path: Path) -> None:
    server, lantern = OwnServer(tmp_path), Lantern(tmp_path / "home")
    lantern.env["NATS_URL"] = server.url
    try:
        assert lantern.run("provision", "--limit", "1MB").returncode == 0
        arguments = ("--steps", "5000", "--policy", "random", "--session", "s", "--no-valid-actions")
        ends_in_one_line(lantern.start("play", *arguments))
        refused = lantern.run("resume", "s", "--steps", "2")
        lantern.env["LANTERN_STREAM_LIMIT"] = "20MB"
        assert lantern.run("provision").returncode == 0
        resumed = lantern.resume("s", "--steps", "2")
        verified = lantern.run("sessions", "verify", "s")
    finally:
        server.kill()

    assert refused.returncode == 1 and f"{STORES_NOTHING} (maximum bytes exceeded)" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert resumed["steps"] > 5
    assert verified.returncode == 0


def test_a_session_that_serve_plays_on_a_nearly_full_disk_is_stopped_and_can_be_resumed(small: Path) -> None:
    lantern = Lantern(small)
    served = lantern.start("serve", "all")
    try:
        played = lantern.start("play", "--steps", "5000", "--policy", "random", "--session", "s")
        played.wait_for_step(3)
        ballast = fill(small, but=3 << 20)
        done = played.wait()
        ballast.unlink()
        stopped = lantern.sessions()[0]
        resumed = lantern.resume("s", "--steps", "2")
    finally:
        served.process.terminate()
    left = served.wait()

    assert done.returncode == 1 and f"{small} is full" in done.stderr.splitlines()[-1]
    assert stopped["ended"] == "stopped"
    waited = resumed["steps"] - stopped["steps"] - 2
    assert waited in (0, 1), "a step that waits for room may be recorded after the list was read"
    assert left.returncode == 0 and "Traceback" not in left.stderr
    lantern.wait_until_gone()


@pytest.mark.parametrize("limit", ["x", "1KB", "-5GB", "1e400"])
def test_a_limit_that_cannot_be_is_refused_in_one_line(limit: str, tmp_path: Path) -> None:
    refused = Lantern(tmp_path).run("provision", "--limit", limit)

    assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)
    assert "such as 20GB" in refused.stderr


def test_every_command_on_a_full_disk_names_it_and_leaves_nothing_behind(small: Path, tmp_path: Path) -> None:
    lantern, file = Lantern(small), tmp_path / "s.jsonl"
    lantern.play("--steps", "2", "--policy", "heuristic", "--session", "s")
    assert lantern.run("sessions", "export", "s", str(file)).returncode == 0
    fill(small)

    for command in (["play"], ["resume", "s"], ["sessions", "import", str(file)], ["sessions", "show", "s"]):
        done = lantern.run(*command, timeout=WITHIN)

        assert (done.returncode, len(done.stderr.splitlines())) == (1, 1), done.stderr
        assert f"{small} is full" in done.stderr
    lantern.wait_until_gone()


def test_an_export_to_a_full_disk_leaves_no_file_and_an_old_one_as_it_was(
    small: Path, tmp_path: Path
) -> None:
    lantern, old = Lantern(tmp_path / "home"), small / "old.jsonl"
    lantern.play("--steps", "5", "--policy", "heuristic", "--session", "s")
    old.write_text("kept\n")
    fill(small, but=4096)

    for name in ("new.jsonl", "old.jsonl"):
        done = lantern.run("sessions", "export", "s", str(small / name))

        assert done.returncode == 2
        assert "No space left on device" in done.stderr
    assert sorted(path.name for path in small.iterdir()) == ["ballast", "old.jsonl"]
    assert old.read_text() == "kept\n"


@pytest.mark.parametrize("room", [0, store_pool.ROOM], ids=["the library fails", "it is not asked"])
async def test_a_full_disk_ends_the_process_of_the_store_at_most(
    small: Path, room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_pool, "ROOM", 0)
    pool, walk, path = StorePool(), Walk(), small / "s.kuzu"

    async def write(*actions: str) -> None:
        new = [walk.then(action) for action in actions]
        facts = SessionFacts("s", "random", 1, new[-1].step, 0, 0, 0, False, "")
        await pool.use(path, "add_session", facts, new, {})

    await pool.open(path, SessionGraphStore)
    await write("look")
    ballast = fill(small)
    monkeypatch.setattr(store_pool, "ROOM", room)

    with pytest.raises(GraphError):
        await write(*(f"wait {number} " * 20 for number in range(200)))
    with suppress(GraphError):
        await pool.close(path)
    ballast.unlink()
    monkeypatch.setattr(store_pool, "ROOM", 0)

    await pool.open(path, SessionGraphStore)
    assert (await pool.use(path, "sessions"))["s"].steps <= 200
    await pool.close(path)


def test_a_log_on_a_full_disk_drops_its_lines_and_goes_on_later(small: Path) -> None:
    with LogFile(str(small / "log"), "a") as log:
        log.write(b"before\n")
        ballast = fill(small)
        write_all(log.write, bytes(1 << 16))
        ballast.unlink()
        log.write(b"after\n")

    assert (small / "log").read_bytes().endswith(b"after\n")


def write_all(write: Callable[[bytes], int], data: bytes) -> None:
    while data:
        data = data[write(data) :]
