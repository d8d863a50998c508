"""The history on real files: killed, broken, locked, reopened, and fed with awkward words."""

from __future__ import annotations

import asyncio
import shutil
import signal
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from schemas.game import SessionStarted, StepTaken, Thing
from services.game.checked_story import check_story
from services.game.emulator.client import Emulator
from services.game.session.game_session import GameSession
from services.memory.beliefs.facts import STILL_VALID, Changes
from services.memory.history import cypher
from services.memory.history.graph import FileStatus, Graph, GraphError, GraphLibrary, OpenedFile
from services.memory.history.history_store import HistoryStore
from services.memory.history.kuzu_graph import KuzuGraph
from services.memory.history.writer import BATCH, HistoryWriter
from services.memory.history.writers import HistoryWriters
from services.memory.logic import Beliefs
from services.memory.settings import MemorySettings
from services.memory.timeline.change_log import ChangeLog
from tests.contract.test_graph import everything
from tests.support.scenes.memory_builders import KITCHEN, LAMP, Walk
from tests.support.scenes.plain_graph import PlainGraph

ZORK = Path(__file__).parents[3] / "shared" / "games" / "zork1.z5"
QUICK = MemorySettings(batch_delay=0.05, retry_after=0.05)


@asynccontextmanager
async def a_history(directory: Path, settings: MemorySettings = QUICK) -> AsyncIterator[HistoryWriter]:
    history = HistoryWriters(directory, settings).writer("c", "s", ChangeLog())
    try:
        yield history
    finally:
        await history.close()


@asynccontextmanager
async def the_file(directory: Path) -> AsyncIterator[KuzuGraph]:
    """What lasts of a history, once that is closed."""
    graph = await KuzuGraph.open(file_in(directory))
    try:
        yield graph
    finally:
        await graph.close()


def file_in(directory: Path) -> Path:
    return directory / "c" / "s.kuzu"


async def opened(history: HistoryWriter) -> OpenedFile:
    await history.flush()
    assert history.opened is not None
    return history.opened


def a_record(*, steps: int, last_room: str = KITCHEN) -> list[Changes]:
    walk = Walk()
    changes = [walk.then(objects=[LAMP])]
    changes += [walk.then(f"wait {number}", objects=[LAMP]) for number in range(1, steps - 1)]
    return [*changes, walk.then("north", room=last_room)]


def added(history: HistoryWriter, changes: Sequence[Changes]) -> None:
    for change in changes:
        history.changes.add(change)
        history.notify()


async def known(history: HistoryWriter) -> PlainGraph:
    """What it holds, whatever its file does."""
    plain = PlainGraph()
    await plain.write(history.changes)
    return plain


async def room_told(history: HistoryWriter) -> tuple[str, int] | None:
    """The name of the room where the player is, and since when."""
    here = await (await known(history)).room_now()
    return (here.entity.name, here.since) if here else None


async def told_by(changes: Sequence[Changes]) -> list[object]:
    """All that a graph which was given just these tells."""
    plain = PlainGraph()
    await plain.write(changes)
    return await everything(plain)


async def test_an_answer_knows_the_step_just_added(tmp_path: Path) -> None:
    async with a_history(tmp_path) as history:
        for number, change in enumerate(a_record(steps=5)):
            added(history, [change])
            tried = await (await known(history)).tried_in("room:west-of-house")
            assert [turn.step for turn in tried] == list(range(1, number + 1))


async def test_a_step_added_twice_or_too_late_changes_nothing(tmp_path: Path) -> None:
    record = a_record(steps=20)
    async with a_history(tmp_path) as history:
        added(history, [*record[:10], *record[3:12], record[0], *record[12:]])

    async with the_file(tmp_path) as graph:
        assert await everything(graph) == await told_by(record)


async def test_a_step_missing_in_the_record_is_missing_in_the_file_and_nothing_else(tmp_path: Path) -> None:
    record = a_record(steps=20)
    without = [change for change in record if change.step != 7]
    async with a_history(tmp_path) as history:
        added(history, without)
    async with the_file(tmp_path) as graph:
        assert await everything(graph) == await told_by(without)

    async with a_history(tmp_path) as history:
        added(history, record)
    async with the_file(tmp_path) as graph:
        assert await everything(graph) == await told_by(record)


async def test_steps_are_written_behind_without_being_asked() -> None:
    graph = SlowGraph()
    history = a_history_on(graph)

    added(history, a_record(steps=250))
    await asyncio.wait_for(graph.has_step(249), timeout=20)

    assert max(graph.batches) <= BATCH
    await history.close()


