"""The history on real files: killed, broken, locked, reopened, and fed with awkward words."""

from __future__ import annotations

import asyncio
import signal
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from schemas.game import SessionStarted, StepTaken, Thing
from services.game.emulator.client import Emulator
from services.game.playing import Playing
from services.game.zmachine import check_story
from services.memory import cypher
from services.memory.facts import STILL, Changes, EntityKind
from services.memory.graph import GraphError, Opening, Outcome
from services.memory.history import History
from services.memory.logic import Beliefs
from tests.contract.plain_graph import PlainGraph
from tests.unit.memory_builders import HOUSE, KITCHEN, LAMP, Walk

ZORK = Path(__file__).parents[3] / "shared" / "games" / "zork1.z5"


@asynccontextmanager
async def a_history(directory: Path) -> AsyncIterator[History]:
    history = await History.open(directory, "s")
    try:
        yield history
    finally:
        await history.close()


def a_record(*, steps: int, last_room: str = KITCHEN) -> list[Changes]:
    walk = Walk()
    changes = [walk.then(objects=[LAMP])]
    changes += [walk.then(f"wait {number}", objects=[LAMP]) for number in range(1, steps - 1)]
    return [*changes, walk.then("north", room=last_room)]


async def added(history: History, changes: Sequence[Changes]) -> None:
    for change in changes:
        await history.add(change)


async def room_told(history: History) -> tuple[str, int] | None:
    """The name of the room where the player is, and since when."""
    here = await (await history.told()).room_now()
    return (here.entity.name, here.since) if here else None


async def steps_tried_in(history: History, room: str) -> tuple[int, ...]:
    return tuple(turn.step for turn in await (await history.told()).tried_in(room))


async def test_an_answer_knows_the_step_just_added(tmp_path: Path) -> None:
    async with a_history(tmp_path) as history:
        for number, change in enumerate(a_record(steps=5)):
            await history.add(change)
            assert await steps_tried_in(history, "room:west-of-house") == tuple(range(1, number + 1))


async def test_steps_are_written_behind_without_being_asked(tmp_path: Path) -> None:
    graph = SlowGraph()
    history = History(graph, an_opening(tmp_path), held=-1)

    await added(history, a_record(steps=250))
    await asyncio.wait_for(graph.has_step(249), timeout=5)

    assert max(graph.batches) <= 100
    assert len(graph.batches) <= 4
    await history.close()


async def test_a_full_queue_waits_for_the_graph_and_loses_nothing(tmp_path: Path) -> None:
    graph = SlowGraph()
    history = History(graph, an_opening(tmp_path), held=-1)

    await added(history, a_record(steps=2_500))
    await history.close()

    assert list(graph.steps) == list(range(2_500))


async def test_a_closed_history_is_there_when_it_is_opened_again(tmp_path: Path) -> None:
    record = a_record(steps=20)
    async with a_history(tmp_path) as history:
        assert history.opening.outcome is Outcome.CREATED
        await added(history, record)

    async with a_history(tmp_path) as history:
        assert history.opening.outcome is Outcome.RESUMED
        await added(history, record)
        assert await room_told(history) == (KITCHEN, 19)


async def test_closing_twice_does_nothing_more(tmp_path: Path) -> None:
    history = await History.open(tmp_path, "s")
    await history.close()
    await history.close()


async def test_a_shorter_record_of_the_same_name_answers_only_for_itself(tmp_path: Path) -> None:
    async with a_history(tmp_path) as history:
        await added(history, a_record(steps=20))

    async with a_history(tmp_path) as history:
        await added(history, a_record(steps=20)[:3])
        assert await room_told(history) == (HOUSE, 0)
        assert await steps_tried_in(history, "room:west-of-house") == (1, 2)


async def test_another_record_of_the_same_name_takes_the_file_over(tmp_path: Path) -> None:
    async with a_history(tmp_path) as history:
        await added(history, a_record(steps=20))

    async with a_history(tmp_path) as history:
        await added(history, a_record(steps=20, last_room="Cellar"))
        assert await room_told(history) == ("Cellar", 19)
        rooms = await (await history.told()).entities(EntityKind.ROOM)
        assert KITCHEN not in [room.name for room in rooms]


