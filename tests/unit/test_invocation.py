"""Commands that are printed can be typed as they are printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from lantern.invocation import activation, as_typed, command


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A command in a virtual environment that is not active."""
    bin_folder = tmp_path / "my games" / ".venv" / "bin"
    bin_folder.mkdir(parents=True)
    for name in ("lantern", "activate"):
        (bin_folder / name).write_text("")
        (bin_folder / name).chmod(0o755)
    monkeypatch.setattr("sys.argv", [str(bin_folder / "lantern")])
    monkeypatch.setenv("PATH", "/usr/bin")
    return bin_folder / "lantern"


def test_a_command_that_the_path_finds_is_its_name(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(program.parent))

    assert (command(), activation()) == ("lantern", "")


def test_a_command_that_the_path_does_not_find_is_its_path_from_here(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(program.parents[2])

    assert as_typed("Run `lantern resume X`.") == "Run `.venv/bin/lantern resume X`."
    assert activation() == ". .venv/bin/activate"


def test_beside_the_command_the_path_begins_with_a_dot(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(program.parent)

    assert command() == "./lantern"


def test_elsewhere_the_path_is_whole_and_quoted(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")

    assert command() == f"'{program}'"


def test_what_is_no_command_of_a_user_is_called_by_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["/usr/lib/pytest/__main__.py"])

    assert (command(), activation()) == ("lantern", "")
