"""A person plays a session, or takes its controls for a while; it is recorded like any other."""

from __future__ import annotations

import asyncio

import pytest
from conftest import Mesh

from lantern.inspect.replaying import replaying
from lantern.play.services import SERVICES, service_named
from lantern.play.session_requests import ask_advice, ask_pace, stop_session, take_controls, type_action
from lantern.play.story_files import load_story
from mesh.errors import FailureError, NobodyAnswers
from mesh.record import stories
from mesh.record.bus import Bus
from schemas.actor import ActionProposed
from schemas.base import Kind
from schemas.critic import ActionJudged, Decision
from schemas.game import SessionAnswer, SessionPace, StartSession, StepTaken
from services.actor.service import ActorService
from services.game.service import GameService
from services.game.settings import GameSettings


async def a_mesh(mesh: Mesh) -> None:
    await mesh.run(GameService(GameSettings(verdict_deadline=30, search_seconds=5, search_candidates=5)))
    await mesh.run(*(service_named(name, mesh.settings.home) for name in SERVICES if name != "game"))


async def start(bus: Bus, session: str, policy: str, steps: int = 12) -> None:
    md5 = await stories.put(bus.cell, load_story("bundled").data)
    wish = StartSession(session=session, game="kelder.z5", story_md5=md5, policy=policy, seed=1, steps=steps)
    assert (await bus.requests.ask("game", "start", wish, SessionAnswer, session=session, timeout=60)).ok


async def reached(bus: Bus, session: str, step: int) -> StepTaken:
    async with asyncio.timeout(60):
        while (found := await bus.reader.read_at(session, Kind.STEP, step)) is None:
            await asyncio.sleep(0.02)
    assert isinstance(found.body, StepTaken)
    return found.body


async def typed(bus: Bus, session: str, step: int, action: str) -> StepTaken:
    await reached(bus, session, step)
    await type_action(session, bus, step, action)
    return await reached(bus, session, step + 1)


async def proposal(bus: Bus, session: str, step: int) -> ActionProposed:
    found = await bus.reader.read_at(session, Kind.PROPOSAL, step)
    assert found is not None and isinstance(found.body, ActionProposed)
    return found.body


async def test_a_person_plays_gets_advice_and_lets_the_agent_play_for_a_while(bus: Bus, mesh: Mesh) -> None:
    await a_mesh(mesh)
    await start(bus, "s", "human")

    assert (await typed(bus, "s", 0, "north")).action == "north"
    for _ in range(3):  # the critic would replace it
        last = await bus.reader.last_step("s")
        assert last is not None
        assert (await typed(bus, "s", last.step, "eat cliff")).action == "eat cliff"
    verdict = await bus.reader.read_at("s", Kind.VERDICT, 3)
    assert verdict is not None and isinstance(verdict.body, ActionJudged)
    assert (verdict.body.decision, verdict.body.by) == (Decision.APPROVE, "critic")
    assert (await proposal(bus, "s", 3)).policy == "human"

    await reached(bus, "s", 4)
    advice = await advised(bus, "s")
    assert await take_controls("s", bus) is True
    with pytest.raises(FailureError, match="not at step 1 any more"):
        await type_action("s", bus, 1, "look")

    assert await take_controls("s", bus, by_hand=False) is False
    await reached(bus, "s", 6)
    assert (await proposal(bus, "s", 4)).action == advice
    assert (await proposal(bus, "s", 4)).policy == "heuristic"
    with pytest.raises(FailureError, match="agent has the controls"):
        await type_action("s", bus, 6, "look")
    await stop_session("s", bus)


async def advised(bus: Bus, session: str) -> str:
    async with asyncio.timeout(30):
        while True:
            try:
                return (await ask_advice(session, bus)).action
            except NobodyAnswers:
                raise
            except FailureError:  # the fragments are not there yet
                await asyncio.sleep(0.02)


async def test_the_controls_of_any_session_can_be_taken_and_its_actor_is_replayed(
    bus: Bus, mesh: Mesh
) -> None:
    await a_mesh(mesh)
    await start(bus, "s", "heuristic", steps=8)
    await ask_pace("s", bus, SessionPace(hold_after=1))
    await reached(bus, "s", 1)
    assert await take_controls("s", bus, by_hand=True) is True
    await ask_pace("s", bus, SessionPace())
    last = await held(bus, "s")
    assert (await typed(bus, "s", last, "inventory")).action == "inventory"
    await take_controls("s", bus, by_hand=False)
    await reached(bus, "s", 8)

    async with replaying("s", [ActorService()], bus, mesh.url, mesh.settings) as steps:
        async for replayed in steps:
            assert replayed.differences == ()


async def held(bus: Bus, session: str) -> int:
    """The step that waits for a person."""
    last = -1
    async with asyncio.timeout(60):
        while True:
            newest = await bus.reader.last_step(session)
            if newest is not None and newest.step == last and await no_proposal(bus, session, last):
                return last
            last = newest.step if newest else -1
            await asyncio.sleep(0.3)


async def no_proposal(bus: Bus, session: str, step: int) -> bool:
    return await bus.reader.read_at(session, Kind.PROPOSAL, step) is None


async def test_a_session_that_waits_for_a_person_is_ended_and_taken_up_again(bus: Bus, mesh: Mesh) -> None:
    await a_mesh(mesh)
    await start(bus, "s", "human")
    await typed(bus, "s", 0, "north")
    await stop_session("s", bus)
    with pytest.raises(FailureError, match="no session"):
        await take_controls("s", bus, by_hand=True)
    assert await no_proposal(bus, "s", 1)