async def test_a_killed_service_goes_on_from_what_was_written(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", KILLED_IN_THE_MIDDLE, str(tmp_path), cwd=root
    )
    assert await process.wait() == -signal.SIGKILL

    async with a_history(tmp_path) as history:
        assert history.opening.outcome is Outcome.RESUMED
        await added(history, a_record(steps=150))
        assert await room_told(history) == (KITCHEN, 149)
        assert len(await steps_tried_in(history, "room:west-of-house")) == 149


KILLED_IN_THE_MIDDLE = """
import asyncio, os, pathlib, sys
from services.memory.history import History
from tests.integration.test_history import a_record, added

async def main():
    history = await History.open(pathlib.Path(sys.argv[1]), "s")
    await added(history, a_record(steps=150)[:100])
    await history.flush()
    await added(history, a_record(steps=150)[:130])
    os.kill(os.getpid(), 9)

asyncio.run(main())
"""


@pytest.mark.parametrize("content", [b"no database at all " * 1_000, None])
async def test_a_broken_file_is_moved_aside_and_begun_anew(tmp_path: Path, content: bytes | None) -> None:
    async with a_history(tmp_path) as history:
        await added(history, a_record(steps=120))
    file = tmp_path / "s.kuzu"
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2] if content is None else content)

    async with a_history(tmp_path) as history:
        assert history.opening.outcome is Outcome.REBUILT
        assert history.opening.reason
        assert (tmp_path / "s.kuzu.broken").exists()
        await added(history, a_record(steps=120))
        assert await room_told(history) == (KITCHEN, 119)


async def test_a_file_of_another_schema_is_begun_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with a_history(tmp_path) as history:
        await added(history, a_record(steps=5))
    monkeypatch.setattr(cypher, "SCHEMA_VERSION", cypher.SCHEMA_VERSION + 1)

    async with a_history(tmp_path) as history:
        assert history.opening.outcome is Outcome.REBUILT
        assert "schema" in history.opening.reason


async def test_a_file_that_another_process_holds_is_left_to_it(tmp_path: Path) -> None:
    holder = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOLDS_THE_FILE, str(tmp_path / "s.kuzu"), stdin=PIPE, stdout=PIPE
    )
    assert holder.stdin is not None and holder.stdout is not None
    assert await holder.stdout.readline() == b"held\n"

    async with a_history(tmp_path) as history:
        assert history.opening.path == tmp_path / "s.2.kuzu"
        assert "another process" in history.opening.reason
        await added(history, a_record(steps=5))
        assert await room_told(history) == (KITCHEN, 4)

    holder.stdin.close()
    assert await holder.wait() == 0


HOLDS_THE_FILE = """
import kuzu, sys
connection = kuzu.Connection(kuzu.Database(sys.argv[1], buffer_pool_size=64 * 1024 * 1024))
print("held", flush=True)
sys.stdin.read()
"""


async def test_a_file_that_is_open_in_this_process_is_not_opened_again(tmp_path: Path) -> None:
    async with a_history(tmp_path) as first, a_history(tmp_path) as second:
        assert (first.opening.path.name, second.opening.path.name) == ("s.kuzu", "s.2.kuzu")
        for history in (first, second):
            await added(history, a_record(steps=5))
            assert await room_told(history) == (KITCHEN, 4)

    async with a_history(tmp_path) as again:
        assert again.opening.path.name == "s.kuzu"


async def test_where_no_file_can_be_the_error_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file where the directory should be")

    with pytest.raises(GraphError, match=r"taken.*delete it and start"):
        await History.open(tmp_path / "taken", "s")


async def test_a_text_that_is_no_unicode_fails_without_harm_to_what_was_written(tmp_path: Path) -> None:
    walk = Walk()
    async with a_history(tmp_path) as history:
        await added(history, [walk.then()])
        await history.flush()
        await added(history, [walk.then("\ud800", observation="\ud800")])
        with pytest.raises(GraphError):
            await history.told()

    async with a_history(tmp_path) as history:
        await added(history, a_record(steps=5))
        assert await room_told(history) == (KITCHEN, 4)


async def test_a_graph_that_fails_stops_no_game_and_says_so_when_asked(tmp_path: Path) -> None:
    history = History(FullDisk(), an_opening(tmp_path), held=-1)

    await added(history, a_record(steps=300))
    await history.flush()
    await added(history, a_record(steps=300))

    assert history.error is not None
    with pytest.raises(GraphError, match=r"the disk is full.*delete it and start"):
        await history.told()
    await history.close()


