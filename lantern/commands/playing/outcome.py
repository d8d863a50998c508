"""What a command that plays shows of a session: while it is played, and at its end."""

from __future__ import annotations

import json
import sys

from lantern.error_output import INTERRUPTED
from lantern.play.summary import Summary
from lantern.play.watching import Watcher
from lantern.views.live_view import LiveView
from lantern.views.text_view import SilentView, TextView
from mesh.printable import one_line
from schemas.game import EndReason


def watcher_for(steps: int, as_json: bool, foreword: str = "") -> Watcher:
    """What shows a session of so many steps while it is played."""
    if as_json:
        return SilentView()
    return LiveView(steps, foreword=foreword) if sys.stdout.isatty() else TextView(foreword)


def print_outcome(summary: Summary, as_json: bool) -> int:
    """Print a session's outcome; the exit code."""
    print(json.dumps(summary.as_json()) if as_json else outcome_text(summary))
    return _exit_code(summary)


def outcome_text(summary: Summary) -> str:
    """A session's outcome in two lines, and what models took and what was degraded below."""
    counts = summary.as_json()
    best = "" if counts["best_score"] is None else f", best score {counts['best_score']}"
    of = f" of {counts['max_score']}" if counts["max_score"] is not None and best else ""
    won = f", {summary.victories} won" if summary.victories else ""
    lost = f", {counts['degraded_steps']} degraded" if counts["degraded_steps"] else ""
    detail = f" ({one_line(summary.ended.detail)})" if summary.ended and summary.ended.detail else ""
    outcome = (
        f"{counts['steps']} steps in {counts['seconds']:.1f} s, "
        f"{counts['episodes']} episodes{best}{of}{won}{lost}; ended: {counts['ended']}{detail}\n"
        f"see it again: lantern sessions show {summary.session}"
    )
    return "\n".join([outcome, *summary.lines()])


def _exit_code(summary: Summary) -> int:
    if summary.ended is None or summary.ended.reason is EndReason.FAILED:
        return 1
    return INTERRUPTED if summary.ended.reason is EndReason.STOPPED else 0
