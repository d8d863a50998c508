"""Writes `summary.json` and `report.html` beside the results of a run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from lantern.evaluation.report.page import page
from lantern.evaluation.report.plays import joined_plays
from lantern.evaluation.report.summarising import summaries
from lantern.evaluation.report.summary import as_json
from lantern.evaluation.report.tables import markdown, tables_of
from lantern.evaluation.results import PlayResult
from lantern.file_writing import write_file

SUMMARY, REPORT = "summary.json", "report.html"
"""The files that a report makes in the directory of a run."""


def write_report(directory: Path) -> Path:
    """Write both files, and give the path of the page.

    Raises:
        InputError: the directory has no results, they are damaged, or a file cannot be written.
    """
    plays = joined_plays([directory])
    write_file(directory / SUMMARY, summary_of(plays))
    write_file(directory / REPORT, page_of(plays, [directory]))
    return directory / REPORT


def page_of(plays: Sequence[PlayResult], directories: Sequence[Path]) -> str:
    """The page about the plays of some directories."""
    names = ", ".join(directory.resolve().name for directory in directories)
    return page(f"Evaluation: {names}", summaries(plays))


def summary_of(plays: Sequence[PlayResult]) -> str:
    """The text of `summary.json`."""
    return json.dumps(as_json(regime for regime, _ in summaries(plays)), indent=1)


def markdown_of(plays: Sequence[PlayResult]) -> str:
    """All tables in Markdown."""
    return "\n\n".join(
        f"### {regime.regime}, {regime.step_budget:,} steps\n\n"
        + "\n\n".join(map(markdown, tables_of(regime)))
        for regime, _ in summaries(plays)
    )
