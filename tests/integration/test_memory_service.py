"""The memory service on a real server: what it answers needs no file."""

from __future__ import annotations

import asyncio
import sys
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from conftest import Mesh

from lantern.play.compose import running
from mesh.errors import InputError
from mesh.record.bus import Bus
from mesh.settings import MeshSettings
from schemas.base import Kind
from schemas.game import StepTaken
from schemas.memory import AskMemory, MemoryAnswer
from services.memory.graph.graph_files import GraphLibrary
from services.memory.service import MemoryService
from services.memory.settings import MemorySettings
from tests.support.scenes.builders import a_session
from tests.support.scenes.memory_builders import ATTIC, HOUSE, KITCHEN, LAMP, SACK, SWORD, Walk

QUESTIONS = (
    "where am I",
    "what do I have",
    "exits of kitchen",
    "unexplored exits of attic",
    "where is the lantern",
    "where is the sack",
    "what was tried in attic",
    "where is the grail",
)


def a_record() -> list[StepTaken]:
    walk = Walk()
    walk.then(objects=[LAMP, SACK])
    walk.then("take lantern", inventory=[LAMP], objects=[SACK])
    for _ in range(6):
        walk.then("north", room=KITCHEN, inventory=[LAMP], objects=[SWORD])
        walk.then("up", room=ATTIC, inventory=[LAMP])
        walk.then("up", room=ATTIC, inventory=[LAMP])
        walk.then("down", room=KITCHEN, inventory=[LAMP], objects=[SWORD])
        walk.then("south", room=HOUSE, inventory=[LAMP], objects=[SACK])
    return walk.steps


async def told(bus: Bus) -> list[MemoryAnswer]:
    return [
        await bus.requests.ask(
            "memory", "search", AskMemory(session="s", question=asked), MemoryAnswer, session="s", timeout=60
        )
        for asked in QUESTIONS
    ]


async def reacted(bus: Bus, step: int) -> None:
    """The service has told its fragment for a step."""
    async with asyncio.timeout(60):
        while await bus.reader.read_at("s", Kind.FRAGMENT, step, "memory") is None:
            await asyncio.sleep(0.02)


async def played(bus: Bus, steps: list[StepTaken]) -> None:
    for step in steps:
        await bus.writer.publish("s", step)
    await reacted(bus, steps[-1].step)


async def test_answers_are_the_same_after_a_restart_and_without_any_file(
    bus: Bus, nats_url: str, settings: MeshSettings, tmp_path: Path
) -> None:
    steps, directory = a_record(), tmp_path / "memory"

    def service() -> AbstractAsyncContextManager[object]:
        return running([MemoryService(directory)], nats_url, bus.cell.name, settings)

    await bus.writer.publish("s", a_session())
    async with service():
        await played(bus, steps)
        answers = await told(bus)
    async with service():
        assert await told(bus) == answers
    assert not directory.exists()


async def test_two_instances_answer_alike(bus: Bus, mesh: Mesh, tmp_path: Path) -> None:
    await bus.writer.publish("s", a_session())
    await mesh.run(MemoryService(tmp_path))
    await played(bus, a_record())
    answers = await told(bus)

    second = MemoryService(tmp_path)
    second.bus = bus
    twice = [await second.search(AskMemory(session="s", question=asked), None) for asked in QUESTIONS]

    assert twice == answers


def test_a_library_that_is_not_installed_is_told_with_the_mend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ladybug", None)

    with pytest.raises(InputError, match=r"'ladybug' cannot be loaded.*pip install ladybug"):
        MemoryService(tmp_path, MemorySettings(store=GraphLibrary.LADYBUG))


def test_a_setting_that_cannot_be_is_told_with_its_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANTERN_MEMORY_STORE", "neo4j")

    with pytest.raises(InputError, match="LANTERN_MEMORY_STORE cannot be used"):
        MemoryService(tmp_path)
