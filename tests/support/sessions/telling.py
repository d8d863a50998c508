"""Steps that a test publishes itself, one after the other, and what the services say to each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from language_model.model import NoModel, Prompt, Reply, ToolCall
from language_model.scripted import ScriptedModel
from lantern.inspect.replaying import replaying
from mesh.record.bus import Bus
from mesh.record.comparison import FieldDifference
from mesh.runner.service import Service
from mesh.settings import MeshSettings
from schemas.base import Kind
from schemas.fragment import FragmentGiven
from schemas.game import StepTaken
from schemas.language_model import ModelAsked
from tests.support.scenes.builders import a_session

SESSION = "s1"


class Gated(ScriptedModel):
    """Replies when it is let, and not before."""

    def __init__(self, script: Callable[[Prompt], Reply]) -> None:
        super().__init__(script)
        self.let, self.asked = asyncio.Event(), asyncio.Event()

    async def ask(self, prompt: Prompt) -> Reply:
        self.prompts.append(prompt)
        self.asked.set()
        await self.let.wait()
        return self.script(prompt)


def replying(text: str = "", tool: str = "", **arguments: object) -> Callable[[Prompt], Reply]:
    """A model that always says the same."""
    calls = (ToolCall(name=tool, arguments=arguments),) if tool else ()
    return lambda prompt: Reply(model="m", text=text, calls=calls)


class Told:
    """A session of which the test is the game."""

    def __init__(self, bus: Bus, session: str = SESSION) -> None:
        self.bus, self.session = bus, session

    async def begin(
        self, *, policy: str = "reflact", steps: int = 100, resumed_at: int | None = None
    ) -> None:
        started = a_session(policy=policy, steps=steps)
        if resumed_at is None:
            await self.bus.writer.publish(self.session, started)
        else:
            again = started.model_copy(update={"step": resumed_at, "resumed": True})
            await self.bus.writer.begin_again(self.session, again)

    async def step(self, step: StepTaken, service: str) -> FragmentGiven:
        """Take a step, and wait for what a service says to it."""
        await self.bus.writer.publish(self.session, step)
        return await self.said(step.step, service)

    async def steps(self, steps: Iterable[StepTaken], service: str) -> list[FragmentGiven]:
        return [await self.step(step, service) for step in steps]

    async def said(self, step: int, service: str) -> FragmentGiven:
        async with asyncio.timeout(30):
            while True:
                found = await self.bus.reader.read_at(self.session, Kind.FRAGMENT, step, service)
                if found is not None and isinstance(found.body, FragmentGiven):
                    return found.body
                await asyncio.sleep(0.005)

    async def asked(self) -> list[ModelAsked]:
        """The calls of models in the record, by step."""
        found = [envelope.body async for envelope in self.bus.reader.messages(self.session)]
        calls = [body for body in found if isinstance(body, ModelAsked)]
        return sorted(calls, key=lambda call: call.step)


async def replayed(
    services: list[Service[object]], bus: Bus, url: str, settings: MeshSettings
) -> list[FieldDifference]:
    """Where services that are replayed without a model say something else than was recorded."""
    async with replaying(SESSION, services, bus, url, settings) as steps:
        taken = [step async for step in steps]
    assert all(isinstance(getattr(service, "model", None), NoModel) for service in services)
    assert all(step.compared == len(services) for step in taken)
    return [each for step in taken for each in step.differences]


def text_of(given: FragmentGiven) -> str:
    return "\n".join(section.text for section in given.sections)
