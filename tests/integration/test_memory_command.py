"""`lantern memory` on sessions that are over, and the memory's typed questions on the bus."""

from __future__ import annotations

import asyncio
import json
from xml.etree import ElementTree

import pytest
from conftest import Mesh

from lantern.recorded.memory_answers import answered
from mesh.record.bus import Bus
from schemas.game import SessionStarted, StepTaken
from schemas.memory import (
    AskExits,
    AskInventory,
    AskMemory,
    AskRoute,
    AskWhereAmI,
    ExitsAnswer,
    InventoryAnswer,
    MemoryAnswer,
    RoomAnswer,
    RouteAnswer,
)
from services.memory.service import MemoryService
from tests.support.processes.command import Lantern
from tests.support.scenes.builders import a_session
from tests.support.scenes.memory_builders import HOUSE, KITCHEN, LAMP, Walk


def a_walk() -> list[StepTaken]:
    walk = Walk()
    walk.then(objects=[LAMP])
    walk.then("take lamp", inventory=[LAMP])
    walk.then("north", room=KITCHEN, inventory=[LAMP])
    walk.then("south", inventory=[LAMP])
    return walk.steps


async def recorded(bus: Bus, session: str, steps: list[StepTaken]) -> None:
    started: SessionStarted = a_session()
    await bus.writer.publish(session, started)
    for step in steps:
        await bus.writer.publish(session, step)


async def test_typed_questions_are_answered_of_a_session_being_played(bus: Bus, mesh: Mesh) -> None:
    await mesh.run(MemoryService(mesh.settings.home))
    await recorded(bus, "s1", a_walk())
    here = RoomAnswer(answer="")
    ask = bus.requests.ask
    async with asyncio.timeout(20):
        while here.steps != (3,):
            here = await ask("memory", "where_am_i", AskWhereAmI(session="s1"), RoomAnswer, session="s1")

    held = await ask("memory", "inventory", AskInventory(session="s1"), InventoryAnswer, session="s1")
    ways = await ask("memory", "exits", AskExits(session="s1"), ExitsAnswer, session="s1")
    route = await ask("memory", "route", AskRoute(session="s1", goal=KITCHEN), RouteAnswer, session="s1")

    assert here.room is not None and here.room.name == HOUSE
    assert [thing.thing.name for thing in held.things] == ["brass lantern"]
    assert [(way.action, way.walked_back) for way in ways.rooms[0].exits] == [("north", True)]
    assert route.actions == ("north",)


async def test_a_session_that_it_does_not_serve_is_answered_from_the_record(bus: Bus, mesh: Mesh) -> None:
    await mesh.run(MemoryService(mesh.settings.home), scope="another")
    steps = a_walk()
    await recorded(bus, "s1", steps[:2])

    first = await asked_of_another(bus, "s1")
    for step in steps[2:]:
        await bus.writer.publish("s1", step)
    then = await asked_of_another(bus, "s1")
    never = await asked_of_another(bus, "nobody")

    assert (first.steps, then.steps) == ((0,), (3,))
    assert not never.known and "no session nobody" in never.answer


async def asked_of_another(bus: Bus, session: str) -> MemoryAnswer:
    asked = AskMemory(session=session, question="where am I")
    return await bus.requests.ask("memory", "search", asked, MemoryAnswer, session="another")


async def test_a_memory_that_serves_another_session_is_not_waited_for(bus: Bus, mesh: Mesh) -> None:
    await mesh.run(MemoryService(mesh.settings.home), scope="another")
    await recorded(bus, "s1", a_walk())

    told = await answered(bus, AskMemory(session="s1", question="where am I"))

    assert told.steps == (3,)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Lantern:
    """A home with one session in it."""
    command = Lantern(tmp_path_factory.mktemp("memory") / "home")
    command.play("bundled", "--steps", "12", "--session", "s1")
    return command


def test_a_question_about_a_session_that_is_over_is_answered(played: Lantern) -> None:
    done = played.run("memory", "ask", "s1", "where am I")
    as_json = played.run("memory", "ask", "s1", "where was I at step 0", "--json")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("You are in ") and "(told by step" in done.stdout
    assert json.loads(as_json.stdout)["steps"] == [0]


def test_a_question_that_is_no_unicode_is_answered(played: Lantern) -> None:
    done = played.run("memory", "ask", "s1", "where is caf\udce9")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("I have never seen 'caf")


def test_a_graph_goes_into_a_file_of_any_name(played: Lantern) -> None:
    done = played.run("memory", "graph", "s1", "--output", str(played.home / "m\x1b[1m\udce9.json"))

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("wrote ") and "\x1b" not in done.stdout


def test_the_graph_is_written_in_each_format(played: Lantern) -> None:
    told = {
        form: played.run("memory", "graph", "s1", "--format", form).stdout
        for form in ("json", "svg", "graphml")
    }
    then = json.loads(played.run("memory", "graph", "s1", "--at", "3").stdout)

    now = json.loads(told["json"])
    assert (now["step"], then["step"]) == (12, 3)
    assert now["here"].startswith("room:") and then["facts"]
    assert ElementTree.fromstring(told["svg"]).tag.endswith("svg")
    assert ElementTree.fromstring(told["graphml"]).tag.endswith("graphml")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("ask", "nope", "where am I"), "There is no session 'nope'"),
        (("ask", "s1", " "), "The question has no words. Ask, for example"),
        (("graph", "s1", "--at", "999"), "has no step 999; its last is 12"),
        (("graph", "s1", "--output", "/proc/none/map.svg"), "Cannot write /proc/none/map.svg"),
        (("graph", "s1", "--format", "png"), "'png' is not one of"),
    ],
)
def test_a_wrong_wish_is_one_line(played: Lantern, arguments: tuple[str, ...], told: str) -> None:
    done = played.run("memory", *arguments)

    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr and len(done.stderr.splitlines()) == 1