async def test_a_closed_history_is_there_when_it_is_opened_again(tmp_path: Path) -> None:
    record = a_record(steps=20)
    async with a_history(tmp_path) as history:
        added(history, record[:15])
        assert (await opened(history)).status is FileStatus.CREATED

    async with a_history(tmp_path) as history:
        added(history, record)
        assert (await opened(history)).status is FileStatus.RESUMED

    async with the_file(tmp_path) as graph:
        assert await everything(graph) == await told_by(record)


async def test_closing_twice_does_nothing_more(tmp_path: Path) -> None:
    async with a_history(tmp_path) as history:
        added(history, a_record(steps=3))
        await history.close()


async def test_a_history_that_was_given_nothing_makes_no_file(tmp_path: Path) -> None:
    async with a_history(tmp_path):
        pass

    assert not file_in(tmp_path).parent.exists()


async def test_a_shorter_record_of_the_same_name_leaves_nothing_of_the_longer(tmp_path: Path) -> None:
    async with a_history(tmp_path) as history:
        added(history, a_record(steps=20))

    async with a_history(tmp_path) as history:
        added(history, a_record(steps=20)[:3])

    async with the_file(tmp_path) as graph:
        assert await everything(graph) == await told_by(a_record(steps=20)[:3])


async def test_another_record_of_the_same_name_takes_the_file_over(tmp_path: Path) -> None:
    async with a_history(tmp_path) as history:
        added(history, a_record(steps=20))
    other = a_record(steps=20, last_room="Cellar")

    async with a_history(tmp_path) as history:
        added(history, other)
        assert await room_told(history) == ("Cellar", 19)

    async with the_file(tmp_path) as graph:
        assert await everything(graph) == await told_by(other)


async def test_a_killed_service_goes_on_from_what_was_written(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", KILLED_IN_THE_MIDDLE, str(tmp_path), cwd=root
    )
    assert await process.wait() == -signal.SIGKILL

    async with the_file(tmp_path) as graph:
        assert graph.opened.status is FileStatus.RESUMED
        assert await graph.last_step() == 99
    async with a_history(tmp_path) as history:
        added(history, a_record(steps=150))
        assert (await opened(history)).status is FileStatus.RESUMED
    async with the_file(tmp_path) as graph:
        assert await everything(graph) == await told_by(a_record(steps=150))


KILLED_IN_THE_MIDDLE = """
import asyncio, os, pathlib, sys
from tests.integration.test_history import a_history, a_record, added

async def main():
    async with a_history(pathlib.Path(sys.argv[1])) as history:
        added(history, a_record(steps=150)[:100])
        await history.flush()
        added(history, a_record(steps=150)[:130])
        os.kill(os.getpid(), 9)

asyncio.run(main())
"""


@pytest.mark.parametrize("broken", ["no database", "cut short", "a directory"])
async def test_a_broken_file_is_moved_aside_and_built_anew(tmp_path: Path, broken: str) -> None:
    record, file = a_record(steps=120), file_in(tmp_path)
    async with a_history(tmp_path) as history:
        added(history, record)
    changed(file, "CHECKPOINT")
    spoil(file, broken)

    async with a_history(tmp_path) as history:
        added(history, record)
        with capture_logs() as logs:
            opening = await opened(history)
            await history.flush()

    assert opening.status is FileStatus.REBUILT
    assert [(log["event"], log["path"]) for log in logs] == [("history_file_rebuilt", str(file))]
    assert logs[0]["reason"]
    assert file.with_name("s.kuzu.broken").exists()
    async with the_file(tmp_path) as graph:
        assert await everything(graph) == await told_by(record)


def spoil(file: Path, how: str) -> None:
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2] if how == "cut short" else b"no database at all " * 1_000)
    if how == "a directory":
        file.unlink()
        file.mkdir()
        (file / "catalog").write_bytes(b"of an older Kuzu")
        file.with_name("s.kuzu.broken").mkdir()


def changed(file: Path, statement: str) -> None:
    store = HistoryStore(file, GraphLibrary.KUZU, 64 << 20)
    store.rows(statement)
    store.close()


