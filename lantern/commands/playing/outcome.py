"""What a command that plays shows of a session: while it is played, and at its end."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable

from rich.console import Console

from lantern.command_options import with_session_bus
from lantern.error_output import INTERRUPTED
from lantern.invocation import activation, command
from lantern.play.interactive.prompt_view import PromptView
from lantern.play.summary import Summary
from lantern.play.watching import SessionView
from lantern.views.live.live_view import LiveView
from lantern.views.text_view import SilentView, TextView
from mesh.nats.connection import without_login
from mesh.printable import counted, one_line, printable
from mesh.settings import MeshSettings
from schemas.game import HUMAN, EndReason


def by_hand_view(settings: MeshSettings, as_json: bool) -> SessionView:
    """What shows a session that a person plays here, and asks for each action."""
    return PromptView(settings, quiet=as_json)


def view_of(
    session: str, policy: str | None, nats: str | None, settings: MeshSettings, as_json: bool
) -> SessionView:
    """What shows a recorded session that goes on; `policy`: the one that it goes on with, if it is another.

    Raises:
        SessionUnknown: no session has that id.
    """
    if policy is None:
        started = with_session_bus(nats, session, lambda bus: bus.reader.started(session))
        policy = started.policy if started else None
    return by_hand_view(settings, as_json) if policy == HUMAN else view_for(as_json)


def view_for(as_json: bool, foreword: str = "") -> SessionView:
    """What shows a session while it is played."""
    if as_json:
        return SilentView()
    return LiveView(foreword=foreword) if can_draw() else TextView(foreword)


def can_draw() -> bool:
    """Whether standard output is a terminal that can be drawn on."""
    console = Console()
    return sys.stdout.isatty() and not console.is_dumb_terminal and console.encoding.startswith("utf")


def announcement(as_json: bool) -> Callable[[str], None]:
    """What says a line before a session goes on; above the picture, where there is one."""

    def announce(line: str) -> None:
        if not as_json and line:
            print(printable(line), flush=True)

    return announce


def print_outcome(summary: Summary, as_json: bool, nats: str | None) -> int:
    """Print a session's outcome; the exit code. `nats`: the server, if the user has named it."""
    print(json.dumps(summary.as_json()) if as_json else outcome_text(summary, nats))
    return _exit_code(summary)


def outcome_text(summary: Summary, nats: str | None = None) -> str:
    """A session's outcome, what models took, what was degraded; at last, the command that shows it again."""
    counts = summary.as_json()
    best = "" if counts["best_score"] is None else f", best score {counts['best_score']}"
    of = f" of {counts['max_score']}" if counts["max_score"] is not None and best else ""
    won = f", {summary.victories} won" if summary.victories else ""
    lost = f", {counts['degraded_steps']} degraded" if counts["degraded_steps"] else ""
    detail = f" ({one_line(summary.ended.detail)})" if summary.ended and summary.ended.detail else ""
    outcome = (
        f"{counted(counts['steps'], 'step')} in {counts['seconds']:.1f} s, "
        f"{counted(counts['episodes'], 'episode')}{best}{of}{won}{lost}; ended: {counts['ended']}{detail}"
    )
    again = f"see it again: {command()} replay {summary.session} --step{_server(nats)}"
    activate = [f"`{line}` puts lantern on the PATH"] if (line := activation()) else []
    return "\n".join([outcome, *summary.lines(), *activate, again])


def _server(nats: str | None) -> str:
    """The option that names the server, without a password."""
    return f" --nats {shlex.quote(without_login(nats))}" if nats else ""


def _exit_code(summary: Summary) -> int:
    if summary.ended is None or summary.ended.reason is EndReason.FAILED:
        return 1
    return INTERRUPTED if summary.ended.reason is EndReason.STOPPED else 0
