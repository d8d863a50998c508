"""What the actor uses at a step is in its proposal: also after services were stopped and started again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from conftest import Mesh
from test_mesh import a_wish, played, told
from test_runner import a_start, a_step

from examples.my_actor import MyActor
from lantern.inspect.replaying import replaying, replaying_named
from lantern.play.compose import running
from mesh.record.bus import Bus
from mesh.record.reader import RecordReader
from mesh.runner.fragments import FragmentService
from mesh.runner.service import Service, Session
from mesh.settings import MeshSettings
from schemas.actor import ActionProposed, FragmentUsed
from schemas.base import Kind
from schemas.envelope import ServiceRef
from schemas.game import SessionStarted, StepTaken
from services.actor.context.assembly import FragmentAssembler, MissedDeadlines
from services.actor.context.listener import FragmentListener
from services.actor.service import ActorService
from services.actor.settings import ActorSettings

MY_ACTOR = f"{Path(__file__).parents[2] / 'examples' / 'my_actor.py'}:MyActor"


class Half:
    """Half of the last step's number."""

    number = 0

    def after(self, step: StepTaken) -> Half:
        self.number = step.step // 2
        return self


class Halver(FragmentService[Half]):
    """Says something new at every other step."""

    name = "halver"
    version = "1.0.0"

    def initial_state(self, started: SessionStarted) -> Half:
        return Half()

    def fragment_for(self, state: Half) -> str:
        return f"half is {state.number}"


def an_actor(deadline: float = 60) -> ActorService:
    return ActorService(ActorSettings(deadline=deadline))


Run = Callable[..., Any]


@pytest.fixture
def run(nats_url: str, bus: Bus, settings: MeshSettings) -> Run:
    """Runs services for a block."""
    return lambda *services: running(services, nats_url, bus.cell.name, settings)


async def proposal(bus: Bus, step: int) -> ActionProposed:
    """The proposal for a step, as soon as it is there."""
    async with asyncio.timeout(20):
        while (found := await bus.reader.read_at("s1", Kind.PROPOSAL, step)) is None:
            await asyncio.sleep(0.01)
    assert isinstance(found.body, ActionProposed)
    return found.body


async def test_a_proposal_names_the_step_of_each_text_whoever_was_restarted(bus: Bus, run: Run) -> None:
    used = []
    await bus.writer.publish("s1", a_start())
    for step in range(5):
        async with run(Halver(), an_actor()):
            await bus.writer.publish("s1", a_step(step))
            used.append((await proposal(bus, step)).fragments)

    assert used == [(FragmentUsed(service="halver", step=step),) for step in (0, 0, 2, 2, 4)]


async def test_an_actor_that_takes_over_finds_an_old_text_without_reading_back_to_it(
    bus: Bus, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(RecordReader, "steps_answered")  # lists all answers of a service
    await bus.writer.publish("s1", a_start())
    for step in range(2):
        async with run(Halver(), an_actor()):
            await bus.writer.publish("s1", a_step(step))
            proposed = await proposal(bus, step)

    assert proposed.fragments == (FragmentUsed(service="halver", step=0),)


async def test_an_actor_that_takes_over_an_opening_waits_for_services_that_start_beside_it(
    bus: Bus, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.actor.context.listener.SETTLING", 5.0)
    async with run(Halver(), an_actor()):
        await bus.writer.publish("s1", a_start())
    await bus.writer.publish("s1", a_step(0))

    async with AsyncExitStack() as stack:
        await stack.enter_async_context(run(an_actor()))
        await stack.enter_async_context(run(Halver()))
        proposed = await proposal(bus, 0)

    assert proposed.fragments == (FragmentUsed(service="halver", step=0),)
    assert proposed.missing == ()


async def test_an_actor_that_takes_over_a_step_misses_whom_the_record_names(bus: Bus, run: Run) -> None:
    await bus.writer.publish("s1", a_start())
    async with run(Halver(), an_actor()):
        await bus.writer.publish("s1", a_step(0))
        await proposal(bus, 0)
    await bus.writer.publish("s1", a_step(1))

    async with run(an_actor(deadline=0.3)):
        proposed = await proposal(bus, 1)

    assert (proposed.fragments, proposed.missing) == ((), ("halver",))


async def test_a_service_that_stops_is_waited_for_once_and_missing_until_it_answers_again(
    bus: Bus, run: Run
) -> None:
    await bus.writer.publish("s1", a_start())
    async with run(an_actor(deadline=0.3)):
        async with run(Halver()):
            await bus.writer.publish("s1", a_step(0))
            await proposal(bus, 0)
        for step in (1, 2):
            await bus.writer.publish("s1", a_step(step))
            await proposal(bus, step)

    first, second = [await proposal(bus, step) for step in (1, 2)]
    assert (first.fragments, first.missing) == ((FragmentUsed(service="halver", step=0),), ("halver",))
    assert (second.fragments, second.missing) == ((), ("halver",))


async def test_an_actor_that_takes_turns_with_another_expects_whom_that_one_used(
    bus: Bus, settings: MeshSettings
) -> None:
    actor = bus.speaking_as(ServiceRef(name="actor", version="1.0.0", instance="a"))
    other = bus.speaking_as(ServiceRef(name="actor", version="1.0.0", instance="b"))
    session = Session[None, FragmentAssembler]("s1", a_start(), None)
    session.resources = FragmentAssembler(MissedDeadlines(patience=3))
    listener = FragmentListener(ActorSettings(deadline=0.05))
    await listener.open(actor, settings)
    await bus.writer.publish("s1", a_start())
    missing = []
    for step in range(3):
        await bus.writer.publish("s1", a_step(step))
        if step == 1:
            used = (FragmentUsed(service="halver", step=1),)
            proposed = ActionProposed(step=1, action="look", policy="random", reason="", fragments=used)
            await other.writer.publish("s1", proposed)
        elif (taken := await bus.reader.read_at("s1", Kind.STEP, step)) is not None:
            missing.append((await listener.context_for(session, taken)).missing)

    assert missing == [(), ("halver",)]


async def test_an_actor_of_the_users_replays_in_the_same_way(
    bus: Bus, mesh: Mesh, nats_url: str, settings: MeshSettings
) -> None:
    session = f"{bus.cell.name}-s"
    await mesh.run(MyActor())
    await played(a_wish(bus.cell.name, steps=12, session=session), nats_url, settings)
    reasons = {proposal.reason for proposal in await told(bus, ActionProposed, session)}
    assert "by chance" in reasons and any("suggests it" in reason for reason in reasons)

    here = settings.model_copy(update={"nats_url": nats_url})
    async with replaying_named(session, ["all"], [MY_ACTOR], here) as steps:
        assert [step.differences async for step in steps] == [()] * 13
    ours: list[Service[Any]] = [ActorService()]
    async with replaying(session, ours, bus, nats_url, settings) as steps:
        fields = {each.field for step in [step async for step in steps] for each in step.differences}
    assert "action" in fields
    assert not any(field.startswith(("fragments", "missing")) for field in fields)