async def test_a_file_of_another_schema_is_built_anew_and_said_so_once(tmp_path: Path) -> None:
    record = a_record(steps=5)
    async with a_history(tmp_path) as history:
        added(history, record)
    changed(file_in(tmp_path), f"CREATE (:SchemaVersion {{version: {cypher.SCHEMA_VERSION + 1}}})")

    with capture_logs() as logs:
        for _ in range(2):
            async with a_history(tmp_path) as history:
                added(history, record)

    assert [log["event"] for log in logs] == ["history_file_rebuilt"]
    assert "schema" in logs[0]["reason"]
    async with the_file(tmp_path) as graph:
        assert await everything(graph) == await told_by(record)


async def test_a_file_deleted_in_the_middle_is_built_anew_to_the_same_answers(tmp_path: Path) -> None:
    record = a_record(steps=60)
    async with a_history(tmp_path) as history:
        added(history, record[:40])
        await history.flush()
        for path in file_in(tmp_path).parent.glob("s.kuzu*"):
            path.unlink()
        with capture_logs() as logs:
            added(history, record)
            await recovered(history)
        assert await room_told(history) == ("Kitchen", 59)

    assert [log["event"] for log in logs] == ["history_write_failed", "history_write_recovered"]
    async with the_file(tmp_path) as graph:
        assert await everything(graph) == await told_by(record)


async def test_a_log_of_writes_that_lost_its_file_is_not_read(tmp_path: Path) -> None:
    async with a_history(tmp_path) as history:
        added(history, a_record(steps=60))
    file_in(tmp_path).unlink()

    async with a_history(tmp_path) as history:
        added(history, a_record(steps=5))
        assert (await opened(history)).status is FileStatus.CREATED

    async with the_file(tmp_path) as graph:
        assert await everything(graph) == await told_by(a_record(steps=5))


async def test_a_deleted_file_is_built_anew_from_the_record_to_the_same_answers(tmp_path: Path) -> None:
    record = a_record(steps=60)
    async with a_history(tmp_path) as history:
        added(history, record)
    async with the_file(tmp_path) as graph:
        before = await everything(graph)
    shutil.rmtree(tmp_path / "c")

    async with a_history(tmp_path) as history:
        added(history, record)

    async with the_file(tmp_path) as graph:
        assert await everything(graph) == before


async def test_a_file_that_another_process_holds_is_left_to_it(tmp_path: Path) -> None:
    file_in(tmp_path).parent.mkdir()
    holder = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOLDS_THE_FILE, str(file_in(tmp_path)), stdin=PIPE, stdout=PIPE
    )
    assert holder.stdin is not None and holder.stdout is not None
    assert await holder.stdout.readline() == b"held\n"

    with capture_logs() as logs:
        async with a_history(tmp_path) as history:
            added(history, a_record(steps=5))
            beside = (await opened(history)).path
            assert beside == file_in(tmp_path).with_name("s.2.kuzu")
            assert beside.exists()
    assert not beside.exists()
    assert [log["event"] for log in logs] == ["history_file_in_use"]
    assert "another process" in logs[0]["reason"]

    holder.stdin.close()
    assert await holder.wait() == 0


HOLDS_THE_FILE = """
import kuzu, sys
connection = kuzu.Connection(kuzu.Database(sys.argv[1], buffer_pool_size=64 * 1024 * 1024))
print("held", flush=True)
sys.stdin.read()
"""


async def test_two_histories_of_one_session_have_a_file_each(tmp_path: Path) -> None:
    record = a_record(steps=5)
    async with a_history(tmp_path) as first, a_history(tmp_path) as second:
        names = []
        for history in (first, second):  # each opens its file as soon as it is given something
            added(history, record)
            names.append((await opened(history)).path.name)
        assert names == ["s.kuzu", "s.2.kuzu"]

    async with the_file(tmp_path) as graph:
        assert await everything(graph) == await told_by(record)


async def test_more_sessions_than_open_files_keep_each_its_own(tmp_path: Path) -> None:
    writers = HistoryWriters(tmp_path, QUICK.model_copy(update={"open_files": 2}))
    record = a_record(steps=30)
    sessions = [writers.writer("c", f"s{number}", ChangeLog()) for number in range(4)]
    for start in range(0, 30, 10):
        for number, history in enumerate(sessions):
            added(history, record[start : start + 10 - number])
            await history.flush()
    for number, history in enumerate(sessions):
        added(history, record[: 30 - number])
        await history.close()
        graph = await KuzuGraph.open(tmp_path / "c" / f"s{number}.kuzu")
        assert await graph.last_step() == 29 - number
        await graph.close()


