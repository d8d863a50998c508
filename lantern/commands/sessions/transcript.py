"""`lantern sessions transcript`: a session as a text to read."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from lantern.command_options import NatsUrl, SessionName, with_session_bus
from lantern.file_writing import write_or_print
from lantern.views import transcript
from lantern.views.transcript import TranscriptStep, chapter_of
from mesh.record.bus import Bus
from mesh.record.following import walk


class TranscriptFormat(StrEnum):
    """The forms of a transcript."""

    MARKDOWN = "md"
    HTML = "html"
    JSON = "json"


def transcript_command(
    session: SessionName,
    form: Annotated[TranscriptFormat, typer.Option("--format", help="The form.")] = TranscriptFormat.MARKDOWN,
    models: Annotated[
        bool, typer.Option("--models", help="With every prompt to a language model, and its reply.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to; standard output, if not given.")
    ] = None,
    nats: NatsUrl = None,
) -> int:
    """Write a session as a text to read: the game, and what each agent said."""

    async def work(bus: Bus) -> list[TranscriptStep]:
        return [chapter_of(moment, models=models) async for moment in walk(bus.reader, session)]

    write_or_print(output, _rendered(form, session, with_session_bus(nats, session, work)))
    return 0


def _rendered(form: TranscriptFormat, session: str, chapters: list[TranscriptStep]) -> str:
    match form:
        case TranscriptFormat.MARKDOWN:
            return "\n".join(transcript.markdown(session, chapters))
        case TranscriptFormat.HTML:
            return "\n".join(transcript.page(session, chapters))
        case TranscriptFormat.JSON:
            return transcript.as_json(session, chapters)
