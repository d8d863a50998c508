"""The list of commands, which is made without importing them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest
from typer.core import TyperGroup

from lantern.cli import COMMANDS
from lantern.lazy_command import LazyCommand

LIBRARIES = ("anthropic", "httpx", "jericho", "kuzu", "opentelemetry", "uvicorn")


def every_command(group: TyperGroup = COMMANDS) -> Iterator[LazyCommand]:
    for command in group.commands.values():
        if isinstance(command, LazyCommand):
            yield command
            loaded = command.loaded()
            if isinstance(loaded, TyperGroup):
                yield from every_command(loaded)


@pytest.mark.parametrize("command", [*every_command()], ids=lambda command: str(command.name))
def test_a_command_is_listed_with_the_first_paragraph_of_its_help(command: LazyCommand) -> None:
    help_text = (command.loaded().help or "").split("\n\n")[0]

    assert " ".join(help_text.split()) == command.help


@pytest.mark.parametrize(
    ("arguments", "not_imported"),
    [
        (["--help"], ("pydantic", "nats", "structlog", *LIBRARIES)),
        (["sessions", "list", "--help"], LIBRARIES),
        (["status", "--help"], LIBRARIES),
    ],
    ids=["lantern", "sessions list", "status"],
)
def test_help_imports_only_what_the_command_needs(
    arguments: list[str], not_imported: tuple[str, ...]
) -> None:
    program = f"import sys; from lantern.cli import run; run({arguments}); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert set(done.stdout.split()).isdisjoint(not_imported)
    assert "typer" in done.stdout.split()
