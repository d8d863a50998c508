"""Settings: from the environment, else from the configuration file; a value that cannot be is one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lantern.cli import run
from lantern.configuration import KINDS, ConfigurationRefused, read_configuration, short_names
from mesh import settings as mesh_settings
from mesh.errors import InputError
from mesh.settings import MeshSettings, Settings, from_environment

EVERY = [(kind, name) for kind in KINDS for name in kind.model_fields]
WILD = (
    "inf",
    "-inf",
    "nan",
    "1e400",
    "-1",
    "x",
    "",
    " ",
    "0",
    "1e-300",
    "9" * 500,
    "[",
    "[[]]",
    "{}",
    "\x1b[31m",
)


@pytest.fixture(autouse=True)
def only_these(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mesh_settings, "FILE_LINES", {})
    monkeypatch.setattr("lantern.configuration.FILE_LINES", mesh_settings.FILE_LINES)
    monkeypatch.setattr("lantern.commands.settings.FILE_LINES", mesh_settings.FILE_LINES)
    for variable in [name for name in os.environ if name.startswith(("LANTERN_", "ANTHROPIC_", "NATS_"))]:
        monkeypatch.delenv(variable)


def written(folder: Path, text: str) -> Path:
    path = folder / "config.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(("kind", "name"), EVERY, ids=lambda each: getattr(each, "__name__", each))
def test_a_wild_value_is_taken_or_refused_in_one_line(
    kind: type[Settings], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for value in WILD:
        monkeypatch.setenv(kind.variable(name), value)
        try:
            from_environment(kind)
        except InputError as error:
            assert str(error).startswith(f"The environment variable {kind.variable(name)} cannot be used: ")
            assert "\n" not in str(error) and "\x1b" not in str(error)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("LANTERN_RETRY_DELAYS", "x"),
        ("LANTERN_RETRY_DELAYS", "[-1]"),
        ("LANTERN_ACTOR_DEADLINE", "inf"),
        ("LANTERN_GAME_SPARES", "-1"),
        ("LANTERN_OUTAGE", "nan"),
        ("LANTERN_ACK_WAIT", "1e300"),
    ],
)
def test_a_command_ends_with_one_line_before_anything_is_started(
    variable: str, value: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(variable, value)

    assert run(["settings"]) == 2
    assert capsys.readouterr().err.startswith(
        f"lantern: The environment variable {variable} cannot be used: "
    )


@pytest.mark.parametrize(("kind", "name"), EVERY, ids=lambda each: getattr(each, "__name__", each))
def test_every_setting_says_what_it_means(kind: type[Settings], name: str) -> None:
    assert kind.model_fields[name].description


def test_the_environment_wins_over_the_file_and_both_over_the_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path, "outage = 7\nheartbeat = 2\nretry_delays = [1, 2.5]\n[actor]\ndeadline = 5\n")
    monkeypatch.setenv("LANTERN_OUTAGE", "9")
    environment = dict(os.environ)
    read_configuration(file, environment)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    assert run(["settings", "--json"]) == 0
    now = {each["name"]: each for each in json.loads(capsys.readouterr().out)}
    told = {name: (each["value"], each["source"]) for name, each in now.items()}
    assert told["LANTERN_OUTAGE"] == (9, "environment")
    assert told["LANTERN_HEARTBEAT"] == (2, f"{file}, line 2")
    assert told["LANTERN_RETRY_DELAYS"] == ([1, 2.5], f"{file}, line 3")
    assert told["LANTERN_ACTOR_DEADLINE"] == (5, f"{file}, line 5")
    assert told["LANTERN_DRAIN"] == (10, "default")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "cell = 'a'\n[actor]\n\ndeadlin = 5\n",
            ", line 4: there is no setting 'actor_deadlin'. Did you mean actor_deadline",
        ),
        ("actor.deadlin = 5\n", ", line 1: there is no setting 'actor_deadlin'."),
        ("cell = \n", ": this is not TOML: Invalid value (at line 1, column 8)."),
        ("cell = 2026-01-01\n", ", line 1: the setting 'cell' cannot be a date."),
        ("retry_delays = [2026-01-01]\n", ", line 1: the setting 'retry_delays' cannot be a list."),
        ("config = 'a'\n", ", line 1: there is no setting 'config'."),
        ("x = " + "[" * 5000, ": this is not TOML: "),
    ],
)
def test_a_fault_in_the_file_is_told_with_its_line(tmp_path: Path, text: str, told: str) -> None:
    file = written(tmp_path, text)

    with pytest.raises(ConfigurationRefused) as error:
        read_configuration(file, {})

    assert str(error.value).startswith(f"{file}{told}") and "\n" not in str(error.value)


def test_a_value_of_the_file_that_cannot_be_is_told_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, environment = written(tmp_path, "\noutage = inf\n"), dict[str, str]()
    read_configuration(file, environment)
    monkeypatch.setenv("LANTERN_OUTAGE", environment["LANTERN_OUTAGE"])

    with pytest.raises(
        InputError, match="line 2: the setting LANTERN_OUTAGE cannot be used: Input should be"
    ):
        from_environment(MeshSettings)


def test_every_setting_has_a_name_in_the_file() -> None:
    assert sorted(short_names().values()) == sorted(
        kind.variable(name) for kind, name in EVERY if name != "config"
    )


def test_passwords_are_not_shown_and_what_is_no_setting_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("LANTERN_NATS_PASSWORD", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "secret7")
    monkeypatch.setenv("NATS_URL", "nats://me:secret7@host")
    monkeypatch.setenv("LANTERN_OUTAGEE", "secret7")

    assert run(["settings"]) == 0
    shown = capsys.readouterr()
    assert "secret7" not in shown.out + shown.err
    assert "lantern: LANTERN_OUTAGEE is set, but is not a setting. Did you mean LANTERN_OUTAGE" in shown.err


def test_the_file_that_lantern_config_names_is_read_by_the_command(tmp_path: Path) -> None:
    file = written(tmp_path, "outage = 7\nhome = 3\n")
    done = subprocess.run(
        [sys.executable, "-m", "lantern.cli", "settings"],
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LANTERN_CONFIG": str(file)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert f"LANTERN_OUTAGE = 7.0  [{file}, line 1; default: 30.0]" in done.stdout