async def test_where_no_file_can_be_questions_are_answered_and_the_log_says_what_to_do(
    tmp_path: Path,
) -> None:
    (tmp_path / "c").write_text("a file where the directory should be")

    with capture_logs() as logs:
        async with a_history(tmp_path) as history:
            added(history, a_record(steps=5))
            await history.flush()
            assert isinstance(history.error, GraphError)
            assert await room_told(history) == ("Kitchen", 4)
            (tmp_path / "c").unlink()
            await recovered(history)

    assert [log["event"] for log in logs] == ["history_write_failed", "history_write_recovered"]
    async with the_file(tmp_path) as graph:
        assert await everything(graph) == await told_by(a_record(steps=5))


async def test_what_no_file_can_hold_is_kept_as_nearly_as_it_can(tmp_path: Path) -> None:
    walk = Walk()
    changes = [
        walk.then(),
        walk.then("say \ud800", observation="\ud800 \0 end", score=10**30, reward=-(10**30)),
    ]
    async with a_history(tmp_path) as history:
        added(history, changes)
        await history.flush()
        assert history.error is None

    async with the_file(tmp_path) as graph:
        (turn,) = await graph.tried_in("room:west-of-house")
    assert (turn.action, turn.observation) == ("say ?", "? \0 end")
    assert (turn.score, turn.reward) == (2**63 - 1, 1 - 2**63)


async def test_a_graph_that_fails_stops_no_game_and_no_answer() -> None:
    history = a_history_on(FullDisk())

    with capture_logs() as logs:
        added(history, a_record(steps=300))
        await history.flush()
        await history.flush()

    assert [log["event"] for log in logs] == ["history_write_failed"]
    assert "the disk is full" in logs[0]["error"]
    assert await room_told(history) == ("Kitchen", 299)
    await history.close()


async def recovered(history: HistoryWriter) -> None:
    """Everything is written, by the history itself."""
    async with asyncio.timeout(60):
        while history.error is not None or history.unwritten:
            await asyncio.sleep(0.02)


def a_history_on(graph: Graph) -> HistoryWriter:
    async def found() -> tuple[Graph, OpenedFile]:
        return graph, OpenedFile(Path("plain"), FileStatus.CREATED)

    return HistoryWriter(ChangeLog(), found, QUICK)


@pytest.mark.parametrize("name", ["O'Hara's \"case\"", "a\nb\\ {id: $x}", "ランプ", "ß" * 10_000])
async def test_awkward_names_are_told_as_they_are(tmp_path: Path, name: str) -> None:
    walk = Walk()
    changes = [
        walk.then(room=name, objects=[Thing(id=1, name=name)], observation=name),
        walk.then("wait", room=name, objects=[Thing(id=1, name=name)], observation=name),
    ]
    async with a_history(tmp_path) as history:
        added(history, changes)

        (place,) = await (await known(history)).places_of("item:1")

        assert await room_told(history) == (name, 0)
        assert place.holder.name == name


async def test_zork_agrees_with_what_is_believed_of_it(tmp_path: Path) -> None:
    if not ZORK.exists():
        pytest.skip(f"no story at {ZORK}")
    beliefs, told = Beliefs(), PlainGraph()
    async with a_history(tmp_path) as history:
        for step in await zork_steps():
            changes = beliefs.after(step).changes
            assert changes is not None
            added(history, [changes])
            await told.write(history.changes[-1:])
            assert believed_held(beliefs) >= {thing.id for thing in step.inventory or ()}
            assert believed_here(beliefs) >= {thing.id for thing in step.objects or ()}
            assert believed_held(beliefs).isdisjoint({thing.id for thing in step.objects or ()})
            await the_history_agrees(told, step)


async def the_history_agrees(told: PlainGraph, step: StepTaken) -> None:
    assert step.room is not None and step.inventory is not None
    here = await told.room_now()
    assert here is not None and here.entity.id == f"room:{step.room.id}"
    held = {each.entity.id for each in await told.inventory()}
    assert held >= {f"item:{thing.id}" for thing in step.inventory}
    for thing in (step.objects or ())[:2]:
        places = await told.places_of(f"item:{thing.id}")
        assert here.entity.id in {s.holder.id for s in places if s.until == STILL_VALID}


def believed_held(beliefs: Beliefs) -> set[int]:
    return {int(thing.removeprefix("item:")) for thing in beliefs.things.at("player")}


def believed_here(beliefs: Beliefs) -> set[int]:
    here = beliefs.player.room or ""
    return {int(thing.removeprefix("item:")) for thing in beliefs.things.at(here)}


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
        playing = GameSession(started)
        return [await playing.opening(emulator)] + [await playing.execute(a) for a in ZORK_ACTIONS]


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
