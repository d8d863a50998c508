"""The list of commands, which is made without importing them."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
from typer.core import TyperGroup

from lantern.cli import COMMANDS, run
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


USAGE = {
    "plya": "No such command 'plya'. Did you mean 'play', 'replay'? See `lantern --help`.",
    "sessions shwo": "No such command 'shwo'. Did you mean 'show'? See `lantern sessions --help`.",
    "memory aks": "No such command 'aks'. Did you mean 'ask'? See `lantern memory --help`.",
    "play --polisy random": "No such option: --polisy. Did you mean --policy or --probes? "
    "See `lantern play --help`.",
    "play --steps": "Option '--steps' requires an argument. See `lantern play --help`.",
    "sessions show": "Missing argument 'SESSION'. See `lantern sessions show --help`.",
    "play --policy heurstic": "No policy is called 'heurstic'. Did you mean heuristic? Give one of: "
    "heuristic, random, reflact, human, search, competition-random, nail, golovin, byu, carl.",
    "serve critik": "There is no service 'critik'. Did you mean critic? Name any of game, memory, narrator, "
    "hint, npc_tracker, critic, actor, planner, all, or your own as path.py:Class.",
}


@pytest.mark.parametrize("line", USAGE)
def test_a_mistyped_word_is_told_with_the_nearest_one_and_where_the_help_is(
    line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(line.split()) == 2
    assert capsys.readouterr() == ("", f"lantern: {USAGE[line]}\n")


def test_the_versions_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0

    told = dict(line.split() for line in capsys.readouterr().out.splitlines())
    assert told.keys() == {"lantern-mesh", "Python", "nats-server"}
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in told.values())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_a_script_and_the_words_that_fit(
    shell: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(["completion", shell]) == 0
    assert "_LANTERN_COMPLETE=complete_" + shell in capsys.readouterr().out

    monkeypatch.setenv("_LANTERN_COMPLETE", f"complete_{shell}")
    monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
    for variable in ("_TYPER_COMPLETE_ARGS", "COMP_WORDS"):
        monkeypatch.setenv(variable, "lantern sessions sh")
    monkeypatch.setenv("COMP_CWORD", "2")
    with pytest.raises(SystemExit):
        run([])

    assert "show" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("lantern play --policy h", "heuristic"),
        ("lantern play --policy go", "golovin"),
        ("lantern serve cr", "critic"),
        ("lantern play --st", "--steps"),
    ],
)
def test_a_shell_is_told_the_values_of_an_option(
    line: str, word: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_LANTERN_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split()) - 1))

    with pytest.raises(SystemExit):
        run([])

    assert word in capsys.readouterr().out.split()
