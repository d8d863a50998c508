"""A session comes out the same with one NATS user per service and without users."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path

import pytest

from lantern.nats.connection import connection
from lantern.play.compose import running
from lantern.play.services import SERVICES, service_named
from lantern.play.story_files import load_story
from mesh.record import stories
from mesh.record.bus import Bus
from mesh.record.following import follow
from mesh.security.nats_configuration import CONFIGURATION
from mesh.security.permissions import users_of
from mesh.settings import MeshSettings
from schemas.base import Message
from schemas.game import SessionAnswer, StartSession
from tests.support.servers.permitted import Server

SESSION, STEPS, RESTARTED_AT = "one-mode", 15, 6


async def test_a_session_with_users_is_the_session_without(
    tmp_path: Path, nats_url: str, settings: MeshSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANTERN_ACTOR_DEADLINE", "60")
    monkeypatch.setenv("LANTERN_GAME_VERDICT_DEADLINE", "60")
    passwords = {user.name: f"secret of {user.name}" for user in users_of(["main"], [])}
    (tmp_path / "with").mkdir()
    with Server(CONFIGURATION, tmp_path / "with", passwords) as server:
        await server.provision(settings)
        with_users = await messages_of_a_session(server.url, settings)
        assert server.refusals() == []
    without_users = await messages_of_a_session(lambda user: nats_url, settings)

    assert len(without_users) > STEPS * len(SERVICES) - 1
    assert with_users == without_users


async def messages_of_a_session(url_of: Callable[[str], str], settings: MeshSettings) -> dict[str, Message]:
    """The bodies by what they are about; the actor is restarted in the middle of the session."""

    def serving(name: str) -> AbstractAsyncContextManager[object]:
        return running([service_named(name, settings.home)], url_of(name), "main", settings)

    async with AsyncExitStack() as stack:
        for name in SERVICES:
            if name != "actor":
                await stack.enter_async_context(serving(name))
        bus = await stack.enter_async_context(connection(url_of("player"), "main"))
        async with serving("actor"):
            await start(bus)
            await reached(bus, RESTARTED_AT)
        async with serving("actor"), asyncio.timeout(60):
            async for _ in follow(bus.reader, SESSION, ()):
                pass
        found = [envelope async for envelope in bus.reader.messages(SESSION)]
    return {f"{each.kind}.{each.step}.{each.service.name}": each.body for each in found}


async def start(bus: Bus) -> None:
    story = load_story("bundled")
    question = StartSession(
        session=SESSION,
        game="kelder.z5",
        story_md5=await stories.put(bus.cell, story.data),
        policy="heuristic",
        seed=1,
        steps=STEPS,
        valid_actions=False,
    )
    answer = await bus.requests.ask("game", "start", question, SessionAnswer, session=SESSION, timeout=30)
    assert answer.ok, answer


async def reached(bus: Bus, step: int) -> None:
    async with asyncio.timeout(60):
        while (last := await bus.reader.last_step(SESSION)) is None or last.step < step:
            await asyncio.sleep(0.005)
