"""`lantern evaluate report`: what one or several runs came to."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from lantern.command_options import NatsUrl, with_bus
from lantern.evaluation.report.export import tales_rows
from lantern.evaluation.report.plays import joined_plays
from lantern.evaluation.report.writing import markdown_of, page_of, summary_of, write_report
from lantern.evaluation.results import PlayResult, PlayState
from lantern.file_writing import write_or_print
from mesh.errors import InputError, SessionUnknown
from mesh.record.bus import Bus
from mesh.record.following import walk


class ReportFormat(StrEnum):
    """The forms of a report."""

    HTML = "html"
    JSON = "json"
    TALES = "tales"
    MARKDOWN = "markdown"


def report_command(
    directories: Annotated[
        list[Path], typer.Argument(metavar="DIR", help="Directories of runs; several are joined.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Where to. Without it a page goes into the directory, and all else is printed.",
        ),
    ] = None,
    form: Annotated[
        ReportFormat,
        typer.Option("--format", help="The form; tales: each step of the sessions as a line of JSON."),
    ] = ReportFormat.HTML,
    nats: NatsUrl = None,
) -> int:
    """Report on one or several runs: tables, charts, comparisons."""
    if form is ReportFormat.HTML and out is None:
        return _write_beside(directories)
    write_or_print(out, _text(form, joined_plays(directories), directories, nats))
    return 0


def _write_beside(directories: Sequence[Path]) -> int:
    if len(directories) > 1:
        raise InputError("A page about several directories belongs to none of them. Give --out FILE.")
    print(f"written to {write_report(directories[0])}")
    return 0


def _text(
    form: ReportFormat, plays: Sequence[PlayResult], directories: Sequence[Path], nats: str | None
) -> str:
    match form:
        case ReportFormat.HTML:
            return page_of(plays, directories)
        case ReportFormat.JSON:
            return summary_of(plays)
        case ReportFormat.MARKDOWN:
            return markdown_of(plays)
        case ReportFormat.TALES:
            return _exported(plays, nats)


def _exported(plays: Sequence[PlayResult], nats: str | None) -> str:
    async def lines(bus: Bus) -> list[str]:
        finished = [play for play in plays if play.state is PlayState.FINISHED]
        return [json.dumps(row) for play in finished for row in await _rows(bus.in_cell(play.cell), play)]

    return "\n".join(with_bus(nats, "main", lines))


async def _rows(bus: Bus, play: PlayResult) -> list[dict[str, Any]]:
    """The rows of one play.

    Raises:
        SessionUnknown: the server has no record of it.
    """
    rows = [*tales_rows(play, [moment async for moment in walk(bus.reader, play.session)])]
    if not rows and play.steps:
        raise SessionUnknown(play.session)
    return rows
