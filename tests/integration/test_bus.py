"""The bus on a real server: what is in the record is there once, whoever publishes it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from nats.errors import TimeoutError as NatsTimeout

from lantern.nats.connection import connection
from mesh.errors import BusUnreachable, NobodyAnswers
from mesh.nats.message_versions import KEY, OtherMessages, metadata_for
from mesh.nats.subjects import STREAM, subject_of
from mesh.record.batches import Batches
from mesh.record.bus import Bus
from mesh.record.writer import PublishOutcome
from mesh.runner import dead_letters
from schemas.actor import ActionProposed
from schemas.base import Kind
from schemas.game import StepTaken
from schemas.memory import AskMemory, MemoryAnswer
from tests.support.servers.own_server import OwnServer


def a_proposal(action: str = "look", *, step: int = 3) -> ActionProposed:
    return ActionProposed(step=step, action=action, policy="heuristic", reason="a test")


async def test_a_message_is_stored_and_read_back(bus: Bus) -> None:
    outcome = await bus.writer.publish("s1", a_proposal("open door"), cause="s1.step.3")

    found = await bus.reader.read_at("s1", Kind.PROPOSAL, 3)
    assert outcome is PublishOutcome.STORED
    assert found is not None and found.body == a_proposal("open door")
    assert (found.cause, found.service, found.session) == ("s1.step.3", bus.cell.me, "s1")


async def test_who_publishes_again_is_told_that_the_message_is_there(bus: Bus) -> None:
    await bus.writer.publish("s1", a_proposal())

    assert await bus.writer.publish("s1", a_proposal()) is PublishOutcome.MINE


async def test_what_is_acknowledged_too_late_is_stored_all_the_same(
    bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish = bus.cell.js.publish

    async def late(*message: Any, **options: Any) -> None:
        await publish(*message, **options)
        raise NatsTimeout

    monkeypatch.setattr(bus.cell.js, "publish", late)
    assert await bus.writer.publish("s1", a_proposal()) is PublishOutcome.STORED


async def test_of_two_instances_the_first_wins(bus: Bus, nats_url: str) -> None:
    async with connection(nats_url, bus.cell.name) as other:
        first = await bus.writer.publish("s1", a_proposal("north"))
        second = await other.writer.publish("s1", a_proposal("south"))

    kept = await bus.reader.read_at("s1", Kind.PROPOSAL, 3)
    assert (first, second) == (PublishOutcome.STORED, PublishOutcome.LOST)
    assert kept is not None and kept.body == a_proposal("north")


async def test_reading_may_be_broken_off_while_the_connection_is_being_closed(nats_url: str) -> None:
    async with connection(nats_url, "main") as other:
        batches = await Batches(other.cell, "lantern.main.s1.>").__aenter__()
        closing = asyncio.ensure_future(other.cell.nc.drain())
        while not other.cell.nc.is_draining:
            await asyncio.sleep(0)

        await batches.__aexit__(None, None, None)

        await closing


@pytest.mark.parametrize("squatter", [b"", b"\xff\x00", b"{}", b'{"version": "1.0", "kind": "proposal"}'])
async def test_rubbish_on_a_subject_is_buried_and_the_message_takes_its_place(
    bus: Bus, squatter: bytes
) -> None:
    await bus.cell.js.publish(subject_of(bus.cell.address("s1", Kind.PROPOSAL, 3)), squatter)

    assert await bus.writer.publish("s1", a_proposal("north")) is PublishOutcome.STORED
    letters = [letter async for letter in dead_letters.every(bus.cell)]
    assert [letter.payload for letter in letters] == [squatter]


async def test_a_message_of_a_newer_major_version_is_not_displaced(bus: Bus) -> None:
    newer = bus.writer.envelope("s1", a_proposal("fly"), None).model_copy(update={"version": "2.0"})
    place = bus.cell.address("s1", Kind.PROPOSAL, 3)
    await bus.cell.js.publish(subject_of(place), newer.model_dump_json().encode())

    assert await bus.writer.publish("s1", a_proposal("north")) is PublishOutcome.LOST


async def test_a_session_is_read_in_the_order_in_which_it_happened(bus: Bus) -> None:
    for number in range(70):
        await bus.writer.publish("s1", StepTaken(step=number, action=None, observation=f"text {number}"))
        await bus.writer.publish("s1", a_proposal(step=number))
    await bus.writer.publish("s2", a_proposal(step=0))

    told = [(envelope.kind, envelope.step) async for envelope in bus.reader.messages("s1")]
    steps = [step.step async for step in bus.reader.steps("s1", 0, 1000)]
    assert told == [(kind, number) for number in range(70) for kind in (Kind.STEP, Kind.PROPOSAL)]
    assert steps == list(range(70))


async def test_provisioning_again_changes_nothing(bus: Bus) -> None:
    await bus.writer.publish("s1", a_proposal())

    await bus.cell.provision()

    assert await bus.reader.read_at("s1", Kind.PROPOSAL, 3) is not None


async def test_a_question_that_nobody_serves_is_answered_at_once_with_the_mend(bus: Bus) -> None:
    with pytest.raises(NobodyAnswers, match="lantern serve memory"):
        await bus.requests.ask(
            "memory", "search", AskMemory(session="s1", question="where am I"), MemoryAnswer, session="s1"
        )


async def test_a_server_that_is_not_there_is_one_line_without_the_password() -> None:
    with pytest.raises(BusUnreachable) as caught:
        async with connection("nats://me:secret@127.0.0.1:1", "main"):
            pass

    assert "127.0.0.1:1" in str(caught.value)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


async def test_a_stream_for_newer_messages_is_left_alone(server: OwnServer) -> None:
    async with connection(server.url, "main") as bus:
        config = (await bus.cell.jsm.stream_info(STREAM)).config
        assert (config.metadata or {}).items() >= metadata_for().items()
        newer = replace(config, metadata={KEY: "step=99"})
        await bus.cell.jsm.update_stream(newer)

        with pytest.raises(OtherMessages, match="step messages of version 99"):
            await bus.cell.provision()
        assert ((await bus.cell.jsm.stream_info(STREAM)).config.metadata or {})[KEY] == "step=99"


async def test_a_stream_for_older_messages_is_brought_up_to_date(server: OwnServer) -> None:
    async with connection(server.url, "main") as bus:
        older = replace((await bus.cell.jsm.stream_info(STREAM)).config, metadata={KEY: "step=0"})
        await bus.cell.jsm.update_stream(older)

        await bus.cell.provision()

        assert ((await bus.cell.jsm.stream_info(STREAM)).config.metadata or {})[KEY] == metadata_for()[KEY]
