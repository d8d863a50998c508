"""What every graph must do, whatever it is kept in."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import pytest

from schemas.game import Thing
from services.memory.beliefs.facts import Changes, EntityKind
from services.memory.history.graph import Graph, PlacePeriod
from services.memory.history.kuzu_graph import KuzuGraph
from tests.support.scenes.memory_builders import (
    ATTIC,
    HOUSE,
    KITCHEN,
    LAMP,
    LEAFLET,
    LUNCH,
    MAILBOX,
    SACK,
    SWORD,
    Walk,
    inside,
)
from tests.support.scenes.plain_graph import PlainGraph


@pytest.fixture(params=["file", "plain"])
async def graph(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Graph]:
    """The file is on the library that LANTERN_MEMORY_STORE names: one process can load one of them only."""
    plain = request.param == "plain"
    graph: Graph = PlainGraph() if plain else await KuzuGraph.open(tmp_path / "s.kuzu")
    yield graph
    await graph.close()


@pytest.mark.skipif(os.environ.get("LANTERN_MEMORY_STORE") == "ladybug", reason="this is that run")
def test_the_same_holds_on_ladybug() -> None:
    """In a process of its own: Kuzu and Ladybug can not be loaded into one."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "file", __file__],
        env={**os.environ, "LANTERN_MEMORY_STORE": "ladybug"},
        capture_output=True,
        text=True,
        timeout=150,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def a_short_story() -> list[Changes]:
    """Take the leaflet, walk into the kitchen, find no way up, take the sack with the lunch in it."""
    walk = Walk()
    return [
        walk.then(objects=[MAILBOX, LAMP], observation="A mailbox is here."),
        walk.then("open mailbox", objects=[MAILBOX, LAMP, inside(LEAFLET, MAILBOX)]),
        walk.then("take leaflet", objects=[MAILBOX, LAMP], inventory=[LEAFLET], reward=5, score=5),
        walk.then("east", room=KITCHEN, objects=[SACK, inside(LUNCH, SACK)], inventory=[LEAFLET], score=5),
        walk.then("up", room=KITCHEN, objects=[SACK, inside(LUNCH, SACK)], inventory=[LEAFLET], score=5),
        walk.then("take sack", room=KITCHEN, inventory=[LEAFLET, SACK, inside(LUNCH, SACK)], score=5),
        walk.then("west", objects=[MAILBOX], inventory=[LEAFLET, SACK, inside(LUNCH, SACK)], score=5),
    ]


async def test_an_empty_graph_knows_nothing(graph: Graph) -> None:
    assert await graph.last_step() == -1
    assert await graph.room_now() is None
    assert await graph.inventory() == ()
    assert await graph.exits_of("room:nowhere") == ()
    assert await graph.places_of("item:1") == ()


async def test_the_room_is_the_one_entered_last(graph: Graph) -> None:
    await graph.write(a_short_story()[:5])

    here = await graph.room_now()

    assert here is not None
    assert (here.entity.name, here.since) == (KITCHEN, 3)


async def test_the_inventory_is_what_is_held_and_what_is_inside_it(graph: Graph) -> None:
    await graph.write(a_short_story())

    held = [(told.entity.name, told.since) for told in await graph.inventory()]

    assert held == [("leaflet", 2), ("brown sack", 5), ("lunch", 5)]


async def test_a_walked_way_is_an_exit_and_a_failed_one_is_blocked(graph: Graph) -> None:
    await graph.write(a_short_story())

    exits = [(way.action, way.room.name, way.since) for way in await graph.exits_of("room:kitchen")]
    blocked = [(way.direction, way.since) for way in await graph.blocked_in("room:kitchen")]

    assert exits == [("west", HOUSE, 6)]
    assert blocked == [("up", 4)]


async def test_a_thing_is_told_wherever_it_was_with_the_steps(graph: Graph) -> None:
    await graph.write(a_short_story())

    places = [(s.holder.name, s.since, s.until) for s in await graph.places_of("item:14")]

    assert sorted(places) == [("West of House", 1, 2), ("small mailbox", 1, 2), ("you", 2, -1)]


async def test_what_went_unseen_is_nowhere_now(graph: Graph) -> None:
    await graph.write(a_short_story())

    (lamp,) = await graph.places_of("item:11")

    assert (lamp.holder.name, lamp.since, lamp.until) == (HOUSE, 0, 6)


async def test_an_action_is_told_by_the_room_it_was_taken_in(graph: Graph) -> None:
    await graph.write(a_short_story())

    tried = await graph.tried_in("room:kitchen")

    assert [turn.action for turn in tried] == ["up", "take sack", "west"]
    assert [turn.action for turn in await graph.tried_in("room:west-of-house")] == [
        "open mailbox",
        "take leaflet",
        "east",
    ]


