"""The planner in sessions: what it finds, when it tells it, and what happens when it goes."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace

import pytest
from conftest import Mesh
from test_mesh import a_wish, played, services_used, told
from test_pacing import hold_after, pace
from test_replay import at_step, what_differs

from lantern.play.compose import running
from lantern.play.services import SERVICES, service_named
from lantern.play.session_options import PlayOptions
from lantern.play.story_files import load_story
from mesh.errors import InputError
from mesh.record.bus import Bus
from mesh.settings import MeshSettings
from schemas.actor import ActionProposed
from schemas.fragment import FragmentGiven
from schemas.game import Handicap, SessionPace, SessionStarted
from schemas.lookahead import LookedAhead
from search.lookahead.messages import LookAhead
from search.lookahead.process import LookaheadFailed, LookaheadProcess
from services.actor.service import ActorService
from services.actor.settings import ActorSettings
from services.planner.service import PlannerService
from services.planner.settings import PlannerSettings
from tests.support.processes.command import Lantern

PATIENT = PlannerSettings(probes=60, patience=60.0)
"""So patient that what it tells does not depend on the machine."""
HASTY = PlannerSettings(probes=60, patience=0.0)
STEPS = 6


def ahead(cell: str, *, steps: int = STEPS) -> PlayOptions:
    return replace(a_wish(cell, steps=steps, session=cell), lookahead=True)


async def test_a_session_that_allows_it_is_told_what_is_ahead_and_replays(
    bus: Bus, nats_url: str, mesh: Mesh, settings: MeshSettings
) -> None:
    settings = settings.model_copy(update={"nats_url": nats_url})
    await mesh.run(ActorService(ActorSettings(deadline=60.0)), PlannerService(PATIENT))

    summary = await played(ahead(bus.cell.name), nats_url, settings)

    found = await told(bus, LookedAhead, bus.cell.name)
    [started] = await told(bus, SessionStarted, bus.cell.name)
    proposals = await told(bus, ActionProposed, bus.cell.name)
    assert Handicap.LOOKAHEAD in started.handicaps
    assert [each.step for each in found] == [each.origin for each in found] == [*range(STEPS)]
    assert summary.as_json()["probes"] == sum(each.spent for each in found) >= STEPS * 50
    assert all("planner" in services_used(proposal) for proposal in proposals)
    assert f"looked ahead: {summary.probes:,} probes" in summary.lines()
    assert await what_differs(bus.cell.name, settings, "all") == []


async def test_a_session_that_does_not_allow_it_is_told_nothing(
    bus: Bus, nats_url: str, mesh: Mesh, settings: MeshSettings
) -> None:
    await mesh.run(PlannerService(PATIENT))

    summary = await played(a_wish(bus.cell.name, steps=STEPS, session=bus.cell.name), nats_url, settings)

    given = [each for each in await told(bus, FragmentGiven, bus.cell.name) if each.sections]
    assert await told(bus, LookedAhead, bus.cell.name) == [] and summary.probes == 0
    assert "planner" not in {section.name for each in given for section in each.sections}
    assert summary.as_json()["degraded_steps"] == 0


async def test_the_step_does_not_wait_for_a_planner_without_patience(
    bus: Bus, nats_url: str, mesh: Mesh, settings: MeshSettings
) -> None:
    settings = settings.model_copy(update={"nats_url": nats_url})
    await mesh.run(PlannerService(HASTY))

    summary = await played(ahead(bus.cell.name, steps=15), nats_url, settings)

    assert all(each.origin < each.step for each in await told(bus, LookedAhead, bus.cell.name))
    assert summary.as_json()["degraded_steps"] == 0
    assert await what_differs(bus.cell.name, settings, "all") == []


async def test_it_leaves_and_joins_a_session_under_way(
    bus: Bus, nats_url: str, mesh: Mesh, settings: MeshSettings
) -> None:
    settings = settings.model_copy(update={"nats_url": nats_url})
    await mesh.run(ActorService(ActorSettings(deadline=10.0)))
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(running([PlannerService(PATIENT)], nats_url, bus.cell.name, settings))
        playing = asyncio.create_task(played(ahead(bus.cell.name, steps=24), nats_url, settings))
        await at_step(bus, bus.cell.name, 3)
    gone = (await bus.reader.last_step(bus.cell.name)).step
    await hold_after(bus, bus.cell.name, gone + 8)  # so that steps are left when the planner has started
    await at_step(bus, bus.cell.name, gone + 8)
    async with running([PlannerService(PATIENT)], nats_url, bus.cell.name, settings):
        assert (await pace(bus, bus.cell.name, SessionPace())).ok
        summary = await playing

    proposals = await told(bus, ActionProposed, bus.cell.name)
    assert summary.as_json()["steps"] == 24
    assert any("planner" in services_used(proposal) for proposal in proposals[: gone + 1])
    assert "planner" in services_used(proposals[-1])
    assert any("planner" in proposal.missing for proposal in proposals)
    assert "planner" not in proposals[-1].missing
    assert await what_differs(bus.cell.name, settings, "planner") == []


async def test_a_world_that_the_moves_do_not_reach_is_not_searched_and_a_dead_emulator_is_replaced() -> None:
    process = LookaheadProcess(load_story("bundled"), seed=1)
    nowhere = LookAhead(("north",), "another world", (), seed=1, probes=1_000)
    try:
        elsewhere = await process.ask(nowhere)
        assert process._process is not None
        process._process.kill()
        with pytest.raises(LookaheadFailed, match="has ended"):
            await process.ask(nowhere)
        again = await process.ask(nowhere)
    finally:
        await process.end()

    assert (elsewhere.reached, elsewhere.probes, elsewhere.spent) == (False, 0, 1) == (again.reached, 0, 1)


def test_the_command_starts_the_planner_itself_and_says_how_far_it_looked(lantern: Lantern) -> None:
    lantern.env |= {"LANTERN_PLANNER_PATIENCE": "60", "LANTERN_ACTOR_DEADLINE": "60"}

    result = lantern.run("play", "--lookahead", "--steps", "4", "--policy", "heuristic")

    assert result.returncode == 0
    assert (
        "  planner: " in result.stdout
        and "probes ahead" in result.stdout
        and "looked ahead: " in result.stdout
    )


def test_a_planner_in_a_session_of_text_alone_is_refused(lantern: Lantern) -> None:
    result = lantern.run("play", "--lookahead", "--text-only")

    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
    assert "exclude each other" in result.stderr


def test_the_planner_runs_only_where_somebody_asks_for_it() -> None:
    assert "planner" not in SERVICES
    assert isinstance(service_named("planner", MeshSettings().home), PlannerService)
    with pytest.raises(InputError, match="planner"):
        service_named("plannner", MeshSettings().home)
