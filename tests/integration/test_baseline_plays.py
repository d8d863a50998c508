"""The published agents through the mesh: the game and the actor alone, and a replay that gives the same."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from conftest import Mesh
from test_mesh import a_wish, played, told

from lantern.inspect.replaying import replaying_named
from lantern.play.resume import resume
from lantern.play.session_options import ResumeOptions, absent_services
from lantern.views.text_view import SilentView
from mesh.record.bus import Bus
from mesh.settings import MeshSettings
from schemas.actor import ActionProposed
from schemas.fragment import FragmentGiven
from schemas.game import StepTaken
from services.actor.policies import PLAYERS, PolicyName
from services.actor.service import ActorService
from services.game.service import GameService

STEPS = 10


@pytest.mark.parametrize("policy", [PolicyName.COMPETITION_RANDOM, *PLAYERS])
async def test_a_baseline_plays_alone_from_the_text_and_replays_equal(
    bus: Bus, nats_url: str, mesh: Mesh, settings: MeshSettings, policy: str
) -> None:
    await mesh.run(GameService(), ActorService())
    session = f"{bus.cell.name}-{policy}"
    wish = replace(a_wish(bus.cell.name, steps=STEPS, session=session), policy=policy, text_only=True)

    async with asyncio.timeout(60):
        summary = await played(replace(wish, without=absent_services(policy, ())), nats_url, settings)

    proposals = await told(bus, ActionProposed, session)
    steps = [step.action for step in await told(bus, StepTaken, session)]
    replay = replaying_named(session, ["actor"], [], settings.model_copy(update={"nats_url": nats_url}))
    async with replay as replayed:
        differences = [each.differences async for each in replayed if each.differences]

    assert (summary.as_json()["steps"], summary.as_json()["degraded_steps"]) == (STEPS, 0)
    assert await told(bus, FragmentGiven, session) == []
    assert {proposal.policy for proposal in proposals} == {policy}
    assert steps[1:] == [proposal.action for proposal in proposals]
    assert differences == []


async def test_a_session_that_is_resumed_goes_on_as_if_it_had_never_stopped(
    bus: Bus, nats_url: str, mesh: Mesh, settings: MeshSettings
) -> None:
    await mesh.run(GameService(), ActorService())
    wish = replace(a_wish(bus.cell.name), policy="golovin", text_only=True)
    alone = replace(wish, without=absent_services("golovin", ()))

    async with asyncio.timeout(60):
        await played(replace(alone, steps=STEPS, session="whole"), nats_url, settings)
        await played(replace(alone, steps=STEPS - 4, session="cut"), nats_url, settings)
    again = ResumeOptions("cut", bus.cell.name, steps=4)
    await resume(again, settings.model_copy(update={"nats_url": nats_url}), SilentView())

    whole, cut = [[step.action for step in await told(bus, StepTaken, name)] for name in ("whole", "cut")]
    assert len(whole) == STEPS + 1
    assert whole == cut
