"""`lantern memory`: ask what is remembered of a session, and draw it."""

from __future__ import annotations

import json
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from lantern.command_options import AsJson, CellName, NatsUrl, SessionName, with_session_bus
from lantern.commands.memory_query import OfStory, TextOnly, answer_from_graph, ask_story, query_command
from lantern.file_writing import write_file
from lantern.recorded.memory_answers import answered
from lantern.views.drawing.graphml import graphml
from lantern.views.drawing.svg import drawn
from lantern.views.text_view import printable
from mesh.errors import InputError
from mesh.record.bus import Bus
from schemas.memory import AskMemory, MemoryAnswer
from services.memory.graph.questions.story_questions import hops_question
from services.memory.graph.recorded_sessions import world_from_record
from services.memory.timeline.snapshot import GraphSnapshot, snapshot_at

AtStep = Annotated[int | None, typer.Option("--at", min=0, metavar="STEP", help="As it was after this step.")]

app = typer.Typer(help="Ask what is remembered of a session, and draw its map.", no_args_is_help=True)


class Format(StrEnum):
    """How a graph is written."""

    JSON = "json"
    GRAPHML = "graphml"
    SVG = "svg"


app.command("query")(query_command)


@app.command("ask")
def ask_command(
    words: Annotated[
        list[str],
        typer.Argument(metavar="[SESSION] QUESTION", help='"where is the lamp"', show_default=False),
    ],
    at: AtStep = None,
    story: OfStory = None,
    text_only: TextOnly = False,
    cell: CellName = "main",
    nats: NatsUrl = None,
    as_json: AsJson = False,
) -> int:
    """Ask about a session, being played or over, or with --story about all sessions of a story."""
    if len(words) != (1 if story else 2):
        raise InputError("Give a session and a question in quotes, or --story STORY and a question.")
    if story:
        return ask_story(nats, cell, story, text_only, _readable(words[0]), as_json)
    session, question = words

    async def work(bus: Bus) -> MemoryAnswer:
        asked = AskMemory(session=session, question=_readable(question), at=at)
        if not asked.question.strip():
            raise InputError('The question has no words. Ask, for example, "where is the lamp".')
        return await answered(bus, asked)

    hops = hops_question(_readable(question)) if at is None else None
    told = (hops and answer_from_graph(nats, session, hops)) or with_session_bus(nats, session, work)
    if as_json:
        print(json.dumps(told.model_dump(mode="json")))
        return 0
    print(printable(told.answer))
    if told.steps:
        print(f"(told by {_steps(told.steps)}{', by text alone' if told.by_text else ''})")
    return 0


@app.command("graph")
def graph_command(
    session: SessionName,
    at: AtStep = None,
    form: Annotated[
        Format,
        typer.Option("--format", help="json: everything that was believed, and when; graphml, svg: then."),
    ] = Format.JSON,
    output: Annotated[Path | None, typer.Option("--output", metavar="FILE", help="Where to.")] = None,
    nats: NatsUrl = None,
) -> int:
    """Write what is known of a session's world: as JSON, as GraphML, or as a map to look at."""

    async def work(bus: Bus) -> GraphSnapshot:
        world = await world_from_record(bus, session, at)
        last = world.last_step
        if last < 0 or (at is not None and at > last):
            wrong = "no step yet" if last < 0 else f"no step {at}; its last is {last}"
            raise InputError(f"The session {session} has {wrong}. Give an earlier one, or wait for it.")
        return snapshot_at(world, last)

    graph = with_session_bus(nats, session, work)
    written = _written(graph, form, session)
    if output is None:
        print(written, end="")
        return 0
    write_file(output, written)
    print(printable(f"wrote {output}"))
    return 0


def _readable(typed: str) -> str:
    """What was typed, with a mark for what is no UTF-8."""
    return typed.encode(errors="surrogateescape").decode(errors="replace")


def _written(graph: GraphSnapshot, form: Format, session: str) -> str:
    match form:
        case Format.JSON:
            return json.dumps({"session": session, **_as_json(graph)}) + "\n"
        case Format.GRAPHML:
            return printable(graphml(graph))
        case Format.SVG:
            return printable(drawn(graph, f"{session}, step {graph.step}"))


def _as_json(graph: GraphSnapshot) -> dict[str, Any]:
    return {
        "step": graph.step,
        "here": graph.room,
        "entities": [
            {**asdict(entity), "is_a": list(graph.categories.get(entity.id, ()))} for entity in graph.entities
        ],
        "facts": [asdict(fact) for fact in graph.facts],
        "steps": [
            {**asdict(step), "mentions": list(graph.mentions.get(step.step, ()))} for step in graph.steps
        ],
    }


def _steps(steps: tuple[int, ...]) -> str:
    shown = ", ".join(map(str, steps[-20:]))
    return f"step {shown}" if len(steps) == 1 else f"steps {'…, ' if len(steps) > 20 else ''}{shown}"
