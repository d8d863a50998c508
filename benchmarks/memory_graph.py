"""What a step and a question cost the memory service, on Kuzu and on Ladybug, in a long session.

Usage: python -m benchmarks.memory_graph [--steps N] [--runs N] [--stores kuzu,ladybug] [--sessions FILE ...]

Without files: a session of 300 rooms and 500 things, made by a seed. Files are what `lantern sessions export`
writes. Each run is a process of its own. Prints Markdown: medians over the runs.
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
from itertools import islice
from pathlib import Path

import psutil

from benchmarks.long_session import ITEMS, ROOMS, long_session
from benchmarks.mesh import MEGABYTE, machine
from mesh.archive import read_archive
from mesh.codec import decode
from mesh.fragments import Telling
from schemas.game import SessionStarted, StepTaken
from services.memory.facts import Changes, EntityKind
from services.memory.histories import Histories
from services.memory.history import History, Opened
from services.memory.kuzu_graph import KuzuGraph
from services.memory.service import MemoryService, Remembered
from services.memory.settings import Library, MemorySettings
from services.memory.shelf import Shelf

EARLY, LATE = (0.05, 0.15), (0.9, 1.0)
"""The shares of a session that are compared: of 10,000 steps 500 to 1,500, and 9,000 to 10,000."""

ASKED_EVERY = 10
AT_ONCE, STEPS_AT_ONCE = 50, 200
STARTED = SessionStarted(
    step=0, game="long", story_md5="0" * 32, story_suffix=".z5", policy="random", seed=1, steps=1
)

Samples = defaultdict[str, list[float]]


class TimedGraph(KuzuGraph):
    """Notes how long each of its batches took."""

    milliseconds: list[float]

    async def write(self, changes: Sequence[Changes]) -> None:
        began = time.perf_counter()
        await super().write(changes)
        self.milliseconds += [1e3 * (time.perf_counter() - began) / len(changes)] * len(changes)


class Measured:
    """Figures of one session."""

    def __init__(self, directory: Path, settings: MemorySettings) -> None:
        self.path, self.shelf, self.settings = directory / "c" / "s.kuzu", Shelf(settings), settings
        self.service = MemoryService(directory, settings)
        self.samples: Samples = defaultdict(list)
        self.writes: list[float] = []
        self.memory: list[float] = []

    async def play(self, steps: Iterable[StepTaken]) -> None:
        history = History(self._open, self.settings)
        state: Telling[Remembered] = self.service.opening(STARTED)
        for step in steps:
            began = time.perf_counter()
            state = self.service.fold(state, step)
            folded = time.perf_counter()
            state.state.hand_over(history)
            self._note("fold and fragment", began, folded)
            self._note("handing over", folded)
            await asyncio.sleep(0)
            if step.step % ASKED_EVERY == ASKED_EVERY - 1:
                await self._ask(history, step)
                self.memory.append(psutil.Process().memory_info().rss / MEGABYTE)
        await history.close()
        parts = zip(self.samples["fold and fragment"], self.samples["handing over"], self.writes, strict=True)
        self.samples["write, a step's share of its batch"] = self.writes
        self.samples["ingest in all"] = [sum(part) for part in parts]

    async def ask_the_file(self, steps: Iterable[StepTaken]) -> None:
        """What the file alone would take for the same, written up to there, with nothing beside it."""
        graph = await KuzuGraph.open(self.path.with_name("alone.kuzu"), self.shelf)
        state, held = Remembered(), list[Changes]()
        for step in steps:
            state.after(step)
            if step.step % ASKED_EVERY == ASKED_EVERY - 1:
                held, state.unwritten = state.unwritten, []
                await graph.write(held)
                room, thing = held[-1].turn.room or "", _thing_of(step)
                for name, asked in (
                    ("where am I", graph.room_now()),
                    ("what do I have", graph.inventory()),
                    ("exits", graph.exits_of(room)),
                    ("tried here", graph.tried_in(room)),
                    ("where a thing was", graph.sightings_of(thing)),
                    ("steps that mention a thing", graph.steps_mentioning(thing)),
                    ("names of all things", graph.entities(EntityKind.ITEM)),
                ):
                    began = time.perf_counter()
                    await asked
                    self._note(f"file alone: {name}", began)
        await graph.close()

    async def one_by_one(self, steps: Iterable[StepTaken]) -> None:
        """What a transaction for each step takes."""
        graph = await KuzuGraph.open(self.path.with_name("single.kuzu"), self.shelf)
        state = Remembered()
        for step in steps:
            state.after(step)
            changes, state.unwritten = state.unwritten, []
            began = time.perf_counter()
            await graph.write(changes)
            self._note("write, a transaction for each step", began)
        await graph.close()

    async def _ask(self, history: History, step: StepTaken) -> None:
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
            began = time.perf_counter()
            await history.ask(question)
            self._note(f"question: {name}", began)

    async def _open(self) -> Opened:
        graph = await TimedGraph.open(self.path, self.shelf)
        assert isinstance(graph, TimedGraph)
        graph.milliseconds = self.writes
        return graph, graph.opening

    def _note(self, name: str, began: float, ended: float | None = None) -> None:
        self.samples[name].append(1e3 * ((ended or time.perf_counter()) - began))


async def measured(settings: MemorySettings, files: list[Path], steps: int) -> dict[str, float]:
    """All figures of one run: name -> value."""
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as directory:
        alone = Measured(Path(directory), settings)
        for number, session in enumerate(_sessions(files, steps)):
            each = Measured(Path(directory) / str(number), settings)
            before = psutil.Process().memory_info().rss / MEGABYTE
            await each.play(session)
            alone.samples = _joined(alone.samples, each.samples)
            figures["memory before, MB"] = min(before, figures.get("memory before, MB", before))
            figures["memory at most, MB"] = max(*each.memory, figures.get("memory at most, MB", 0))
            figures["file, MB"] = each.path.stat().st_size / MEGABYTE
        if not files:
            await alone.ask_the_file(long_session(steps))
            await alone.one_by_one(long_session(min(steps, 1_500)))
    for name, samples in alone.samples.items():
        figures |= {f"{name}|p50": _quantile(samples, 0.5), f"{name}|p99": _quantile(samples, 0.99)}
        figures[f"{name}|late/early"] = _window(samples, LATE) / _window(samples, EARLY)
    return figures


async def at_once(settings: MemorySettings) -> dict[str, float]:
    """Many sessions in one process, a step of each in turn."""
    with tempfile.TemporaryDirectory() as directory:
        histories, service = Histories(Path(directory), settings), MemoryService(Path(directory), settings)
        states = [service.opening(STARTED) for _ in range(AT_ONCE)]
        began = time.perf_counter()
        for step in long_session(STEPS_AT_ONCE):
            for number in range(AT_ONCE):
                states[number] = service.fold(states[number], step)
                states[number].state.hand_over(histories.of("c", f"s{number}"))
                await asyncio.sleep(0)
        memory = psutil.Process().memory_info().rss / MEGABYTE
        for number in range(AT_ONCE):
            await histories.close(f"s{number}")
        steps = AT_ONCE * STEPS_AT_ONCE
        return {
            "at once: memory, MB": max(memory, psutil.Process().memory_info().rss / MEGABYTE),
            "at once: ms a step until all is written": 1e3 * (time.perf_counter() - began) / steps,
        }


def child(arguments: argparse.Namespace) -> None:
    """One run, printed as JSON."""
    gc.freeze()
    settings = MemorySettings(store=Library(arguments.stores))
    if arguments.at_once:
        figures = asyncio.run(at_once(settings))
    else:
        figures = asyncio.run(measured(settings, arguments.sessions, arguments.steps))
    print(json.dumps(figures))


def run(store: str, given: argparse.Namespace) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.memory_graph", "--child", "--stores", store]
    common = ["--steps", str(given.steps), "--sessions", *map(str, given.sessions)]
    figures: dict[str, float] = {}
    for extra in (common, ["--at-once"]):
        done = subprocess.run([*command, *extra], stdout=subprocess.PIPE, check=True, text=True)
        figures |= json.loads(done.stdout)
    return figures


def table(runs: dict[str, list[dict[str, float]]]) -> Iterator[str]:
    """The medians over the runs, one column for each library."""
    yield f"| figure | {' | '.join(runs)} |"
    yield "| --- |" + " --- |" * len(runs)
    names = list(dict.fromkeys(name.split("|")[0] for figures in runs.values() for name in figures[0]))
    for name in names:
        timed = f"{name}|p50" in next(iter(runs.values()))[0]
        cells = (
            _timed(figures, name) if timed else f"{_median(figures, name):.1f}" for figures in runs.values()
        )
        yield f"| {name}{': p50, p99 ms; late/early' if timed else ''} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--stores", default="kuzu,ladybug")
    parser.add_argument("--sessions", type=Path, nargs="*", default=[])
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--at-once", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        return child(given)
    load = os.getloadavg()[0]
    stores = given.stores.split(",")
    runs: dict[str, list[dict[str, float]]] = {store: [] for store in stores}
    for _ in range(given.runs):
        for store in stores:
            runs[store].append(run(store, given))
    what = (
        ", ".join(path.name for path in given.sessions)
        or f"{given.steps} steps, {ROOMS} rooms, {ITEMS} things"
    )
    print(f"{what}: medians of {given.runs} runs, load {load:.1f} before and {os.getloadavg()[0]:.1f} after")
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


def _window(samples: list[float], share: tuple[float, float]) -> float:
    first, last = (int(len(samples) * part) for part in share)
    return statistics.median(islice(samples, first, max(last, first + 1)))


def _quantile(samples: list[float], share: float) -> float:
    return sorted(samples)[min(len(samples) - 1, int(share * len(samples)))]


def _timed(figures: list[dict[str, float]], name: str) -> str:
    p50, p99, flat = (_median(figures, f"{name}|{what}") for what in ("p50", "p99", "late/early"))
    return f"{p50:.2f}, {p99:.2f}; {flat:.2f}"


def _median(figures: list[dict[str, float]], name: str) -> float:
    return statistics.median(figure[name] for figure in figures)


if __name__ == "__main__":
    main()
