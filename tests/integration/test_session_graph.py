"""The graph of sessions: built from their records when somebody asks, and never changed by a query."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_by_hand import by_hand

from games import BUNDLED
from mesh.record.bus import Bus
from schemas.envelope import Envelope
from schemas.game import StepTaken
from services.memory.graph.graph_files import GraphLibrary
from services.memory.graph.questions.story_questions import EXAMPLES, StoryQuestion, story_question
from services.memory.graph.session_graphs import QueryRefused, SessionGraph, SessionGraphs
from services.memory.graph.store_pool import StorePool
from services.memory.settings import MemorySettings
from tests.support.processes.command import Lantern
from tests.support.scenes.builders import a_session
from tests.support.scenes.memory_builders import KITCHEN, LAMP, Walk
from tests.support.sessions.walk import walk

COUNT = "MATCH (t:EpisodicTurn) RETURN t.session, count(*) ORDER BY t.session"
HELD = """MATCH (:SemanticEntity {id: 'player'})-[f:SemanticRel {relation: 'has'}]->(i)
RETURN i.name, f.session, f.valid_from, f.valid_to ORDER BY f.session"""


def a_walk() -> Walk:
    walk = Walk()
    walk.then(objects=[LAMP])
    walk.then("take lamp", inventory=[LAMP], reward=5, score=5)
    walk.then("north", room=KITCHEN, inventory=[LAMP], score=5)
    return walk


async def record(bus: Bus, session: str, walk: Walk, first: int = 0) -> None:
    if not first:
        await bus.writer.publish(session, a_session())
    for step in walk.steps[first:]:
        await bus.writer.publish(session, step)


async def ask(
    graphs: SessionGraphs, bus: Bus, query: str, told: list[str] | None = None
) -> list[list[object]]:
    path = graphs.of_story("main", "0" * 32, text_only=False)

    async def rows(graph: SessionGraph) -> list[list[object]]:
        return (await graph.query(query)).rows

    async with graphs.opened(path, bus, await starts(bus), (told or []).append) as graph:
        return await rows(graph)


async def starts(bus: Bus) -> list[Envelope]:
    return [start for start in await bus.reader.sessions() if start.cell == bus.cell.name]


@pytest.mark.parametrize("library", GraphLibrary)
async def test_a_graph_holds_what_was_believed_in_each_session_and_follows_their_records(
    bus: Bus, tmp_path: Path, library: GraphLibrary
) -> None:
    graphs, walk = SessionGraphs(tmp_path, StorePool(MemorySettings(store=library))), a_walk()
    await record(bus, "s1", walk)
    await record(bus, "s2", a_walk())
    assert await ask(graphs, bus, COUNT) == [["s1", 3], ["s2", 3]]

    walk.then("drop lamp", room=KITCHEN, objects=[LAMP], observation="Dropped.", score=5)
    walk.then("eat fire", room=KITCHEN, done=True, observation="You have died.", score=5)
    await record(bus, "s1", walk, first=3)

    assert await ask(graphs, bus, HELD) == [["brass lantern", "s1", 1, 3], ["brass lantern", "s2", 1, -1]]
    died = "MATCH (t:EpisodicTurn)-[:InRoom]->(r) WHERE t.died RETURN r.name, t.action, t.session"
    assert await ask(graphs, bus, died) == [["Kitchen", "eat fire", "s1"]]
    sessions = "MATCH (s:Session) RETURN s.id, s.steps, s.points, s.deaths ORDER BY s.id"
    assert await ask(graphs, bus, sessions) == [["s1", 4, 5, 1], ["s2", 2, 5, 0]]


async def test_what_is_in_the_graph_already_is_not_read_again(bus: Bus, tmp_path: Path) -> None:
    graphs, told = SessionGraphs(tmp_path, StorePool()), list[str]()
    await record(bus, "s1", a_walk())
    for _ in range(2):
        path = graphs.of_session("main", "s1")
        async with graphs.opened(path, bus, await starts(bus), told.append):
            pass

    assert told == ["reading 1 of 1 sessions into the graph"]


async def test_a_graph_with_a_session_that_is_gone_or_in_a_broken_file_is_built_anew(
    bus: Bus, tmp_path: Path
) -> None:
    graphs = SessionGraphs(tmp_path, StorePool())
    path = graphs.of_story("main", "0" * 32, text_only=False)
    await record(bus, "s1", a_walk())
    await record(bus, "s2", a_walk())
    assert len(await ask(graphs, bus, COUNT)) == 2

    async with graphs.opened(path, bus, (await starts(bus))[:1], str) as graph:
        assert (await graph.query(COUNT)).rows == [["s1", 3]]
    path.write_bytes(b"no graph" * 1_000)
    assert await ask(graphs, bus, COUNT) == [["s1", 3], ["s2", 3]]


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("CREATE (:Session {id: 'x'})", "does not begin with MATCH"),
        ("MATCH (s:Session) SET s.points = 1", "read-only"),
        ("MATCH (s:Session) DETACH DELETE s", "read-only"),
        ("COPY Session TO '/tmp/never.csv'", "does not begin with MATCH"),
        ("MATCH (s:Session) RETURN s; MATCH (t) RETURN t", "multiple statements"),
        ("MATCH (s:Session) RETRN s", "Parser exception"),
        ("MATCH (s:Nothing) RETURN s", "Nothing does not exist"),
    ],
)
async def test_a_query_that_would_write_or_cannot_be_run_is_refused(
    bus: Bus, tmp_path: Path, query: str, why: str
) -> None:
    graphs = SessionGraphs(tmp_path, StorePool())
    await record(bus, "s1", a_walk())

    with pytest.raises(QueryRefused, match=why):
        await ask(graphs, bus, query)


async def test_every_query_of_the_documents_can_be_run(bus: Bus, tmp_path: Path) -> None:
    graphs = SessionGraphs(tmp_path, StorePool())
    await record(bus, "s1", a_walk())
    shown = (Path(__file__).parents[2] / "docs" / "memory.md").read_text().splitlines()
    queries = [line for line in shown if line.startswith("MATCH ")]

    answers = [await ask(graphs, bus, query) for query in queries]

    assert len(queries) == 10
    assert answers[1] == [["s1", "heuristic", 5, 2]]


async def answer(graph: SessionGraph, asked: StoryQuestion) -> str:
    tables = [(each, await graph.query(each.query, **asked.parameters_of(each))) for each in asked.answers]
    return next((found for each, table in tables if (found := each.told(table))), "")


@pytest.mark.parametrize("question", EXAMPLES)
async def test_every_question_about_all_sessions_that_is_offered_can_be_asked(
    bus: Bus, tmp_path: Path, question: str
) -> None:
    graphs = SessionGraphs(tmp_path, StorePool())
    await record(bus, "s1", a_walk())

    async with graphs.opened(graphs.of_session("main", "s1"), bus, await starts(bus), str) as graph:
        await answer(graph, story_question(question))


WON = Path(__file__).with_name("bundled_walkthrough.txt").read_text().splitlines()


@pytest.fixture(scope="module")
def won() -> list[StepTaken]:
    return walk(BUNDLED, WON)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "what opens the oak door",
            "unlock oak door with iron key (in 2 sessions). The iron key came",
        ),
        ("Who has the key that opens the oak door?", "in Net Shed by 'ask maren about petrel'"),
        ("where is the thing that unlocked the oak door", "in Net Shed by 'ask maren about petrel'"),
        ("where is what Maren spoke of", "logbook: Attic Bedroom"),
        ("how do I get from the jetty to the gallery", "north, then up, then north, then north, then up"),
        ("how do I get from the cellar to the cedar chest", "north, then west, then south, then east"),
        ("how do I get from the net shed to the jetty", "west, then south (told, not walked yet)"),
        ("where was the lens", "crystal lens: cedar chest, in Sea Cave (in 2 sessions)"),
        ("where did I get the lamp", "brass lamp: came to you in Cottage Kitchen by 'take brass lamp'"),
        ("who has the oil can", "stone shelf has had the oil can"),
        ("what did the wreckers want of Tobias", "The wreckers came again with gold"),
        ("where did I die", ""),
    ],
)
async def test_questions_across_sessions_and_over_several_hops_are_answered_by_the_graph(
    bus: Bus, tmp_path: Path, won: list[StepTaken], question: str, expected: str
) -> None:
    graphs = SessionGraphs(tmp_path, StorePool())
    for session in ("s1", "s2"):
        await bus.writer.publish(session, a_session())
        for step in won:
            await bus.writer.publish(session, step)

    path = graphs.of_story("main", "0" * 32, text_only=False)
    async with graphs.opened(path, bus, await starts(bus), str) as graph:
        found = await answer(graph, story_question(question))

    assert expected in found
    assert bool(found) == bool(expected)


async def test_an_opening_in_vain_is_no_answer(bus: Bus, tmp_path: Path) -> None:
    walk, graphs = Walk(), SessionGraphs(tmp_path, StorePool())
    walk.then("take lamp", inventory=[LAMP], objects=[LAMP])
    walk.then("open chest with brass lantern", inventory=[LAMP], observation="That doesn't work.")
    await record(bus, "s1", walk)
    opens = story_question("what opens the chest").answers[0]

    async with graphs.opened(graphs.of_session("main", "s1"), bus, await starts(bus), str) as graph:
        table = await graph.query(opens.query, name="chest")

    assert len(table.rows) == 1
    assert opens.told(table) == ""


def test_a_question_of_several_hops_about_one_session_is_answered_by_its_graph(lantern: Lantern) -> None:
    by_hand(lantern, "\n".join([*WON, ""]), "play", "--policy", "human", "--session", "won")

    hops = lantern.run("memory", "ask", "won", "who has what opens the oak door")
    before = lantern.run("memory", "ask", "won", "who has what opens the oak door", "--at", "20")

    assert "The iron key came to you in Net Shed by 'ask maren about petrel'." in hops.stdout
    assert "petrel" not in before.stdout


def test_sessions_of_a_story_are_asked_by_the_command(lantern: Lantern) -> None:
    for seed in (1, 2):
        lantern.run("play", "bundled", "--steps", "12", "--seed", str(seed), "--session", f"s{seed}")
    query = "MATCH (s:Session) RETURN s.id, s.steps ORDER BY s.id"

    table = lantern.run("memory", "query", "--story", "bundled", query)
    one = lantern.run("memory", "query", "s2", query, "--json")
    rooms = lantern.run("memory", "ask", "--story", "bundled", "which rooms are there")
    refused = lantern.run("memory", "query", "s1", "MATCH (s:Session) SET s.points = 1")

    assert table.stdout == "s.id  s.steps\ns1    12\ns2    12\n"
    assert json.loads(one.stdout)["rows"] == [{"s.id": "s2", "s.steps": 12}]
    assert "Jetty (in 2 sessions)" in rooms.stdout.splitlines()
    assert refused.returncode == 2
    assert refused.stderr.splitlines()[-1].startswith("lantern: The query cannot be run: ")
