"""The command line: `lantern play|serve|sessions|dead-letters|status|doctor`."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from datetime import UTC, datetime
from typing import Annotated

import typer

from lantern.play import Wish, default_session, play
from lantern.show import Lines, Silent
from mesh.errors import InputError, LanternError
from mesh.log import log_to_file
from mesh.settings import MeshSettings

app = typer.Typer(
    name="lantern",
    help="A multi-agent player of text adventures.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

NatsUrl = Annotated[
    str | None, typer.Option("--nats", metavar="URL", help="A NATS server with JetStream; else an embedded one.")
]
CellName = Annotated[str, typer.Option("--cell", help="The namespace of sessions and services.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


@app.command("play")
def play_command(
    story: Annotated[str, typer.Argument(help="A story file (.z1 to .z8), or 'bundled'.")] = "bundled",
    steps: Annotated[int, typer.Option(help="How many actions to play.")] = 100,
    policy: Annotated[str, typer.Option(help="heuristic or random.")] = "heuristic",
    seed: Annotated[int, typer.Option(help="Of all chance, 1 or above.")] = 1,
    session: Annotated[str | None, typer.Option(help="The session's id.")] = None,
    nats: NatsUrl = None,
    cell: CellName = "main",
    valid_actions: Annotated[bool, typer.Option(help="Whether the agent is told the valid actions.")] = True,
    as_json: AsJson = False,
) -> int:
    """Play a story and watch."""
    settings = settings_with(nats)
    name = session or default_session(story, datetime.now(UTC).isoformat() + str(os.getpid()))
    wish = Wish(story, steps, policy, seed, name, cell, valid_actions)
    log_to_file(settings.home / "lantern.log")
    summary = asyncio.run(play(wish, settings, Silent() if as_json else Lines()))
    if as_json:
        print(json.dumps(summary.as_json()))
    return 0


@app.command("serve")
def serve_command() -> int:
    return 0


def settings_with(nats: str | None) -> MeshSettings:
    """The settings, with what the command line overrides."""
    settings = MeshSettings()
    return settings.model_copy(update={"nats_url": nats}) if nats else settings


def main() -> None:
    """Run a command; an error is one line on standard error: what, why, the mend."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run a command and give its exit code: 0 done, 1 failure, 2 bad input or usage, 130 interrupted."""
    try:
        return typer.main.get_command(app).main(arguments, standalone_mode=False) or 0
    except typer.TyperException as error:
        return _said(f"{_usage_error(error)} See `lantern --help`.", 2)
    except LanternError as error:
        return _said(str(error), 2 if isinstance(error, InputError) else 1)
    except BaseExceptionGroup as group:
        return _said(str(_first(group)), 2 if isinstance(_first(group), InputError) else 1)
    except KeyboardInterrupt:
        return 130


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The error that a user can act on, of several that came of one cause."""
    ours = group.subgroup(LanternError)
    if ours is None:
        raise group
    error: BaseException = ours
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _usage_error(error: typer.TyperException) -> str:
    formatted = error.format_message() if isinstance(error, typer.BadParameter) else str(error)
    return formatted.rstrip(".") + "."


def _said(line: str, code: int) -> int:
    print("lantern: " + " ".join(line.split()), file=sys.stderr)
    return code


if __name__ == "__main__":
    main()
