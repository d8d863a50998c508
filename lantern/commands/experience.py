"""`lantern experience`: what is known of a story from earlier sessions."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import Annotated, TypeVar

import typer
from pydantic import BaseModel

from lantern.command_options import AsJson, CellName, NatsUrl, settings_with, with_bus
from lantern.play.experience import summary_of_experience
from lantern.play.story_files import load_story
from mesh.errors import FailureError, NobodyAnswers
from mesh.nats.subjects import checked_cell
from mesh.observability.liveness import who_serves
from mesh.printable import counted, one_line
from mesh.record.bus import Bus
from schemas.experience import (
    AskExperience,
    ExperienceAnswer,
    ExperienceForgotten,
    ForgetExperience,
    StoryExperience,
)
from services.memory.experience.experience_files import ExperienceFiles, StoryKey
from services.memory.graph.store_pool import StorePool

PATIENCE = 60.0
KINDS = {"full": False, "text_only": True}
"""What is known from text-only sessions stands apart."""
KINDS_IN_WORDS = {"full": "with the game's state", "text_only": "text only"}

Story = Annotated[str, typer.Argument(metavar="STORY", help="A story file, or 'bundled'.")]
A = TypeVar("A", bound=BaseModel)

app = typer.Typer(help="Show or forget what earlier sessions of a story have taught.", no_args_is_help=True)


@app.command("show")
def show_command(story: Story, nats: NatsUrl = None, cell: CellName = "main", as_json: AsJson = False) -> int:
    """Show what sessions with --experience have found out: rewards, deaths, the map, the best actions."""
    md5, cell = load_story(story).md5, checked_cell(cell)
    known: dict[str, StoryExperience] = {}
    for kind, text_only in KINDS.items():
        asked = AskExperience(story_md5=md5, text_only=text_only)
        here = partial(ExperienceFiles.known, story=StoryKey(cell, md5, text_only))
        answer = _answered(nats, cell, "experience", asked, ExperienceAnswer, here)
        if answer.fault:
            raise FailureError(answer.fault)
        known[kind] = answer.experience
    if as_json:
        told = {kind: each.model_dump(mode="json") for kind, each in known.items()}
        print(json.dumps({"story_md5": md5, **told}))
        return 0
    lines = [line for kind, each in known.items() if each.sessions for line in _lines(kind, each)]
    print(*lines, sep="\n", end="\n" if lines else "")
    if not lines:
        print("nothing is known of this story: play it with --experience", file=sys.stderr)
    return 0


@app.command("forget")
def forget_command(story: Story, nats: NatsUrl = None, cell: CellName = "main") -> int:
    """Forget everything that sessions with --experience have found out about a story."""
    md5, cell = load_story(story).md5, checked_cell(cell)
    asked, here = ForgetExperience(story_md5=md5), partial(ExperienceFiles.forget, cell=cell, md5=md5)
    done = _answered(nats, cell, "forget", asked, ExperienceForgotten, here)
    if done.fault:
        raise FailureError(done.fault)
    for file in done.files:
        print(f"deleted {one_line(file)}")
    print(f"forgot {counted(done.sessions, 'session')}" if done.files else "nothing was known of this story")
    return 0


def _answered(
    nats: str | None,
    cell: str,
    verb: str,
    asked: BaseModel,
    kind: type[A],
    here: Callable[[ExperienceFiles], Awaitable[A]],
) -> A:
    """By the live memory of a server that is named; where there is none, from the files of this machine."""
    settings = settings_with(nats)
    files = ExperienceFiles(settings.home / "memory", StorePool())

    async def work(bus: Bus) -> A:
        try:
            return await bus.requests.ask("memory", verb, asked, kind, session="*", timeout=PATIENCE)
        except NobodyAnswers:
            if any(alive.name == "memory" for alive in await who_serves(bus.cell)):
                raise
        return await here(files)

    async def local() -> A:
        return await here(files)

    return with_bus(nats, cell, work) if settings.nats_url else asyncio.run(local())


def _lines(kind: str, known: StoryExperience) -> Iterator[str]:
    names = _names(known)
    yield f"{KINDS_IN_WORDS[kind]}: {summary_of_experience(known)}"
    if known.best_route:
        yield f"best route: {counted(known.best_points, 'point')}, session {known.best_session}"
    for number, stage in enumerate(known.best_route, start=1):
        yield f"  {number:3}  {one_line(stage.action):24} {names.get(stage.room, one_line(stage.room))}"
    deaths = [(room, death) for room in known.rooms for death in room.deadly]
    yield from ["deaths:"] if deaths else []
    for room, death in deaths:
        dark = ", in the dark" if death.dark else ""
        yield f"  {counted(death.times, 'time')}  {one_line(death.action)} in {names[room.id]}{dark}"
    yield "rooms:"
    for room in known.rooms:
        ways = ", ".join(f"{one_line(way)} to {names.get(end, one_line(end))}" for way, end in room.exits)
        yield f"  {names[room.id]}: {ways or 'no way out is known'}"
    yield from ["  (more is known than fits into a message)"] if known.cut else []


def _names(known: StoryExperience) -> dict[str, str]:
    """By id, the name of each room; where several share a name, with the id."""
    shared = Counter(room.name for room in known.rooms)
    return {
        room.id: one_line(room.name if shared[room.name] == 1 else f"{room.name} [{room.id}]")
        for room in known.rooms
    }
