"""Whole sessions of the actor that asks a model: won, replayed, without a model, killed and started again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from conftest import Mesh
from test_mesh import a_wish, played, told

from language_model.model import ModelError, Prompt, Reply
from language_model.scripted import ScriptedModel
from lantern.inspect.replaying import replaying
from lantern.play.services import SERVICES, service_named
from lantern.play.session_options import PlayOptions
from mesh.record.bus import Bus
from mesh.settings import MeshSettings
from schemas.actor import ActionProposed
from schemas.game import REFLACT
from schemas.language_model import ModelAsked
from services.actor.service import ActorService
from services.actor.settings import ActorSettings
from tests.support.scenes.scripts import advising, asking, playing, step_in, wants_advice

WALKTHROUGH = Path(__file__).with_name("bundled_walkthrough.txt").read_text().splitlines()
PATIENT = ActorSettings(model_deadline=60)

Script = Callable[[Prompt], Reply]


def wished(bus: Bus, *, steps: int) -> PlayOptions:
    return replace(a_wish(bus.cell.name, steps=steps, session=f"{bus.cell.name}-s"), policy=REFLACT)


def an_actor(script: Script, settings: ActorSettings = PATIENT) -> tuple[ActorService, ScriptedModel]:
    actor, model = ActorService(settings), ScriptedModel(script)
    actor.model = model
    return actor, model


def by_the_book(prompt: Prompt) -> Reply:
    """The walkthrough of the bundled game, one action a step."""
    if wants_advice(prompt):
        return advising()
    return playing(WALKTHROUGH[step_in(prompt) % len(WALKTHROUGH)])


async def asked_of(bus: Bus, service: str = "actor") -> list[ModelAsked]:
    messages = bus.reader.messages(f"{bus.cell.name}-s")
    return [e.body async for e in messages if isinstance(e.body, ModelAsked) and e.service.name == service]


async def test_a_model_that_knows_the_way_wins_and_a_replay_asks_nobody_and_gives_the_same(
    bus: Bus, mesh: Mesh, nats_url: str, settings: MeshSettings
) -> None:
    actor, model = an_actor(by_the_book)
    await mesh.run(actor)
    summary = await played(wished(bus, steps=len(WALKTHROUGH)), nats_url, settings)
    session = f"{bus.cell.name}-s"

    proposals = await told(bus, ActionProposed, session)
    assert (summary.victories, summary.best_score) == (1, 50)
    assert [proposal.action for proposal in proposals] == WALKTHROUGH
    assert {proposal.degraded for proposal in proposals} == {""}
    assert {proposal.mind.objective for proposal in proposals} == {"See all there is to see."}
    assert {proposal.reason for proposal in proposals} == {"It is time."}
    assert len(model.prompts) == len(WALKTHROUGH) == len(await asked_of(bus))

    again = [service_named(name, settings.home / "again") for name in SERVICES if name != "game"]
    for services in ([ActorService()], again):
        async with replaying(session, services, bus, nats_url, settings) as steps:
            replayed = [step async for step in steps]
        assert [step.differences for step in replayed] == [()] * (len(WALKTHROUGH) + 1)
        assert sum(step.compared for step in replayed) >= len(WALKTHROUGH)
    assert len(model.prompts) == len(WALKTHROUGH)


async def test_a_session_whose_model_dies_is_finished_by_rule_and_each_such_step_says_so(
    bus: Bus, mesh: Mesh, nats_url: str, settings: MeshSettings
) -> None:
    def dying(prompt: Prompt) -> Reply:
        if step_in(prompt) >= 30:
            raise ModelError("The model is dead.")
        return by_the_book(prompt)

    actor, _ = an_actor(dying)
    await mesh.run(actor)
    summary = await played(wished(bus, steps=100), nats_url, settings)

    proposals = await told(bus, ActionProposed, f"{bus.cell.name}-s")
    failed = {asked.step for asked in await asked_of(bus) if asked.error}
    named = {proposal.step: proposal.degraded for proposal in proposals if proposal.degraded}
    silent = [proposal for proposal in proposals[30:] if not proposal.degraded]
    counts = summary.as_json()
    assert (counts["steps"], counts["ended"]) == (100, "budget")
    assert named.keys() == failed
    assert len(failed) >= 50 and min(failed) == 30
    assert all("The model is dead." in why for why in named.values())
    assert all(proposal.reason.startswith("by rule, for nothing new") for proposal in silent)
    assert {proposal.mind.objective for proposal in proposals} == {"See all there is to see."}


async def test_what_was_looked_up_is_in_the_record_so_a_replay_needs_no_memory(
    bus: Bus, mesh: Mesh, nats_url: str, settings: MeshSettings
) -> None:
    def curious(prompt: Prompt) -> Reply:
        asked = sum("Memory: " in said.text for said in prompt.parts)
        if wants_advice(prompt) or "ask_memory" not in [tool.name for tool in prompt.tools]:
            return by_the_book(prompt)
        return asking(("where am I", "what do I have", "exits")[asked])

    actor, model = an_actor(curious)
    await mesh.run(actor, service_named("memory", settings.home))
    await played(wished(bus, steps=4), nats_url, settings)

    proposals = await told(bus, ActionProposed, f"{bus.cell.name}-s")
    asides = model.prompts[4].parts[-6:]
    assert [proposal.action for proposal in proposals] == WALKTHROUGH[:4]
    assert len(model.prompts) == 13, "at the opening there is nothing to look up"
    assert [said.call.arguments["question"] for said in asides if said.call] == [
        "where am I",
        "what do I have",
        "exits",
    ]
    assert [said.text.split("\n")[0] for said in asides[1:4:2]] == [
        "Memory: You are in Jetty [29] since step 0.",
        "Memory: You have: letter (since step 0).",
    ]
    async with replaying(f"{bus.cell.name}-s", [ActorService()], bus, nats_url, settings) as steps:
        assert [step.differences async for step in steps] == [()] * 5


class Stopping(ScriptedModel):
    """From one of its calls on it never answers."""

    def __init__(self, script: Script, silent_from: int) -> None:
        super().__init__(script)
        self.silent_from, self.silent = silent_from, asyncio.Event()

    async def ask(self, prompt: Prompt) -> Reply:
        if len(self.prompts) == self.silent_from:
            self.prompts.append(prompt)
            self.silent.set()
            await asyncio.Event().wait()
        return await super().ask(prompt)


async def test_an_actor_that_starts_again_asks_the_same_and_is_given_what_was_replied(
    bus: Bus, mesh: Mesh, nats_url: str, settings: MeshSettings
) -> None:
    """It is killed while it waits for its second reply about a step."""

    def script(prompt: Prompt) -> Reply:
        step = step_in(prompt)
        looked = any("Memory: " in said.text for said in prompt.parts)
        if step == 5 and not looked:
            return asking("what do I have")
        return playing(WALKTHROUGH[step], objective=f"Reach step {step}.")

    first, second = ActorService(PATIENT), ActorService(PATIENT)
    first.model, second.model = Stopping(script, silent_from=6), ScriptedModel(script)
    mesh.settings = settings.model_copy(update={"drain": 0.05})
    await mesh.run(first)
    playing_on = asyncio.create_task(played(wished(bus, steps=8), nats_url, settings))
    await first.model.silent.wait()
    await mesh.stack.aclose()
    await mesh.run(second)
    await playing_on

    proposals = await told(bus, ActionProposed, f"{bus.cell.name}-s")
    assert [proposal.action for proposal in proposals] == WALKTHROUGH[:8]
    assert first.model.prompts[-1] == second.model.prompts[0]
    assert "== OBJECTIVE ==\nReach step 4." in second.model.prompts[0].parts[-3].text
    assert [asked.step for asked in await asked_of(bus)] == [0, 1, 2, 3, 4, 5, 5, 6, 7]


async def test_a_model_that_thinks_too_long_leaves_the_step_to_the_rules_and_a_replay_knows_it(
    bus: Bus, mesh: Mesh, nats_url: str, settings: MeshSettings
) -> None:
    actor = ActorService(ActorSettings(model_deadline=60, thinking=0.2))
    actor.model = Stopping(by_the_book, silent_from=2)
    await mesh.run(actor)
    await played(wished(bus, steps=4), nats_url, settings)

    proposals = await told(bus, ActionProposed, f"{bus.cell.name}-s")
    assert [bool(proposal.degraded) for proposal in proposals] == [False, False, True, False]
    assert "within 0.2 s (LANTERN_ACTOR_THINKING)" in proposals[2].degraded
    async with replaying(f"{bus.cell.name}-s", [ActorService()], bus, nats_url, settings) as steps:
        assert [step.differences async for step in steps] == [()] * 5
