"""The command line: puts the commands together, and turns errors into one line and an exit code."""

from __future__ import annotations

import errno
import logging
import os
import signal
import sys
import traceback
from collections.abc import Callable, MutableMapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import TracebackType
from typing import Annotated, TextIO

import typer

from lantern.error_output import INTERRUPTED, exit_code_of, first_lantern_error, print_error
from lantern.lazy_command import LazyCommand, lazy_group
from lantern.shell_completion import COMPLETE, prepare_completion
from lantern.standard_streams import OUTPUT_CLOSED, OutputClosed, guard_standard_streams
from lantern.usage import usage_error
from mesh.errors import InputError, LanternError
from mesh.printable import printable

CONFIG = "LANTERN_CONFIG"
"""The variable that names the configuration file; empty: none is read."""


def _print_versions(wanted: bool) -> None:
    if wanted:
        from lantern.commands.shell import versions

        print(versions())
        raise typer.Exit


Version = Annotated[
    bool,
    typer.Option("--version", is_eager=True, callback=_print_versions, help="Print the versions and end."),
]


def _log_warnings(version: Version = False) -> None:
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
        "search",
        "lantern.commands.playing.search:search_command",
        "Search a story, and play what was found in a recorded session; Ctrl-C keeps the best so far.",
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
        "replace",
        "lantern.commands.mesh.replace:replace_command",
        "Run a service in place of the live one, which stands by and takes over again when this one ends.",
    ),
    LazyCommand(
        "mcp",
        "lantern.commands.mcp:mcp_command",
        "Serve MCP clients: tools to play and to look into sessions, until the client leaves.",
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
        "experience",
        "lantern.commands.experience:app",
        "Show or forget what earlier sessions of a story have taught.",
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
        "watch",
        "lantern.commands.sessions.watch:watch_command",
        "Show a session while it is played, or as it was recorded; space pauses it, q leaves.",
    ),
    LazyCommand(
        "web",
        "lantern.commands.web:web_command",
        "Show sessions in a browser: live, step by step, side by side; until Ctrl-C.",
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
        "evaluate",
        "lantern.commands.evaluation:group",
        "Let agents play games by a plan, and report what they score.",
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
        "nats-url",
        "lantern.commands.mesh.nats_url:nats_url_command",
        "Print the address of the NATS server, with its login: the one that is set, or the embedded one.",
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
    LazyCommand(
        "settings",
        "lantern.commands.settings:settings_command",
        "List every setting: its value, where that comes from, and what it means.",
    ),
    LazyCommand(
        "completion",
        "lantern.commands.shell:completion_command",
        'Print what makes a shell complete commands and options: eval "$(lantern completion bash)".',
    ),
    callback=_log_warnings,
)


def main() -> None:
    """Run a command; an error is one line on standard error: what, why, and what to do."""
    sys.excepthook = _print_traceback
    guard_standard_streams()
    code = _outcome(_check_folder, ()) or _outcome(lambda: _configured(os.environ), ()) or run(sys.argv[1:])
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # nothing is left to do that Ctrl-C could interrupt
    sys.exit(code)


def _check_folder() -> int:
    try:
        Path.cwd()
    except FileNotFoundError:
        os.chdir("/")  # what prints the error asks for the folder, too
        raise InputError("The folder that this shell is in was deleted. Change to another one: cd") from None
    return 0


def _configured(environment: MutableMapping[str, str]) -> int:
    """Add the settings of the configuration file to the environment, if there is one."""
    folder = environment.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    usual = Path(folder) / "lantern" / "config.toml"
    named = environment.get(CONFIG)
    if named or (named is None and usual.is_file()):
        from lantern.configuration import read_configuration  # every command would start later with it

        read_configuration(Path(named or usual), environment)
    return 0


def run(arguments: Sequence[str], stdout: TextIO | None = None, stderr: TextIO | None = None) -> int:
    """Run a command and give its exit code.

    0: done; 1: failure; 2: bad input or usage; 130: interrupted; 141: nobody reads the output any more.
    `stdout`, `stderr`: where its output goes, if not to those of this process.
    """
    with redirect_stdout(stdout or sys.stdout), redirect_stderr(stderr or sys.stderr):
        return _run(arguments)


def _run(arguments: Sequence[str]) -> int:
    exit_code = _outcome(lambda: _invoked(arguments), arguments)
    return exit_code if (unwritten := _outcome(_flush, arguments)) == 0 else unwritten


def _invoked(arguments: Sequence[str]) -> int:
    if COMPLETE in os.environ:
        prepare_completion()
    return COMMANDS.main([*arguments], prog_name="lantern", standalone_mode=False) or 0


def _flush() -> int:
    """Write what is still buffered: Python would do so at its exit, and print a traceback if it cannot."""
    sys.stdout.flush()
    return 0


def _outcome(command: Callable[[], int], arguments: Sequence[str]) -> int:
    """The exit code of a command; its error is printed."""
    try:
        return command()
    except typer.TyperException as error:
        fault = usage_error(error, arguments, COMMANDS)  # empty: no command was given, and the help was shown
        return print_error(fault, 2) if fault else 2
    except (LanternError, BaseExceptionGroup) as error:
        first = first_lantern_error(error)
        closed = isinstance(first, OutputClosed)
        return OUTPUT_CLOSED if closed else print_error(str(first), exit_code_of(first))
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        return print_error(f"{error.filename}: no file can have so long a name. Give a shorter one.", 2)
    except KeyboardInterrupt:
        return INTERRUPTED


def _print_traceback(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print the traceback of a bug; it may quote texts that could steer a terminal."""
    print(printable("".join(traceback.format_exception(kind, error, trace))), end="", file=sys.stderr)


if __name__ == "__main__":
    main()
