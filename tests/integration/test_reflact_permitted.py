"""The actor that asks a model, as a user of its own on the NATS server: it may read nothing of its own."""

from __future__ import annotations

import re
from contextlib import AsyncExitStack
from pathlib import Path

from language_model.model import Prompt, Reply
from language_model.scripted import ScriptedModel
from lantern.play.compose import running
from lantern.play.play import play
from lantern.play.services import SERVICES, service_named
from lantern.play.session_options import PlayOptions, checked_story
from lantern.views.text_view import SilentView
from mesh.security.nats_configuration import CONFIGURATION
from mesh.security.permissions import users_of
from mesh.settings import MeshSettings
from schemas.actor import ActionProposed
from schemas.game import REFLACT
from services.actor.service import ActorService
from services.actor.settings import ActorSettings
from tests.support.scenes.scripts import asking, playing, step_in
from tests.support.servers.permitted import Server

STEPS = 5


def counting(prompt: Prompt) -> Reply:
    """Looks something up first, and adds one to its objective at each step."""
    can_ask = "ask_memory" in [tool.name for tool in prompt.tools]
    if can_ask and not any("Memory: " in said.text for said in prompt.parts):
        return asking("where am I")
    present = next(said.text for said in prompt.parts if said.text.endswith("then call one tool."))
    known = re.search(r"== OBJECTIVE ==\n(\d+)", present)
    return playing(
        ("north", "east", "west", "up")[step_in(prompt) % 4], objective=str(int(known[1]) + 1 if known else 1)
    )


async def test_it_keeps_its_objective_asks_the_memory_and_nothing_is_refused(tmp_path: Path) -> None:
    settings = MeshSettings(home=tmp_path, heartbeat=0.2, dead_after=2.0)
    passwords = {user.name: f"secret-{user.name}" for user in users_of(["main"], [])}
    actor = ActorService(ActorSettings(model_deadline=60))
    actor.model = ScriptedModel(counting)
    with Server(CONFIGURATION, tmp_path, passwords) as server:
        await server.provision(settings)
        async with AsyncExitStack() as stack:
            for name in SERVICES:
                service = actor if name == "actor" else service_named(name, tmp_path)
                await stack.enter_async_context(running([service], server.url(name), "main", settings))
            player = settings.model_copy(update={"nats_url": server.url("player")})
            wish = PlayOptions("bundled", STEPS, REFLACT, 1, "s1", "main")
            await play(wish, checked_story(wish), player, SilentView())
            async with server.user("player") as bus:
                said = [message.body async for message in bus.reader.messages("s1")]
        refused = server.refusals()

    proposals = [body for body in said if isinstance(body, ActionProposed)]
    talks = [s.text for prompt in actor.model.prompts for s in prompt.parts if s.text.startswith("Memory: ")]
    assert [p.mind.objective for p in proposals if p.mind] == ["1", "2", "3", "4", "5"]
    assert [p.degraded for p in proposals] == [""] * STEPS
    assert len(talks) == STEPS - 1 and all("You are in" in text for text in talks)
    assert refused == []
