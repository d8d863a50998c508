"""`lantern memory query`, and questions about all sessions of a story: from the graph of their records."""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from lantern.command_options import AsJson, CellName, NatsUrl, settings_with, with_bus, with_session_bus
from lantern.invocation import command
from lantern.play.story_files import load_story
from lantern.views.text_view import printable
from mesh.errors import FailureError, InputError
from mesh.nats.subjects import checked_cell
from mesh.printable import one_line
from mesh.record.bus import Bus
from schemas.envelope import Envelope
from schemas.game import SessionStarted
from schemas.memory import MemoryAnswer
from services.memory.graph.file_lock import FileBusy
from services.memory.graph.graph_files import GraphError, QueryResult
from services.memory.graph.questions.story_questions import UNKNOWN, StoryQuestion, story_question
from services.memory.graph.session_graphs import QueryRefused, SessionGraph, SessionGraphs
from services.memory.graph.store_pool import StorePool

WIDTH = 60
"""Characters of a cell in a table; JSON has all of them."""

Words = Annotated[list[str], typer.Argument(metavar="[SESSION] CYPHER", show_default=False)]
OfStory = Annotated[
    str | None,
    typer.Option("--story", metavar="STORY", help="All sessions of this story: a file, or 'bundled'."),
]
TextOnly = Annotated[bool, typer.Option("--text-only", help="With --story: its text-only sessions.")]
R = TypeVar("R")


def query_command(
    words: Words,
    story: OfStory = None,
    text_only: TextOnly = False,
    cell: CellName = "main",
    nats: NatsUrl = None,
    as_json: AsJson = False,
) -> int:
    """Ask the graph of a session, or of all sessions of a story, in Cypher; nothing can be changed."""
    wanted = 1 if story else 2
    if len(words) != wanted:
        raise InputError(
            "Give a session and a query, or --story STORY and a query, as in "
            f"`{command()} memory query SESSION 'MATCH (s:Session) RETURN s.id'`."
        )

    async def asked(graph: SessionGraph) -> QueryResult:
        return await graph.query(words[-1])

    if story:
        table = with_story_graph(nats, cell, story, text_only, asked)
    else:
        table = _with_session_graph(nats, words[0], asked)
    print(_as_json(table) if as_json else _as_text(table))
    if table.cut:
        print("more rows are left out: add a LIMIT, or count them", file=sys.stderr)
    return 0


def ask_story(nats: str | None, cell: str, story: str, text_only: bool, question: str, as_json: bool) -> int:
    """Answer a question in words about all sessions of a story."""
    found, table = with_story_graph(
        nats, cell, story, text_only, partial(_in_words, asked=story_question(question))
    )
    print(_as_json(table) if as_json else printable(found or UNKNOWN))
    return 0


def answer_from_graph(nats: str | None, session: str, asked: StoryQuestion) -> MemoryAnswer | None:
    """The answer of the graph of one session; None: it has none."""
    found, _ = _with_session_graph(nats, session, partial(_in_words, asked=asked))
    return MemoryAnswer(answer=found) if found else None


async def _in_words(graph: SessionGraph, asked: StoryQuestion) -> tuple[str, QueryResult]:
    """The first answer that there is, with its rows; empty: there is none."""
    table = QueryResult((), [], False)
    for answer in asked.answers:
        table = await graph.query(answer.query, **asked.parameters_of(answer))
        if found := answer.told(table):
            return found, table
    return "", table


def with_story_graph(
    nats: str | None, cell: str, story: str, text_only: bool, work: Callable[[SessionGraph], Awaitable[R]]
) -> R:
    """Do the work with the graph of all sessions of a story in a cell."""
    md5, where = load_story(story).md5, checked_cell(cell)

    async def connected(bus: Bus) -> R:
        graphs = _graphs(nats)
        starts = [start for start in await bus.reader.sessions(where) if _is_of(start, md5, text_only)]
        if not starts:
            kind = "text-only session" if text_only else "session"
            raise InputError(f"There is no {kind} of {story} in cell {where}. Play one, or give --cell.")
        return await _asked(graphs, graphs.of_story(where, md5, text_only=text_only), bus, starts, work)

    return with_bus(nats, cell, connected)


def _with_session_graph(nats: str | None, session: str, work: Callable[[SessionGraph], Awaitable[R]]) -> R:
    async def connected(bus: Bus) -> R:
        graphs, start = _graphs(nats), await bus.reader.find(session)
        return await _asked(graphs, graphs.of_session(bus.cell.name, session), bus, [start], work)

    return with_session_bus(nats, session, connected)


async def _asked(
    graphs: SessionGraphs,
    path: Path,
    bus: Bus,
    starts: Sequence[Envelope],
    work: Callable[[SessionGraph], Awaitable[R]],
) -> R:
    try:
        async with graphs.opened(path, bus, starts, partial(print, file=sys.stderr)) as graph:
            return await work(graph)
    except QueryRefused as refused:
        raise InputError(
            f"The query cannot be run: {one_line(str(refused))}. The schema is in docs/memory.md."
        ) from refused
    except GraphError as error:
        raise FailureError(one_line(str(error))) from error
    except (FileBusy, OSError) as error:
        raise FailureError(f"The graph in {path} {one_line(str(error))}.") from error


def _graphs(nats: str | None) -> SessionGraphs:
    return SessionGraphs(settings_with(nats).home / "memory", StorePool())


def _is_of(start: Envelope, md5: str, text_only: bool) -> bool:
    body = start.body
    return isinstance(body, SessionStarted) and (body.story_md5, body.text_only) == (md5, text_only)


def _as_json(table: QueryResult) -> str:
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    return json.dumps({"columns": list(table.columns), "rows": rows, "cut": table.cut})


def _as_text(table: QueryResult) -> str:
    shown = [list(table.columns), *([_cell(value) for value in row] for row in table.rows)]
    widths = [max(len(row[column]) for row in shown) for column in range(len(table.columns))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in shown)
    return "\n".join(line.rstrip() for line in lines)


def _cell(value: object) -> str:
    text = "-" if value is None else value if isinstance(value, str) else json.dumps(value)
    line = one_line(text)
    return line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"
