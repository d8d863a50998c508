"""A service that asks a language model, replayed: the record replies, or the model is asked anew."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from conftest import Mesh
from test_mesh import a_wish, played

from language_model.model import Model, NoModel, Prompt, PromptPart, Reply, Role
from language_model.scripted import ScriptedModel
from language_model.sub_agents.model_access import ModelAccess
from lantern.inspect.replaying import ReplayedStep, replaying
from mesh.record.bus import Bus
from mesh.runner.fragments import FragmentService, FragmentState
from mesh.runner.service import Session
from mesh.settings import MeshSettings
from schemas.base import Kind, Message
from schemas.envelope import Envelope
from schemas.fragment import FragmentGiven, Section
from schemas.game import SessionStarted, StepTaken

STEPS = 6


class Latest:
    """The last observation."""

    text = ""

    def after(self, step: StepTaken) -> Latest:
        self.text = step.observation
        return self


class Poet(ModelAccess, FragmentService[Latest]):
    """Has a model make a verse of what there is to see."""

    name = "poet"
    version = "1.0.0"

    def __init__(self, model: Model) -> None:
        self.model = model

    def initial_state(self, started: SessionStarted) -> Latest:
        return Latest()

    def fragment_for(self, state: Latest) -> None:
        return None

    async def answer(self, session: Session[FragmentState[Latest]], envelope: Envelope) -> Sequence[Message]:
        if not isinstance(envelope.body, StepTaken):
            return ()
        prompt = Prompt(parts=(PromptPart(role=Role.USER, text=f"Of this: {session.state.state.text}"),))
        reply = await self.model_for(session.id, envelope.step).ask(prompt)
        return (FragmentGiven(step=envelope.step, sections=(Section(name="poet", text=reply.text),)),)


def verse(asked: Prompt) -> Reply:
    return Reply(model="m", text=f"a verse of {len(asked.parts[0].text)} letters")


def other_verse(asked: Prompt) -> Reply:
    return Reply(model="m", text="another verse")


@pytest.fixture
async def session(bus: Bus, mesh: Mesh, nats_url: str, settings: MeshSettings) -> str:
    """A session that a poet has watched."""
    await mesh.run(Poet(ScriptedModel(verse)))
    await played(a_wish(bus.cell.name, steps=STEPS, session=f"{bus.cell.name}-s"), nats_url, settings)
    asked = [e async for e in bus.reader.messages(f"{bus.cell.name}-s") if e.kind is Kind.MODEL]
    assert [envelope.step for envelope in asked] == list(range(STEPS + 1))
    return f"{bus.cell.name}-s"


async def test_what_the_model_replied_is_in_the_record(
    session: str, bus: Bus, nats_url: str, settings: MeshSettings
) -> None:
    poet = Poet(ScriptedModel(other_verse))
    async with replaying(session, [poet], bus, nats_url, settings) as steps:
        replayed = [step async for step in steps]

    assert isinstance(poet.model, NoModel)
    assert [step.compared for step in replayed] == [1] * (STEPS + 1)
    assert [step.differences for step in replayed] == [()] * (STEPS + 1)


async def test_a_live_model_is_asked_anew(
    session: str, bus: Bus, nats_url: str, settings: MeshSettings
) -> None:
    model = ScriptedModel(other_verse)
    replayed: list[ReplayedStep] = []
    async with replaying(session, [Poet(model)], bus, nats_url, settings, live_model=True) as steps:
        replayed += [step async for step in steps]

    assert len(model.prompts) == STEPS + 1
    assert [[each.replayed for each in step.differences] for step in replayed] == [["another verse"]] * (
        STEPS + 1
    )


class Wordier(Poet):
    """Asks otherwise than was recorded."""

    version = "2.0.0"

    async def answer(self, session: Session[FragmentState[Latest]], envelope: Envelope) -> Sequence[Message]:
        session.state.state.text += " Please."
        return await super().answer(session, envelope)


async def test_another_prompt_has_no_reply_and_the_reason_is_told(
    session: str, bus: Bus, nats_url: str, settings: MeshSettings
) -> None:
    async with replaying(session, [Wordier(NoModel())], bus, nats_url, settings) as steps:
        replayed = [step async for step in steps]

    notes = {each.note for step in replayed for each in step.differences}
    assert len(replayed) == STEPS + 1
    assert notes == {"ModelError: The record has no reply to this prompt, and no model may be asked."}
