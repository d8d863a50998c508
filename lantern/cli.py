"""The command line: puts the commands together, and turns errors into one line and an exit code."""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from types import TracebackType
from typing import TextIO

import typer

from lantern.error_output import INTERRUPTED, exit_code_of, first_lantern_error, print_error
from lantern.lazy_command import LazyCommand, lazy_group
from mesh.errors import LanternError
from mesh.printable import printable


def _log_warnings() -> None:
    from mesh.log import log_to  # what it imports would slow `lantern --help` down

    log_to(sys.stderr, json=False, level=logging.WARNING)


COMMANDS = lazy_group(
    "lantern",
    "A multi-agent player of text adventures.",
    LazyCommand(
        "play",
        "lantern.commands.playing.play:play_command",
        "Play a story and watch; Ctrl-C ends the session after the step under way.",
    ),
    LazyCommand(
        "resume",
        "lantern.commands.playing.resume:resume_command",
        "Go on with a session after a stop or a crash; all that is not given comes from its record.",
    ),
    LazyCommand(
        "serve",
        "lantern.commands.mesh.serve:serve_command",
        "Run services for all sessions of a cell, until Ctrl-C or SIGTERM.",
    ),
    LazyCommand(
        "sessions",
        "lantern.commands.sessions:group",
        "List, show, verify, export, import and delete sessions.",
    ),
    LazyCommand(
        "memory", "lantern.commands.memory:app", "Ask what is remembered of a session, and draw its map."
    ),
    LazyCommand(
        "dead-letters", "lantern.commands.mesh.dead_letters:app", "List, show, retry and drop dead letters."
    ),
    LazyCommand(
        "replay",
        "lantern.commands.sessions.replay:replay_command",
        "Show a session again as it was recorded, and compare what services say now; nothing is executed.",
    ),
    LazyCommand(
        "fork",
        "lantern.commands.playing.fork:fork_command",
        "Copy a session up to a step, and go on from there with another policy, seed or service.",
    ),
    LazyCommand(
        "diff",
        "lantern.commands.sessions.diff:diff_command",
        "Compare two sessions step by step; exit code 0: the same but for names and times, 1: different.",
    ),
    LazyCommand(
        "status",
        "lantern.commands.mesh.status:status_command",
        "Show the live services of a cell: version, state, health, lag, deadlines missed.",
    ),
    LazyCommand(
        "top",
        "lantern.commands.mesh.top:top_command",
        "Watch services and sessions of a cell: rates, latencies, lags; q or Ctrl-C ends it.",
    ),
    LazyCommand(
        "doctor",
        "lantern.commands.mesh.doctor:doctor_command",
        "Check everything that playing needs; exit code 1 if anything is missing.",
    ),
    LazyCommand(
        "provision",
        "lantern.commands.mesh.provision:provision_command",
        "Make the stream, the buckets and the consumers of all services, where they are not there yet.",
    ),
    LazyCommand(
        "model-server",
        "lantern.commands.mesh.model_server:model_server_command",
        "Serve a local model over the Messages API, until Ctrl-C or SIGTERM.",
    ),
    LazyCommand(
        "nats-config",
        "lantern.commands.mesh.provision:nats_config_command",
        "Print the configuration of a NATS server with one user per service.",
    ),
    callback=_log_warnings,
)


def main() -> None:
    """Run a command; an error is one line on standard error: what, why, and what to do."""
    sys.excepthook = _print_traceback
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str], stdout: TextIO | None = None, stderr: TextIO | None = None) -> int:
    """Run a command and give its exit code: 0 done, 1 failure, 2 bad input or usage, 130 interrupted.

    `stdout`, `stderr`: where its output goes, if not to those of this process.
    """
    with redirect_stdout(stdout or sys.stdout), redirect_stderr(stderr or sys.stderr):
        return _run(arguments)


def _run(arguments: Sequence[str]) -> int:
    try:
        return COMMANDS.main([*arguments], prog_name="lantern", standalone_mode=False) or 0
    except typer.TyperException as error:
        fault = _usage_error(error)  # empty: no command was given, and the help was shown
        return print_error(f"{fault} See `lantern --help`.", 2) if fault else 2
    except LanternError as error:
        return print_error(str(error), exit_code_of(error))
    except BaseExceptionGroup as group:
        first = first_lantern_error(group)
        return print_error(str(first), exit_code_of(first))
    except KeyboardInterrupt:
        return INTERRUPTED


def _print_traceback(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print the traceback of a bug; it may quote texts that could steer a terminal."""
    print(printable("".join(traceback.format_exception(kind, error, trace))), end="", file=sys.stderr)


def _usage_error(error: typer.TyperException) -> str:
    formatted = error.format_message() if isinstance(error, typer.BadParameter) else str(error)
    return formatted if formatted.endswith("?") or not formatted else formatted.rstrip(".") + "."


if __name__ == "__main__":
    main()
