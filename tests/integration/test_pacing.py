"""A session that is played is paused, stepped, slowed down and let go on; its record shows nothing of it."""

from __future__ import annotations

import asyncio

import pytest
from conftest import Mesh

from lantern.play.compose import running
from lantern.play.services import service_named
from lantern.play.story_files import load_story
from mesh.record import stories
from mesh.record.bus import Bus
from mesh.settings import MeshSettings
from schemas.base import Kind
from schemas.game import (
    EndReason,
    PaceAnswer,
    PaceSession,
    SessionAnswer,
    SessionPace,
    StartSession,
    StopSession,
)
from services.game.service import GameService
from services.game.settings import GameSettings

DEADLINE = 1.0
"""Seconds in which a verdict must come: shorter than the pauses here."""

STEPS = 20
OTHERS = ("hint", "actor", "critic")


async def a_mesh(mesh: Mesh, games: int = 1) -> None:
    game = GameSettings(verdict_deadline=DEADLINE, search_seconds=5, search_candidates=5)
    others = [service_named(name, mesh.settings.home) for name in OTHERS]
    for _ in range(games):
        await mesh.run(GameService(game))
    await mesh.run(*others)


async def start(bus: Bus, session: str, steps: int = STEPS) -> None:
    md5 = await stories.put(bus.cell, load_story("bundled").data)
    wish = StartSession(
        session=session, game="kelder.z5", story_md5=md5, policy="random", seed=1, steps=steps
    )
    assert (await bus.requests.ask("game", "start", wish, SessionAnswer, session=session, timeout=60)).ok


async def pace(bus: Bus, session: str, pace: SessionPace | None = None) -> PaceAnswer:
    wish = PaceSession(session=session, pace=pace)
    return await bus.requests.ask("game", "pace", wish, PaceAnswer, session=session, timeout=30)


async def hold_after(bus: Bus, session: str, step: int) -> None:
    assert (await pace(bus, session, SessionPace(hold_after=step))).ok


async def reached(bus: Bus, session: str, kind: Kind, step: int) -> None:
    async with asyncio.timeout(60):
        while await bus.reader.read_at(session, kind, step) is None:
            await asyncio.sleep(0.02)


async def pause(bus: Bus, session: str) -> int:
    """Hold the session where it is; the step after which it is held."""
    assert (await pace(bus, session, SessionPace(hold_after=0))).ok
    last = -1
    while (newest := await bus.reader.last_step(session)) is None or newest.step != last:
        last = newest.step if newest else -1
        await reached(bus, session, Kind.VERDICT, max(last, 0))
        await asyncio.sleep(0.3)  # an action that was begun before is executed
    return last


async def held_after(bus: Bus, session: str, step: int) -> None:
    """The verdict is there, and for longer than any deadline nobody executes it."""
    await reached(bus, session, Kind.VERDICT, step)
    await asyncio.sleep(1.5 * DEADLINE)
    assert await bus.reader.read_at(session, Kind.STEP, step + 1) is None


async def actions(bus: Bus, session: str) -> list[str | None]:
    return [step.action async for step in bus.reader.steps(session)]


@pytest.mark.parametrize("games", [1, 2])
async def test_a_session_is_held_stepped_and_let_go_on_and_nobody_misses_a_deadline(
    bus: Bus, mesh: Mesh, games: int
) -> None:
    await a_mesh(mesh, games)
    await start(bus, "plain")
    await reached(bus, "plain", Kind.ENDED, STEPS)

    await start(bus, "paused")
    held = await pause(bus, "paused")
    await hold_after(bus, "paused", held + 1)
    await held_after(bus, "paused", held + 1)
    assert (await pace(bus, "paused")).pace == SessionPace(hold_after=held + 1)
    assert (await pace(bus, "paused", SessionPace())).ok
    await reached(bus, "paused", Kind.ENDED, STEPS)

    assert await actions(bus, "paused") == await actions(bus, "plain")
    async for envelope in bus.reader.messages("paused"):
        assert not getattr(envelope.body, "missing", ())
        assert not getattr(envelope.body, "degraded", "")
        assert getattr(envelope.body, "by", "critic") == "critic"


async def test_a_paused_session_ends_at_once_when_it_is_stopped(bus: Bus, mesh: Mesh) -> None:
    await a_mesh(mesh)
    await start(bus, "s1")
    held = await pause(bus, "s1")

    stop = StopSession(session="s1")
    assert (await bus.requests.ask("game", "stop", stop, SessionAnswer, session="s1", timeout=30)).ok

    ended = await bus.reader.end_of("s1")
    assert ended is not None
    assert (ended.step, getattr(ended.body, "reason", "")) == (held, EndReason.STOPPED)
    assert len(await actions(bus, "s1")) == held + 1
    refused = await pace(bus, "s1", SessionPace())
    assert (refused.ok, "has ended" in refused.refusal) == (False, True)


async def test_services_leave_at_once_while_a_session_is_paused(
    bus: Bus, nats_url: str, settings: MeshSettings
) -> None:
    patient = settings.model_copy(update={"drain": 600.0})
    services = [GameService(GameSettings(spares=0)), *(service_named(name, settings.home) for name in OTHERS)]
    async with asyncio.timeout(60), running(services, nats_url, bus.cell.name, patient):
        await start(bus, "s1")
        held = await pause(bus, "s1")

    assert len(await actions(bus, "s1")) == held + 1
    assert await bus.reader.end_of("s1") is None


async def test_a_delay_lies_between_two_actions(bus: Bus, mesh: Mesh) -> None:
    await a_mesh(mesh)
    await start(bus, "s1", steps=4)
    assert (await pace(bus, "s1", SessionPace(delay=0.5))).ok
    await reached(bus, "s1", Kind.ENDED, 4)

    times = [e.time async for e in bus.reader.messages("s1") if e.kind is Kind.STEP]
    assert (times[4] - times[2]).total_seconds() > 0.8


async def test_the_pace_of_a_session_that_does_not_exist_is_refused(bus: Bus, mesh: Mesh) -> None:
    await a_mesh(mesh)

    refused = await pace(bus, "nobody", SessionPace())

    assert not refused.ok
    assert "'nobody'" in refused.refusal
