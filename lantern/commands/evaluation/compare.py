"""`lantern evaluate compare`: which of two runs or agents is better."""

from __future__ import annotations

import json
import math
from typing import Annotated

import typer

from lantern.command_options import AsJson
from lantern.evaluation.report.compare import as_json as comparison_as_json
from lantern.evaluation.report.compare import compare, lines_about, named_side
from lantern.evaluation.report.plays import Score
from mesh.errors import InputError


def compare_command(
    a: Annotated[
        str, typer.Argument(metavar="A", help="DIR, the directory of a run, or DIR:AGENT, one agent of it.")
    ],
    b: Annotated[str, typer.Argument(metavar="B", help="The same, for what is compared with A.")],
    by: Annotated[Score, typer.Option(help="Which score counts.")] = Score.BEST,
    at_least: Annotated[
        float,
        typer.Option(
            metavar="POINTS",
            help="What B must score more than A, in percentage points; -1 allows B to lose one.",
        ),
    ] = 0.0,
    as_json: AsJson = False,
) -> int:
    """Say which of two runs or agents is better, by how much, and how sure that is.

    Exit code 0: B is at least as good as --at-least asks, 1: it is not. Plays of one game with the same
    seeds, regime and steps are pairs. Each game counts the same: the difference is the mean over games of
    the mean over pairs. The exit code is also 1 if a play failed in B that A finished.
    """
    if not math.isfinite(at_least):
        raise InputError(f"--at-least {at_least:g} is no number of points. Give one, such as 0 or -1.5.")
    comparison = compare(named_side(a), named_side(b), by)
    if as_json:
        print(json.dumps(comparison_as_json(comparison, at_least)))
    else:
        for line in lines_about(comparison, at_least):
            print(line)
    return 0 if comparison.is_good_enough(at_least) else 1
