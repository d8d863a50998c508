"""One service in place of another in mid-game: no step lost, none doubled, no alternation."""

from __future__ import annotations

import asyncio
import itertools
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from conftest import Mesh
from test_hot_swap import everything, versions
from test_resume import in_the_store
from test_runner import Counter, eventually, fragments, publish

from lantern.play.compose import running
from mesh.record.bus import Bus
from mesh.runner.runner import Runner
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.mesh import ServiceState
from tests.support.processes.command import Lantern, Running

MINE = """
from services.narrator.service import NarratorService

class Narrator(NarratorService):
    version = "2.0.0"
"""


class Newer(Counter):
    """The next version."""

    version = "2.0.0"


async def test_the_old_one_stands_by_while_the_new_one_lives_and_then_goes_on(bus: Bus, mesh: Mesh) -> None:
    [old] = await mesh.run(Counter())
    await publish(bus, "s1", range(10))
    await fragments(bus, "s1", 9, "counter")
    async with running([Newer()], mesh.url, mesh.cell, mesh.settings, replacing=True):
        await eventually(lambda: old.presence.state is ServiceState.STANDBY)
        await publish(bus, "s1", range(10, 70))
        await fragments(bus, "s1", 69, "counter")
    await eventually(lambda: old.presence.state is ServiceState.READY)
    await publish(bus, "s1", range(70, 100))
    last = await fragments(bus, "s1", 99, "counter")

    spoke = await versions_by_step(bus, "s1", 100)
    assert spoke == ["1.0.0"] * 10 + ["2.0.0"] * 60 + ["1.0.0"] * 30
    assert last.sections[0].text == f"steps {[*range(100)]}"


@asynccontextmanager
async def replaced_by_one_that_is_stuck(bus: Bus, mesh: Mesh) -> AsyncIterator[Runner[Any]]:
    """A service that stands by, with five messages of s1 which its successor does not take."""
    [old] = await mesh.run(Counter())
    await publish(bus, "s1", range(3))
    async with running([Newer()], mesh.url, mesh.cell, mesh.settings, replacing=True) as [new]:
        await eventually(lambda: old.presence.state is ServiceState.STANDBY)
        async with asyncio.timeout(60):
            new.inbox.stop()
            await publish(bus, "s1", range(3, 8))
            await eventually(lambda: old.delivery.counts()["lag"] == 5)
            yield old


async def test_the_messages_of_one_that_dies_are_handled_by_the_one_that_stood_by(
    bus: Bus, mesh: Mesh
) -> None:
    async with replaced_by_one_that_is_stuck(bus, mesh) as old:
        old.delivery.succession.tracker.dead_after = 0  # its heartbeats come no more
        said = [await fragments(bus, "s1", step, "counter") for step in range(8)]

    assert said[7].sections[0].text == f"steps {[*range(8)]}"
    assert await versions_by_step(bus, "s1", 8) == ["1.0.0"] * 8


async def test_what_is_given_back_comes_before_what_is_new(
    bus: Bus, mesh: Mesh, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with replaced_by_one_that_is_stuck(bus, mesh) as old:
        monkeypatch.setattr("mesh.runner.runner.LOOK", 3600)
        await asyncio.sleep(0.3)  # the look that is under way
        old.delivery.succession.tracker.dead_after = 0  # nobody looks; a new message comes first
        await publish(bus, "s1", range(8, 9))
        said = [await fragments(bus, "s1", step, "counter") for step in range(9)]

    assert [fragment.sections[0].text for fragment in said] == [f"steps {[*range(n + 1)]}" for n in range(9)]


async def test_one_session_is_taken_over_and_the_others_are_not(bus: Bus, mesh: Mesh) -> None:
    [old] = await mesh.run(Counter())
    async with running([Newer()], mesh.url, mesh.cell, mesh.settings, "s1", replacing=True):
        await eventually(lambda: old.delivery.succession.successor("s1", 10**9) is not None)
        for session in ("s1", "s2"):
            await publish(bus, session, range(5))
            await fragments(bus, session, 4, "counter")
        assert old.presence.state is ServiceState.READY

    assert await versions_by_step(bus, "s1", 5) == ["2.0.0"] * 5
    assert await versions_by_step(bus, "s2", 5) == ["1.0.0"] * 5


async def versions_by_step(bus: Bus, session: str, steps: int) -> list[str]:
    held = [await bus.reader.read_at(session, Kind.FRAGMENT, step, "counter") for step in range(steps)]
    return [envelope.service.version if envelope else "" for envelope in held]


@pytest.mark.parametrize("killed", [False, True], ids=["SIGTERM", "kill -9"])
def test_a_service_of_lantern_play_is_replaced_and_given_back(
    lantern: Lantern, tmp_path: Path, killed: bool
) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    playing = lantern.start("play", "--steps", "100000", "--session", "s1", "--no-valid-actions")
    playing.wait_for_step(5)
    replacing = lantern.start("replace", "narrator", f"{tmp_path / 'mine.py'}:Narrator")
    wait_for(replacing, "narrator 2.0.0 replaces 1.0.0")
    after = in_the_store(lantern, last) + 40
    playing.wait_for_step(after)
    replacing.process.send_signal(signal.SIGKILL if killed else signal.SIGTERM)
    code = replacing.wait().returncode
    playing.wait_for_step(in_the_store(lantern, last) + 40)
    playing.process.send_signal(signal.SIGINT)
    playing.wait()
    envelopes = in_the_store(lantern, everything)

    steps = [envelope.step for envelope in envelopes if envelope.kind is Kind.STEP]
    narrated = sorted(e.step for e in envelopes if e.kind is Kind.FRAGMENT and e.service.name == "narrator")
    spoke = [version for version, _ in itertools.groupby(fragment_versions(envelopes))]
    assert code == (-signal.SIGKILL if killed else 0)
    assert steps == [*range(len(steps))]
    assert narrated == [*range(len(narrated))]
    assert len(narrated) >= len(steps) - 1
    assert spoke[:2] == ["1.0.0", "2.0.0"] and (killed or spoke == ["1.0.0", "2.0.0", "1.0.0"])


def fragment_versions(envelopes: list[Envelope]) -> list[str]:
    found = [envelope for envelope in envelopes if envelope.kind is Kind.FRAGMENT]
    return versions(sorted(found, key=lambda envelope: envelope.step), "narrator")


def test_what_cannot_be_replaced_is_one_line(lantern: Lantern, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    mine = f"{tmp_path / 'mine.py'}:Narrator"
    other, nobody = lantern.run("replace", "hint", mine), lantern.run("replace", "narrator", mine)

    assert (other.returncode, nobody.returncode) == (2, 2)
    assert "is called 'narrator'" in other.stderr
    assert "nothing to replace" in nobody.stderr


async def last(bus: Bus) -> int:
    step = await bus.reader.last_step("s1")
    assert step is not None
    return step.step


def wait_for(running: Running, text: str) -> None:
    deadline = time.monotonic() + 60
    while text not in running.out.read_text():
        assert time.monotonic() < deadline and running.process.poll() is None, running.err.read_text()
        time.sleep(0.05)