@pytest.mark.parametrize("name", ["O'Hara's \"case\"", "a\nb\\ {id: $x}", "ランプ", "ß" * 10_000])
async def test_awkward_names_are_told_as_they_are(tmp_path: Path, name: str) -> None:
    walk = Walk()
    changes = [
        walk.then(room=name, objects=[Thing(id=1, name=name)], observation=name),
        walk.then("wait", room=name, objects=[Thing(id=1, name=name)], observation=name),
    ]
    async with a_history(tmp_path) as history:
        await added(history, changes)

        graph = await history.told()
        (sighting,) = await graph.sightings_of("item:1")

        assert await room_told(history) == (name, 0)
        assert [thing.name for thing in await graph.entities(EntityKind.ITEM)] == [name]
        assert sighting.holder.name == name


async def test_zork_agrees_with_what_is_believed_of_it(tmp_path: Path) -> None:
    if not ZORK.exists():
        pytest.skip(f"no story at {ZORK}")
    beliefs = Beliefs()
    async with a_history(tmp_path) as history:
        for step in await zork_steps():
            changes = beliefs.after(step).changes
            assert changes is not None
            await history.add(changes)
            assert believed_held(beliefs) >= {thing.id for thing in step.inventory or ()}
            assert believed_here(beliefs) >= {thing.id for thing in step.objects or ()}
            assert believed_held(beliefs).isdisjoint({thing.id for thing in step.objects or ()})
            await the_history_agrees(history, step)


async def the_history_agrees(history: History, step: StepTaken) -> None:
    assert step.room is not None and step.inventory is not None
    graph = await history.told()
    here = await graph.room_now()
    assert here is not None and here.entity.id == f"room:{step.room.id}"
    held = {told.entity.id for told in await graph.inventory()}
    assert held >= {f"item:{thing.id}" for thing in step.inventory}
    for thing in (step.objects or ())[:2]:
        sightings = await graph.sightings_of(f"item:{thing.id}")
        assert here.entity.id in {s.holder.id for s in sightings if s.until == STILL}


def believed_held(beliefs: Beliefs) -> set[int]:
    return {int(thing.removeprefix("item:")) for thing in beliefs.things_at("player")}


def believed_here(beliefs: Beliefs) -> set[int]:
    here = beliefs.here or ""
    return {int(thing.removeprefix("item:")) for thing in beliefs.things_at(here)}


ZORK_ACTIONS = (
    "open mailbox,take leaflet,read leaflet,drop leaflet,south,east,open window,west,take sack,open sack,"
    "take lunch,eat lunch,west,take lamp,take sword,move rug,open trap door,turn on lamp,east,up,take rope,"
    "take knife,down,put knife in sack,close sack,drop sack,west,open case,put sword in case,close case,"
    "open case,take sword,down,south,north,north,attack troll with sword,attack troll with sword,"
    "attack troll with sword,west,east,east,inventory,look,west,south,up,south,east,take painting,west,"
    "north,drop rope,look,take rope,restart,open mailbox,take leaflet,north,wait,drop leaflet,inventory,look"
).split(",")


async def zork_steps() -> list[StepTaken]:
    story = check_story(ZORK.read_bytes(), "zork1")
    started = SessionStarted(
        step=0,
        game="zork1",
        story_md5=story.md5,
        story_suffix=story.suffix,
        policy="scripted",
        seed=1,
        steps=100,
    )
    async with await Emulator.start(story, 1) as emulator:
        playing = Playing(started)
        return [await playing.opening(emulator)] + [await playing.execute(a) for a in ZORK_ACTIONS]


def an_opening(directory: Path) -> Opening:
    return Opening(directory / "s.plain", Outcome.CREATED)


class SlowGraph(PlainGraph):
    """Takes a moment for each batch, and remembers how large each was."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[int] = []
        self._written = asyncio.Condition()

    async def write(self, changes: Sequence[Changes]) -> None:
        await asyncio.sleep(0)
        await super().write(changes)
        self.batches.append(len(changes))
        async with self._written:
            self._written.notify_all()

    async def has_step(self, step: int) -> None:
        async with self._written:
            await self._written.wait_for(lambda: step in self.steps)


class FullDisk(PlainGraph):
    """A graph that can not be written."""

    async def write(self, changes: Sequence[Changes]) -> None:
        raise GraphError("/full", "the disk is full")
