"""The settings by name, and the configuration file, whose settings hold where the environment has none.

The file is TOML. A setting is named there like its variable, in small letters and without `lantern_`; the
name of a table stands before the names in it: `deadline` in the table `actor` is `LANTERN_ACTOR_DEADLINE`.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, MutableMapping
from pathlib import Path
from typing import Any

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from language_model.local.settings import LocalSettings
from language_model.settings import ModelSettings
from language_model.sub_agents.model_backed import ModelBackedSettings
from mesh.errors import InputError
from mesh.file_reading import SECRET_SIZE, read_limited_text
from mesh.settings import FILE_LINES, MeshSettings, Settings
from mesh.suggestions import did_you_mean
from services.actor.settings import ActorSettings
from services.game.settings import GameSettings
from services.memory.settings import MemorySettings
from services.planner.settings import PlannerSettings

PREFIX = "lantern_"


class CommandSettings(Settings):
    """Settings of commands alone."""

    model_config = SettingsConfigDict(env_prefix="LANTERN_")

    config: Path | None = Field(
        None, description="The configuration file; else config.toml in ~/.config/lantern."
    )
    cell: str = Field("main", description="The namespace of sessions and services.")
    stories: Path | None = Field(None, description="A directory in which stories are looked for by name.")


KINDS: tuple[type[Settings], ...] = (
    CommandSettings,
    MeshSettings,
    ActorSettings,
    GameSettings,
    MemorySettings,
    PlannerSettings,
    ModelSettings,
    ModelBackedSettings,
    LocalSettings,
)


class ConfigurationRefused(InputError):
    """The configuration file cannot be used."""


def short_names() -> dict[str, str]:
    """The variables by their names in the configuration file."""
    variables = (kind.variable(field) for kind in KINDS for field in kind.model_fields)
    return {name.lower().removeprefix(PREFIX): name for name in variables if name != "LANTERN_CONFIG"}


def read_configuration(path: Path, environment: MutableMapping[str, str]) -> None:
    """Add the file's settings to the environment, where they are not set.

    Raises:
        ConfigurationRefused: the file cannot be read, or has something in it that is no setting.
    """
    text = _text(path)
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigurationRefused(f"{path}: this is not TOML: {error}. Correct it.") from error
    known, lines = short_names(), _lines(text)
    for name, value in _flat(document):
        place = f"{path}, line {lines[name]}" if name in lines else str(path)
        if name not in known:
            raise ConfigurationRefused(
                f"{place}: there is no setting {name!r}.{did_you_mean(name, known)} "
                "`lantern settings` lists them."
            )
        if not environment.get(known[name]):
            environment[known[name]] = _as_text(name, value, place)
            FILE_LINES[known[name]] = place


def _text(path: Path) -> str:
    try:
        return read_limited_text(path, SECRET_SIZE)
    except OSError as error:
        raise ConfigurationRefused(
            f"Cannot read the configuration file {path} ({error.strerror}). Correct it, or LANTERN_CONFIG."
        ) from error


def _flat(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """The settings with the names of their tables before their own."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{key}_")
        else:
            yield f"{before}{key}", value


def _as_text(name: str, value: Any, place: str) -> str:
    """The value as it stands in an environment variable."""
    if isinstance(value, str) and "\0" not in value:
        return value
    if isinstance(value, bool | int | float | list):
        try:
            return json.dumps(value)
        except TypeError:
            pass
    raise ConfigurationRefused(
        f"{place}: the setting {name!r} cannot be a {type(value).__name__}. "
        "Give a text, a number, true or false."
    )


def _lines(text: str) -> dict[str, int]:
    """The lines on which settings stand (tomllib does not tell)."""
    found: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if heading := re.match(r"\s*\[+([^\]]+)\]", line):
            table = _name(heading[1]) + "_"
        elif setting := re.match(r"\s*([\w.\"' -]+?)\s*=", line):
            found.setdefault(table + _name(setting[1]), number)
    return found


def _name(key: str) -> str:
    return "_".join(part.strip(" \"'") for part in key.split("."))
