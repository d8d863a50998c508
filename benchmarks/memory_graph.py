"""What a step and a question cost the memory service, on Kuzu and on Ladybug, in a long session.

Usage: python -m benchmarks.memory_graph [--steps N] [--runs N] [--stores kuzu,ladybug] [--sessions FILE ...]

Without files: a session of 300 rooms and 500 things, made by a seed. Files are `lantern sessions export`'s.
Each run is a process of its own. Prints Markdown, medians over the runs: wall time, and processor time, which
says more on a machine that others use; late and early parts of a session are compared by it.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import psutil

from benchmarks.long_session import ITEMS, ROOMS, long_session
from benchmarks.memory_table import table
from benchmarks.mesh import MEGABYTE, machine
from mesh.nats.codec import decode
from mesh.record.archive import read_archive
from mesh.runner.fragments import FragmentState
from schemas.game import SessionStarted, StepTaken
from schemas.memory import AskMemory
from services.memory.beliefs.facts import Changes, EntityKind
from services.memory.history.graph import GraphLibrary
from services.memory.history.kuzu_graph import KuzuGraph
from services.memory.history.store_pool import StorePool
from services.memory.history.writer import GraphOpened, HistoryWriter
from services.memory.history.writers import HistoryWriters
from services.memory.questions.free_text import answer_free_text
from services.memory.service import MemoryService
from services.memory.settings import MemorySettings
from services.memory.timeline.world_model import WorldModel

EARLY, LATE = (0.05, 0.15), (0.9, 1.0)
"""The shares of a session that are compared: of 10,000 steps 500 to 1,500, and 9,000 to 10,000."""

ASKED_EVERY = 10
BATCH = 50
"""Steps written together: a game of 20 ms a step gives as many a second."""
AT_ONCE, STEPS_AT_ONCE = 50, 200
STARTED = SessionStarted(
    step=0, game="long", story_md5="0" * 32, story_suffix=".z5", policy="random", seed=1, steps=1
)

Sample = tuple[float, float]
"""Milliseconds of wall time, and of processor time."""
Samples = defaultdict[str, list[Sample]]


class TimedGraph(KuzuGraph):
    """Notes how long each of its batches took, shared among its steps."""

    samples: list[Sample]

    async def write(self, changes: Sequence[Changes]) -> None:
        with timed() as took:
            await super().write(changes)
        self.samples += [(took[0][0] / len(changes), took[0][1] / len(changes))] * len(changes)


@contextmanager
def timed() -> Iterator[list[Sample]]:
    """What the block takes, in a list."""
    took: list[Sample] = []
    wall, processor = time.perf_counter(), time.process_time()
    yield took
    took.append((1e3 * (time.perf_counter() - wall), 1e3 * (time.process_time() - processor)))


class SessionBenchmark:
    """Figures of one session."""

    def __init__(self, directory: Path, settings: MemorySettings) -> None:
        self.path, self.pool, self.settings = directory / "c" / "s.kuzu", StorePool(settings), settings
        self.service = MemoryService(directory, settings)
        self.samples: Samples = defaultdict(list)
        self.lengths: defaultdict[str, list[int]] = defaultdict(list)
        """By question, the length of the answers in characters: a longer answer takes more time."""
        self.writes: list[Sample] = []
        self.memory: list[float] = []
        self.changes: Sequence[Changes] = ()

    async def play(self, steps: Iterable[StepTaken]) -> None:
        state: FragmentState[WorldModel] = self.service.opening(STARTED)
        history = HistoryWriter(state.state.changes, self._open, self.settings)
        for step in steps:
            with self._note("fold and fragment"):
                state = self.service.fold(state, step)
            history.notify()
            if step.step % ASKED_EVERY == ASKED_EVERY - 1:
                self._ask(state.state, step)
                self.memory.append(psutil.Process().memory_info().rss / MEGABYTE)
            if step.step % BATCH == BATCH - 1:
                await history.flush()
        await history.close()
        self.changes = history.changes
        parts = zip(self.samples["fold and fragment"], self.writes, strict=True)
        self.samples["write, a step's share of its batch"] = self.writes
        self.samples["ingest in all"] = [(sum(p[0] for p in part), sum(p[1] for p in part)) for part in parts]

    async def ask_the_file(self) -> None:
        """How long the file takes to answer, each time after a batch was written."""
        graph = await KuzuGraph.open(self.path.with_name("alone.kuzu"), self.pool)
        for start in range(0, len(self.changes), BATCH):
            batch = self.changes[start : start + BATCH]
            await graph.write(batch)
            last = batch[-1]
            room, thing = (
                last.episodic.room or "",
                next((m for m in last.mentions if m.startswith("item:")), ""),
            )
            for name, asked in (
                ("where am I", graph.room_now()),
                ("what do I have", graph.inventory()),
                ("exits", graph.exits_of(room)),
                ("tried here", graph.tried_in(room)),
                ("where a thing was", graph.places_of(thing)),
                ("steps that mention a thing", graph.steps_mentioning(thing)),
                ("names of all things", graph.entities(EntityKind.ITEM)),
            ):
                with self._note(f"file alone: {name}"):
                    await asked
        await graph.close()

    async def one_by_one(self, steps: int) -> None:
        """How long a transaction for each step takes."""
        graph = await KuzuGraph.open(self.path.with_name("single.kuzu"), self.pool)
        for change in self.changes[:steps]:
            with self._note("write, a transaction for each step"):
                await graph.write([change])
        await graph.close()

    def _ask(self, world: WorldModel, step: StepTaken) -> None:
        thing, room = _name_of(_thing_of(step), step), step.room.name if step.room else "nowhere"
        for name, question in (
            ("where am I", "where am I"),
            ("what do I have", "what do I have"),
            ("exits of a room", f"exits of {room}"),
            ("unexplored exits", "unexplored exits"),
            ("where is a thing", f"where is {thing}"),
            ("what was tried here", "what was tried here"),
            ("something never seen", "where is the grail"),
        ):
            with self._note(f"question: {name}"):
                text_answer = answer_free_text(AskMemory(session="s", question=question), world)
            self.lengths[f"question: {name}"].append(len(text_answer.answer))

    async def _open(self) -> GraphOpened:
        graph = await TimedGraph.open(self.path, self.pool)
        assert isinstance(graph, TimedGraph)
        graph.samples = self.writes
        return graph, graph.opened

    @contextmanager
    def _note(self, name: str) -> Iterator[None]:
        with timed() as took:
            yield
        self.samples[name] += took


async def measured(settings: MemorySettings, files: list[Path], steps: int) -> dict[str, float]:
    """All figures of one run: name -> value."""
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as directory:
        combined = SessionBenchmark(Path(directory), settings)
        for number, session in enumerate(_sessions(files, steps)):
            each = SessionBenchmark(Path(directory) / str(number), settings)
            before = psutil.Process().memory_info().rss / MEGABYTE
            await each.play(session)
            figures["memory before, MB"] = min(before, figures.get("memory before, MB", before))
            figures["memory at most, MB"] = max(*each.memory, figures.get("memory at most, MB", 0))
            figures["file, MB"] = each.path.stat().st_size / MEGABYTE
            await each.ask_the_file()
            await each.one_by_one(500)
            combined.samples = _joined(combined.samples, each.samples)
            for name, lengths in each.lengths.items():
                figures[f"{name}|length late/early"] = _window(lengths, LATE) / _window(lengths, EARLY)
    for name, samples in combined.samples.items():
        for clock, values in zip(("wall", "processor"), zip(*samples, strict=True), strict=True):
            figures |= {f"{name}|{clock} {share}": _quantile(values, share) for share in (0.5, 0.99)}
            figures[f"{name}|{clock} late/early"] = _window(values, LATE) / _window(values, EARLY)
    return figures


async def at_once(settings: MemorySettings) -> dict[str, float]:
    """Many sessions in one process, a step of each in turn."""
    with tempfile.TemporaryDirectory() as directory:
        writers, service = HistoryWriters(Path(directory), settings), MemoryService(Path(directory), settings)
        states = [service.opening(STARTED) for _ in range(AT_ONCE)]
        histories = [writers.writer("c", f"s{n}", state.state.changes) for n, state in enumerate(states)]
        began = time.perf_counter()
        for step in long_session(STEPS_AT_ONCE):
            for number in range(AT_ONCE):
                states[number] = service.fold(states[number], step)
                histories[number].notify()
                await asyncio.sleep(0)
        memory = psutil.Process().memory_info().rss / MEGABYTE
        for history in histories:
            await writers.close(history)
        steps = AT_ONCE * STEPS_AT_ONCE
        return {
            "at once: memory, MB": max(memory, psutil.Process().memory_info().rss / MEGABYTE),
            "at once: ms a step until all is written": 1e3 * (time.perf_counter() - began) / steps,
        }


def child(arguments: argparse.Namespace) -> None:
    """One run, printed as JSON."""
    gc.freeze()
    settings = MemorySettings(
        store=GraphLibrary(arguments.stores), batch_delay=1.0 if arguments.at_once else 60.0
    )
    if arguments.at_once:
        figures = asyncio.run(at_once(settings))
    else:
        figures = asyncio.run(measured(settings, arguments.sessions, arguments.steps))
    print(json.dumps(figures))


def run(store: str, arguments: argparse.Namespace) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.memory_graph", "--child", "--stores", store]
    common = ["--steps", str(arguments.steps), "--sessions", *map(str, arguments.sessions)]
    figures: dict[str, float] = {}
    for extra in (common, ["--at-once"]):
        done = subprocess.run([*command, *extra], stdout=subprocess.PIPE, check=True, text=True)
        figures |= json.loads(done.stdout)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--stores", default="kuzu,ladybug")
    parser.add_argument("--sessions", type=Path, nargs="*", default=[])
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--at-once", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        return child(arguments)
    load = os.getloadavg()[0]
    stores = arguments.stores.split(",")
    runs: dict[str, list[dict[str, float]]] = {store: [] for store in stores}
    for _ in range(arguments.runs):
        for store in stores:
            runs[store].append(run(store, arguments))
    what = (
        ", ".join(path.name for path in arguments.sessions)
        or f"{arguments.steps} steps, {ROOMS} rooms, {ITEMS} things"
    )
    print(
        f"{what}: medians of {arguments.runs} runs, load {load:.1f} before and {os.getloadavg()[0]:.1f} after"
    )
    print(f"\n{machine()}\n\n" + "\n".join(table(runs)))
    return None


def _sessions(files: list[Path], steps: int) -> Iterator[Iterator[StepTaken]]:
    if not files:
        yield long_session(steps)
    for file in files:
        _, _, kept = read_archive(file.read_text().splitlines())
        bodies = (decode(message.subject, message.payload).body for message in kept)
        yield (body for body in bodies if isinstance(body, StepTaken))


def _thing_of(step: StepTaken) -> str:
    """The first thing in sight, or one that is not."""
    things = (*(step.objects or ()), *(step.inventory or ()))
    return f"item:{things[0].id}" if things else "item:1"


def _name_of(thing: str, step: StepTaken) -> str:
    things = (*(step.objects or ()), *(step.inventory or ()))
    return next((t.name for t in things if f"item:{t.id}" == thing), "lamp")


def _joined(all_of: Samples, more: Samples) -> Samples:
    for name, samples in more.items():
        all_of[name] += samples
    return all_of


def _window(samples: Sequence[float], share: tuple[float, float]) -> float:
    first, last = (int(len(samples) * part) for part in share)
    return statistics.median(islice(samples, first, max(last, first + 1)))


def _quantile(samples: Sequence[float], share: float) -> float:
    return sorted(samples)[min(len(samples) - 1, int(share * len(samples)))]


if __name__ == "__main__":
    main()
