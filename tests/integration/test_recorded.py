"""The recorded sessions, replayed through every service: what behaves otherwise than before is found here.

Where it was on purpose, `make record` plays them anew and tells what has changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from lantern.inspect.replay_report import difference_line
from lantern.inspect.replaying import replaying
from lantern.play.services import SERVICES, service_named
from mesh.record.bus import Bus
from mesh.replay.replay import published_kinds
from mesh.runner.service import Service
from mesh.settings import MeshSettings
from schemas.base import Kind
from schemas.fragment import FragmentGiven
from schemas.game import SessionStarted
from tests.support.sessions.recorded import plain, put, recorded, transcript, transcript_of
from tests.support.sessions.recorded_sessions import SESSIONS


@pytest.mark.parametrize("name", SESSIONS)
async def test_every_service_says_what_is_recorded_given_what_is_recorded_or_what_the_others_say_now(
    bus: Bus, nats_url: str, settings: MeshSettings, name: str
) -> None:
    messages = recorded(name)
    await put(bus, (message.model_copy(update={"session": bus.cell.name}) for message in messages))
    all_there = [service for service in SERVICES if service in published_kinds(messages).keys() - {"game"}]
    judges = [service for service in all_there if service in ("actor", "critic")]

    for names in (all_there, *([judge] for judge in judges)):
        assert await found(names, bus, nats_url, settings) == []


async def found(names: Sequence[str], bus: Bus, nats_url: str, settings: MeshSettings) -> list[str]:
    """What services say otherwise than recorded (and that they say anything)."""
    services: list[Service[Any]] = [service_named(service, settings.home) for service in names]
    differing, compared = [], 0
    async with replaying(bus.cell.name, services, bus, nats_url, settings) as steps:
        async for step in steps:
            compared += step.compared
            differing += [f"step {step.number} {difference_line(each)}" for each in step.differences]
    assert compared >= 10 * len(names)
    return differing


@pytest.mark.parametrize("name", SESSIONS)
def test_a_recorded_session_is_in_its_plain_form_and_its_transcript_is_of_it(name: str) -> None:
    assert plain(recorded(name)) == recorded(name)
    assert transcript_of(name).read_text() == transcript(recorded(name))


def test_the_recorded_sessions_hold_what_they_are_kept_for() -> None:
    talk = [m.body for m in recorded("a-talk") if m.service.name == "npc_tracker"]
    late = [m.body for m in recorded("late") if m.kind is Kind.PROPOSAL]
    starts = [m.body for m in recorded("resumed") if isinstance(m.body, SessionStarted)]
    by_text = [m.body for m in recorded("text-only") if isinstance(m.body, SessionStarted)]

    assert any(isinstance(given, FragmentGiven) and given.sections for given in talk)
    assert [p.missing for p in late if p.missing] == [("straggler",)] * 3
    assert [start.resumed for start in starts] == [False, True]
    assert [start.text_only for start in by_text] == [True]
