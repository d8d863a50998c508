"""Narrator, hint service and NPC tracker ask models where each service has a user of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from language_model.model import Prompt, Reply
from language_model.scripted import ScriptedModel
from lantern.play.compose import running
from mesh.security.nats_configuration import CONFIGURATION
from mesh.security.permissions import users_of
from mesh.settings import MeshSettings
from schemas.base import Message
from services.game.service import GameService
from services.hint.service import HintService
from services.narrator.service import NarratorService
from tests.support.scenes.teller_scenes import DEATH, HOUSE
from tests.support.servers.permitted import Server
from tests.support.sessions.telling import Told, replying

STEPS = (*HOUSE, *DEATH)


class Reader(GameService):
    """The game service where the test itself is the game: it reads for the others."""

    async def answer(self, session: object, envelope: object) -> Sequence[Message]:
        return ()


@asynccontextmanager
async def serving(server: Server, settings: MeshSettings, model: ScriptedModel) -> AsyncIterator[None]:
    """Services that were started just now, each with its own user."""
    async with AsyncExitStack() as stack:
        for service in (Reader(), HintService(), NarratorService()):
            if not isinstance(service, Reader):
                service.model = model
            mesh = running([service], server.url(service.name), "main", settings)
            await stack.enter_async_context(mesh)
        yield


def fitting(prompt: Prompt) -> Reply:
    return replying("It is cold.", "suggest_actions" if prompt.tools else "", actions=["call out"])(prompt)


async def test_what_models_replied_stands_after_a_restart_and_nobody_oversteps(
    tmp_path: Path, settings: MeshSettings
) -> None:
    passwords = {user.name: f"secret {user.name}" for user in users_of(["main"], [])}
    first, second = ScriptedModel(fitting), ScriptedModel(fitting)
    with Server(CONFIGURATION, tmp_path, passwords) as server:
        await server.provision(settings)
        async with server.user("game") as bus, server.user("operator") as operator:
            told = Told(bus)
            await told.begin()
            async with serving(server, settings, first):
                for step in STEPS[:3]:
                    hinted = await told.step(step, "hint")
                    narrated = await told.said(step.step, "narrator")
            async with serving(server, settings, second):
                hinted = await told.step(STEPS[3], "hint")
                narrated = await told.said(3, "narrator")
            calls = await Told(operator).asked()
        refusals = server.refusals()

    assert {(call.step, call.error) for call in calls} >= {(0, "")}
    assert len(calls) == len(first.prompts) == 2, "the first hints, and the first summary"
    assert not second.prompts
    assert hinted.unchanged and narrated.unchanged
    assert refusals == []
