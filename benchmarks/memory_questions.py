"""How long the memory takes to find texts in long sessions, and its graph to answer about many sessions.

Usage: python -m benchmarks.memory_questions [--steps N] [--sessions N]

The texts are sentences of the bundled game, shuffled, so that nearly all differ. The sessions are ten walks
through the bundled game, under as many names as asked for: five by chance, five by its walkthrough and then
by chance. Prints Markdown.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from games import BUNDLED
from schemas.game import Room, StepTaken
from schemas.memory import AskMemory
from services.memory.graph.graph_files import GraphLibrary
from services.memory.graph.questions.story_questions import EXAMPLES, StoryQuestion, story_question
from services.memory.graph.session_graph_store import ReadOnlySessionGraph, SessionFacts, SessionGraphStore
from services.memory.questions.free_text import answer_free_text
from services.memory.texts.passages import sentences_of
from services.memory.timeline.world_model import WorldModel
from tests.support.sessions.walk import WalkFailed, walk

ACTIONS = (
    "north south east west up down in out look examine_rug take_lamp read_letter open_cupboard read_logbook "
    "move_rug open_trapdoor light_lamp ask_maren_about_key ask_maren_about_tobias take_all drop_all wait"
).split()
QUESTIONS = (
    "what does the letter say about the key",
    "who has the key of the tower",
    "when does the fleet arrive",
    "what is under the rug",
    "why is the lighthouse dark",
)
WALKTHROUGH = Path(__file__).parents[1] / "tests" / "integration" / "bundled_walkthrough.txt"
BUFFER = 64 << 20
ROUNDS = 20


def milliseconds(work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    began = clock()
    work()
    return 1_000 * (clock() - began)


def a_walk(seed: int, steps: int) -> list[StepTaken]:
    chance = random.Random(seed)
    return walk(BUNDLED, [chance.choice(ACTIONS).replace("_", " ") for _ in range(steps)])


def a_won_walk(seed: int, steps: int) -> list[StepTaken]:
    """By the walkthrough, without the last action, which ends the game; then by chance."""
    solved = WALKTHROUGH.read_text().splitlines()[:-1]
    chance = random.Random(seed)
    drawn = [chance.choice(ACTIONS).replace("_", " ") for _ in range(steps - len(solved))]
    return walk(BUNDLED, [*solved, *drawn])


def measure_texts(steps: int) -> None:
    said = sorted({s for step in a_walk(1, 300) for s in sentences_of(step.observation)})
    chance, world = random.Random(1), WorldModel()
    print("| texts | first question | p50 | p95 | processor time, p50 |\n| --- | --- | --- | --- | --- |")
    for number in range(steps):
        text = " ".join(chance.sample(said, 3))
        action = chance.choice(("examine letter", "look", "read note", "north", "ask maren about key"))
        room = Room(id=str(number % 50), name=f"Room {number % 50}")
        world.after(StepTaken(step=number, action=action if number else None, observation=text, room=room))
        if number + 1 in (steps // 10, steps // 2, steps):
            first = milliseconds(lambda: asked(world, QUESTIONS[0]))
            times = [milliseconds(partial(asked, world, q)) for _ in range(ROUNDS) for q in QUESTIONS]
            cpu = [milliseconds(partial(asked, world, q), time.process_time) for q in QUESTIONS * ROUNDS]
            p50, p95 = statistics.median(times), statistics.quantiles(times, n=20)[-1]
            print(
                f"| {number + 1:,} | {first:,.0f} ms | {p50:.1f} ms | {p95:.1f} ms "
                f"| {statistics.median(cpu):.1f} ms |",
                flush=True,
            )


def asked(world: WorldModel, question: str) -> object:
    return answer_free_text(AskMemory(session="s", question=question), world)


def measure_graph(sessions: int, steps: int = 200) -> None:
    walks = [(a_won_walk if seed % 2 else a_walk)(seed, steps) for seed in range(10)]
    worlds = [world_of(steps) for steps in walks]
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "story.kuzu"
        built = milliseconds(lambda: build(path, worlds, sessions))
        graph = ReadOnlySessionGraph(path, GraphLibrary.KUZU, BUFFER)
        size = sum(file.stat().st_size for file in Path(directory).iterdir()) / 1e6
        print(
            f"\n{sessions} sessions of {steps} steps: written in {built / 1_000:.1f} s, {size:.0f} MB\n"
            "\n| question | rows | first | p50 of 10 |\n| --- | --- | --- | --- |"
        )
        for words, question in questions():
            first, *rest = (milliseconds(partial(answered, graph, question)) for _ in range(11))
            rows = len(answered(graph, question))
            print(f"| {words} | {rows} | {first:.0f} ms | {statistics.median(rest):.0f} ms |", flush=True)
        graph.close()


def world_of(steps: Iterable[StepTaken]) -> WorldModel:
    world = WorldModel()
    for step in steps:
        world.after(step)
    return world


def build(path: Path, worlds: list[WorldModel], sessions: int) -> None:
    store = SessionGraphStore(path, GraphLibrary.KUZU, BUFFER)
    store.create_schema()
    for number in range(sessions):
        world = worlds[number % len(worlds)]
        facts = SessionFacts(f"s{number}", "random", number, world.last_step, 0, 0, 0, False, "")
        store.add_session(facts, list(world.changes), world.ends)
    store.close()


def questions() -> Iterable[tuple[str, StoryQuestion]]:
    named = ("how do I get from jetty to the attic bedroom", "where was the lamp", "what opens the oak door")
    for words in (*EXAMPLES[:4], *named, "where is what maren asked for", "who sails the petrel"):
        yield words, story_question(words)


def answered(graph: ReadOnlySessionGraph, question: StoryQuestion) -> list[list[object]]:
    """The rows of the first of its queries that has any."""
    tables = (graph.query(a.query, 10_000, **question.parameters_of(a)) for a in question.answers)
    return next((table.rows for table in tables if table.rows), [])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--steps", type=int, default=10_000, help="of the session in which texts are found")
    parser.add_argument("--sessions", type=int, default=100, help="in the graph")
    arguments = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}\n")
    measure_texts(arguments.steps)
    try:
        measure_graph(arguments.sessions)
    except WalkFailed as failure:
        raise SystemExit(str(failure)) from None


if __name__ == "__main__":
    main()
