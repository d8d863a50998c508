"""`lantern settings`: every setting, its value, and where it comes from."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass
from typing import Any

from pydantic import SecretStr

from lantern.command_options import AsJson
from lantern.configuration import KINDS
from mesh.nats.connection import without_login
from mesh.printable import one_line
from mesh.settings import FILE_LINES, Settings, from_environment
from mesh.suggestions import did_you_mean

PASSED_ON = ("LANTERN_PASSWORD_",)
"""Beginnings of variables that are no settings of commands: the passwords of a NATS server's users."""


@dataclass(frozen=True, slots=True)
class SettingNow:
    """A setting as it is now; None: not set."""

    name: str
    value: Any
    default: Any
    source: str
    meaning: str


def settings_command(as_json: AsJson = False) -> int:
    """List every setting: its value, where that comes from, and what it means."""
    settings = [each for kind in KINDS for each in _settings_of(kind)]
    if as_json:
        print(json.dumps([asdict(each) for each in settings]))
    else:
        for each in settings:
            print(_lines(each))
    known = {each.name for each in settings}
    for variable in sorted(os.environ):
        if variable.startswith("LANTERN_") and variable not in known and not variable.startswith(PASSED_ON):
            near = did_you_mean(variable, known)
            print(f"lantern: {one_line(variable)} is set, but is not a setting.{near}", file=sys.stderr)
    return 0


def _settings_of(kind: type[Settings]) -> list[SettingNow]:
    now = from_environment(kind)
    return [
        SettingNow(
            kind.variable(name),
            _shown(getattr(now, name)),
            _shown(field.get_default(call_default_factory=True, validated_data={})),
            _source(kind.variable(name)),
            " ".join((field.description or "").split()),
        )
        for name, field in kind.model_fields.items()
    ]


def _source(variable: str) -> str:
    """`environment`, `default`, or the file and the line."""
    if variable in FILE_LINES:
        return FILE_LINES[variable]
    return "environment" if os.environ.get(variable) else "default"


def _shown(value: Any) -> Any:
    """A value as JSON has it, without what is secret."""
    if isinstance(value, SecretStr):
        return "(not shown)"
    if isinstance(value, str):
        return without_login(value) if "://" in value else str(value)
    return value if value is None or isinstance(value, int | float | tuple) else str(value)


def _lines(setting: SettingNow) -> str:
    default = "" if setting.value == setting.default else f"; default: {_text(setting.default)}"
    source = one_line(setting.source) + default
    return f"{setting.name} = {_text(setting.value)}  [{source}]\n    {setting.meaning}"


def _text(value: Any) -> str:
    if value is None:
        return "(not set)"
    return one_line(value if isinstance(value, str) else json.dumps(value))
