"""The command line: puts the commands together, and turns errors into one line and an exit code."""

from __future__ import annotations

import logging
import sys
import traceback
from types import TracebackType

import typer

from lantern.commands import dead_letters, memory, sessions
from lantern.commands.diff import diff_command
from lantern.commands.doctor import doctor_command
from lantern.commands.fork import fork_command
from lantern.commands.model_server import model_server_command
from lantern.commands.play import INTERRUPTED, play_command
from lantern.commands.provision import nats_config_command, provision_command
from lantern.commands.replay import replay_command
from lantern.commands.serve import serve_command
from lantern.commands.status import status_command
from lantern.commands.top import top_command
from lantern.complaint import complain, exit_code_of, first_of
from mesh.errors import LanternError
from mesh.log import log_to
from mesh.printable import printable

app = typer.Typer(
    name="lantern",
    help="A multi-agent player of text adventures.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("play")(play_command)
app.command("serve")(serve_command)
app.add_typer(sessions.app, name="sessions")
app.add_typer(memory.app, name="memory")
app.add_typer(dead_letters.app, name="dead-letters")
app.command("replay")(replay_command)
app.command("fork")(fork_command)
app.command("diff")(diff_command)
app.command("status")(status_command)
app.command("top")(top_command)
app.command("doctor")(doctor_command)
app.command("provision")(provision_command)
app.command("model-server")(model_server_command)
app.command("nats-config")(nats_config_command)


def main() -> None:
    """Run a command; an error is one line on standard error: what, why, the mend."""
    sys.excepthook = _unforeseen
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run a command and give its exit code: 0 done, 1 failure, 2 bad input or usage, 130 interrupted."""
    log_to(sys.stderr, json=False, level=logging.WARNING)
    try:
        return typer.main.get_command(app).main(arguments, prog_name="lantern", standalone_mode=False) or 0
    except typer.TyperException as error:
        fault = _usage_error(error)  # none: the help was shown, for want of a command
        return complain(f"{fault} See `lantern --help`.", 2) if fault else 2
    except LanternError as error:
        return complain(str(error), exit_code_of(error))
    except BaseExceptionGroup as group:
        first = first_of(group)
        return complain(str(first), exit_code_of(first))
    except KeyboardInterrupt:
        return INTERRUPTED


def _unforeseen(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """A fault of ours, which may quote texts that are not ours."""
    print(printable("".join(traceback.format_exception(kind, error, trace))), end="", file=sys.stderr)


def _usage_error(error: typer.TyperException) -> str:
    formatted = error.format_message() if isinstance(error, typer.BadParameter) else str(error)
    return formatted.rstrip(".") + "." if formatted else ""


if __name__ == "__main__":
    main()