async def test_a_turn_comes_back_as_it_was_written(graph: Graph) -> None:
    story = a_short_story()
    await graph.write(story)

    assert (await graph.tried_in("room:west-of-house"))[1] == story[2].episodic


async def test_the_steps_that_speak_of_a_thing_are_told(graph: Graph) -> None:
    await graph.write(a_short_story())

    assert await graph.steps_mentioning("item:13") == (0, 1)
    assert await graph.steps_mentioning("item:99") == ()


async def test_entities_are_told_by_kind(graph: Graph) -> None:
    await graph.write(a_short_story())

    rooms = [entity.name for entity in await graph.entities(EntityKind.ROOM)]

    assert rooms == [KITCHEN, HOUSE]


async def test_a_repeated_step_changes_nothing(graph: Graph) -> None:
    story = a_short_story()
    await graph.write(story)
    before = await everything(graph)

    await graph.write(story[2:5])
    await graph.write(story)

    assert await everything(graph) == before


async def test_one_batch_is_the_same_as_many(graph: Graph) -> None:
    story = a_short_story()
    for change in story:
        await graph.write([change])

    plain = PlainGraph()
    await plain.write(story)
    assert await everything(graph) == await everything(plain)


async def test_forgetting_brings_back_what_was_believed_then(graph: Graph) -> None:
    story = a_short_story()
    await graph.write(story)

    await graph.forget_after(3)

    plain = PlainGraph()
    await plain.write(story[:4])
    assert await everything(graph) == await everything(plain)


async def test_another_record_replaces_the_steps_from_where_it_differs(graph: Graph) -> None:
    await graph.write(a_short_story())
    other = Walk()
    record = [
        other.then(objects=[MAILBOX, LAMP], observation="A mailbox is here."),
        other.then("open mailbox", objects=[MAILBOX, LAMP, inside(LEAFLET, MAILBOX)]),
        other.then("up", room=ATTIC, objects=[SWORD]),
    ]

    await graph.write(record)

    plain = PlainGraph()
    await plain.write(record)
    assert await everything(graph) == await everything(plain)


@pytest.mark.parametrize(
    "name", ["O'Brien's \"lamp\"", "a\nb\\n{x: $y}", "ランプ é ü", "n" * 10_000, "' OR 1=1 //"]
)
async def test_any_name_comes_back_as_it_was(graph: Graph, name: str) -> None:
    thing = Thing(id=7, name=name)
    walk = Walk()
    await graph.write(
        [walk.then(room=name, objects=[thing], observation=name), walk.then(name[:150], room=name)]
    )

    assert [e.name for e in await graph.entities(EntityKind.ITEM)] == [name]
    here = await graph.room_now()
    assert here is not None and here.entity.name == name
    assert [turn.action for turn in await graph.tried_in(here.entity.id)] == [name[:150]]


async def test_unknown_scores_and_rooms_stay_unknown(graph: Graph) -> None:
    walk = Walk()
    await graph.write([walk.then(score=None), walk.then("wait", score=None, inventory=None, objects=None)])

    (turn,) = await graph.tried_in("room:west-of-house")

    assert turn.score is None


@pytest.mark.parametrize("seed", range(3))
async def test_a_long_random_session_is_told_alike_by_every_graph(graph: Graph, seed: int) -> None:
    story = a_random_story(Random(seed), steps=150)
    for start in range(0, len(story), 40):
        await graph.write(story[start : start + 40])

    plain = PlainGraph()
    await plain.write(story)
    assert await everything(graph) == await everything(plain)


def a_random_story(random: Random, *, steps: int) -> list[Changes]:
    walk, things = Walk(), [Thing(id=number, name=f"thing {number}") for number in range(1, 8)]
    return [
        walk.then(
            random.choice(["north", "south", "take thing", "drop thing", "wait"]),
            room=random.choice([HOUSE, KITCHEN, ATTIC, None]),
            objects=random.choice([None, random.sample(things, 2)]),
            inventory=random.choice([None, random.sample(things, 2)]),
            done=random.random() < 0.02,
            episode=1 + number // 60,
        )
        for number in range(steps)
    ]


async def everything(graph: Graph) -> list[object]:
    """All that a graph can tell, of all that it knows."""
    rooms, things = await graph.entities(EntityKind.ROOM), await graph.entities(EntityKind.ITEM)
    told: list[object] = [
        rooms,
        things,
        await graph.last_step(),
        await graph.room_now(),
        await graph.inventory(),
    ]
    for room in rooms:
        told += [
            await graph.exits_of(room.id),
            await graph.blocked_in(room.id),
            await graph.tried_in(room.id),
        ]
    for thing in things:
        told += [in_order(await graph.places_of(thing.id)), await graph.steps_mentioning(thing.id)]
    return told


def in_order(sightings: tuple[PlacePeriod, ...]) -> list[tuple[int, str, int]]:
    return sorted((s.since, s.holder.id, s.until) for s in sightings)
