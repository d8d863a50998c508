"""Sub-agents that use nothing of Lantern's code: who sees them, and what becomes of their mistakes."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from conftest import Mesh
from test_resume import in_the_store
from test_runner import a_start, a_step, letters

from lantern.play.compose import running
from mesh.nats.codec import Undecodable, encode, trace_id
from mesh.nats.subjects import live_subject
from mesh.observability.liveness import LivenessTracker, everybody, heartbeat_in
from mesh.record.bus import Bus
from mesh.runner.dead_letters import StoredDeadLetter
from schemas.actor import ActionProposed
from schemas.base import Kind
from schemas.envelope import Envelope, ServiceRef
from schemas.fragment import FragmentGiven
from schemas.mesh import ServiceAlive
from services.actor.service import ActorService
from services.actor.settings import ActorSettings
from tests.support.processes.command import ROOT, Lantern

EXAMPLE = ROOT / "examples" / "foreign_agent.py"
ORACLE = ServiceRef(name="oracle", version="1.0.0", instance="one")


def test_the_example_uses_nothing_of_lantern_and_is_short() -> None:
    text = EXAMPLE.read_text()

    assert not re.search(r"^\s*(?:from|import) (?:schemas|folds|mesh|lantern|services|language)", text, re.M)
    assert sum(bool(line.strip()) for line in text.splitlines()) <= 62


def test_the_example_takes_part_in_a_session_that_is_being_played(lantern: Lantern) -> None:
    playing = lantern.start("play", "--steps", "100000", "--session", "s1", "--no-valid-actions")
    playing.wait_for_step(1)
    where = lantern.run("nats-url").stdout.strip()
    with subprocess.Popen([sys.executable, str(EXAMPLE)], env={**lantern.env, "NATS_URL": where}) as foreign:
        until(lambda: "oracle" in names_in(lantern.run("status", "--json").stdout))
        top = json.loads(lantern.run("top", "--once", "--json", "--interval", "1.3").stdout)
        until(lambda: in_the_store(lantern, the_oracle_was_used))
        foreign.send_signal(signal.SIGINT)
        assert foreign.wait(10) == 0
    playing.process.send_signal(signal.SIGINT)
    playing.wait()

    assert "oracle" in {service["name"] for service in top["services"]}


def test_nats_url_of_nobody_is_one_line(lantern: Lantern) -> None:
    done = lantern.run("nats-url")

    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "No embedded NATS server runs" in done.stderr


def names_in(listed: str) -> set[str]:
    return {alive["name"] for alive in json.loads(listed)}


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


async def the_oracle_was_used(bus: Bus) -> bool:
    step = await bus.reader.last_step("s1")
    held = await bus.reader.read_at("s1", Kind.PROPOSAL, step.step - 1) if step else None
    return bool(held and "oracle" in {used.service for used in held.body.fragments})  # type: ignore[attr-defined]


async def test_who_only_sends_heartbeats_is_shown_with_and_without_an_actor(bus: Bus, mesh: Mesh) -> None:
    async with beating(bus):
        alone = await everybody(bus.cell, LivenessTracker(3.0), 1.0)
        await mesh.run(an_actor())
        await asyncio.sleep(0.5)  # two heartbeats that the actor hears
        with_actor = await everybody(bus.cell, LivenessTracker(3.0), 0.0)

    assert [alive.name for alive in alone] == ["oracle"]
    assert [alive.name for alive in with_actor] == ["actor", "oracle"]


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"time": None}, "time: Input should be a valid datetime"),
        ({"name": "hint"}, "its cell, name and instance are not those of the subject"),
        ({"state": "asleep"}, "state: Input should be"),
    ],
)
def test_an_invalid_heartbeat_is_told_with_its_field(changes: dict[str, Any], fault: str) -> None:
    told = {**ORACLE.model_dump(), "cell": "main", "time": "2026-01-01T00:00:00Z", **changes}

    with pytest.raises(Undecodable, match=fault):
        heartbeat_in(live_subject("main", "oracle", "one"), json.dumps(told).encode())


SECTION = {"sections": [{"name": "Oracle!", "text": "x"}]}
INVALID: tuple[tuple[Callable[[dict[str, Any]], bytes], str], ...] = (
    (lambda told: b"{not json", "Not JSON: "),
    (
        lambda told: json.dumps({**told, "body": {**told["body"], **SECTION}}).encode(),
        "body.sections.0.name: ",
    ),
    (
        lambda told: json.dumps({**told, "version": "9.0"}).encode(),
        "is of version 9.0, but this code reads 1.x",
    ),
    (lambda told: json.dumps({**told, "session": "s2"}).encode(), "session: it is 's2', and 's1' in"),
    (
        lambda told: json.dumps({**told, "step": 99, "body": {**told["body"], "step": 99}}).encode(),
        "step: it is '99', and '4' in",
    ),
    (
        lambda told: json.dumps({**told, "service": {**told["service"], "name": "hint"}}).encode(),
        "service.name: it is 'hint', and 'oracle' in",
    ),
    (lambda told: json.dumps({**told, "trace_id": "7"}).encode(), "trace_id: "),
)


async def test_an_invalid_fragment_is_a_dead_letter_that_names_the_field_and_holds_up_no_step(
    bus: Bus, mesh: Mesh
) -> None:
    async with beating(bus):
        await mesh.run(an_actor())
        await bus.writer.publish("s1", a_start(steps=100))
        for number, (spoiled, _) in enumerate(INVALID):
            await bus.writer.publish("s1", a_step(number))
            subject = f"lantern.{bus.cell.name}.s1.fragment.{number}.oracle"
            await bus.cell.js.publish(subject, spoiled(json.loads(a_fragment(bus, number))))
            proposed = await the_proposal(bus, number)
            assert proposed.missing == ("oracle",)

    found = sorted(await the_letters(bus, len(INVALID)), key=lambda letter: letter.letter.sequence)
    for number, (letter, (_, fault)) in enumerate(zip(found, INVALID, strict=True)):
        assert letter.service == "actor"
        assert letter.letter.error.startswith(f"The fragment of oracle for step {number} is ")
        assert fault in letter.letter.error


async def test_the_same_fault_again_and_again_is_one_dead_letter(bus: Bus, mesh: Mesh) -> None:
    async with beating(bus):
        await mesh.run(an_actor())
        await bus.writer.publish("s1", a_start(steps=100))
        for number, invalid in enumerate((b"[]", b"[]", b"[]", b"{not json")):
            await bus.writer.publish("s1", a_step(number))
            await bus.cell.js.publish(f"lantern.{bus.cell.name}.s1.fragment.{number}.oracle", invalid)
            await the_proposal(bus, number)
        found = await the_letters(bus, 2)

    assert sorted(letter.letter.payload_base64 for letter in found) == ["W10=", "e25vdCBqc29u"]


async def test_an_invalid_fragment_that_an_actor_finds_in_the_record_holds_up_no_step(
    bus: Bus, mesh: Mesh
) -> None:
    async with beating(bus):
        async with running([an_actor()], mesh.url, mesh.cell, mesh.settings):
            await bus.writer.publish("s1", a_start(steps=100))
        await bus.writer.publish("s1", a_step(0))
        await bus.cell.js.publish(f"lantern.{bus.cell.name}.s1.fragment.0.oracle", b"[]")
        await mesh.run(an_actor())  # it is given the step that waited for it

        assert (await the_proposal(bus, 0)).missing == ("oracle",)


def an_actor() -> ActorService:
    return ActorService(ActorSettings(deadline=60))


def a_fragment(bus: Bus, step: int) -> bytes:
    return encode(
        Envelope(
            version="1.1",
            kind=Kind.FRAGMENT,
            cell=bus.cell.name,
            session="s1",
            step=step,
            service=ORACLE,
            time=bus.cell.now(),
            trace_id=trace_id("s1", step),
            body=FragmentGiven(step=step),
        )
    )


async def the_proposal(bus: Bus, step: int) -> ActionProposed:
    async with asyncio.timeout(30):
        while (held := await bus.reader.read_at("s1", Kind.PROPOSAL, step)) is None:
            await asyncio.sleep(0.01)
    assert isinstance(held.body, ActionProposed)
    return held.body


async def the_letters(bus: Bus, number: int) -> list[StoredDeadLetter]:
    """The dead letters, once there are as many as this: they are kept beside the steps."""
    async with asyncio.timeout(30):
        while len(found := await letters(bus)) < number:
            await asyncio.sleep(0.01)
    return found


@asynccontextmanager
async def beating(bus: Bus) -> AsyncIterator[None]:
    """The oracle sends heartbeats while the block lasts, and does nothing else."""
    since = bus.cell.now()

    async def beat() -> None:
        while True:
            told = {**ORACLE.model_dump(), "cell": bus.cell.name, "gives_fragments": True}
            alive = ServiceAlive(**told, since=since, time=bus.cell.now())
            subject = live_subject(bus.cell.name, "oracle", "one")
            await bus.cell.nc.publish(subject, alive.model_dump_json().encode())
            await asyncio.sleep(0.1)

    task = asyncio.create_task(beat())
    yield
    task.cancel()
