"""Reads a plan from TOML; what is wrong with it is told with the line and the nearest valid word."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from lantern.evaluation.plan import MOST_SEEDS, Agent, Plan, Regime
from lantern.evaluation.planning.ablation import with_ablations
from lantern.evaluation.planning.plan_checks import PlanFault, check_plan
from lantern.evaluation.planning.presets import Preset, preset_named
from lantern.play.models.session_models import HEURISTIC
from lantern.play.own.own_services import looks_like_a_file
from mesh.errors import InputError
from mesh.file_reading import read_limited_text
from mesh.suggestions import did_you_mean

LARGEST = 1 << 20
"""The most bytes of a plan."""

PARTS: Mapping[str, type[BaseModel]] = {"agents": Agent, "regime": Regime}
"""The tables of a plan that have fixed keys."""

COMMANDS = ("compare", "report", "worker")
"""What a user may have meant by the path of a plan."""

Place = tuple[str | int, ...]


class PlanRefused(InputError):
    """A plan cannot be used."""


def read_plan(path: Path) -> Plan:
    """The plan in a file. Paths in it are relative to the file's directory.

    Raises:
        PlanRefused: the file cannot be read, or is no plan.
    """
    try:
        text = read_limited_text(path, LARGEST)
        document = tomllib.loads(text)
    except OSError as error:
        near = did_you_mean(str(path), COMMANDS)
        raise PlanRefused(
            f"Cannot read the plan {path} ({error.strerror}). Name a TOML file.{near}"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise PlanRefused(f"{path}: this is not TOML: {error}. Correct it.") from error
    try:
        plan = plan_from(document)
        check_plan(located(plan, path.parent))
        return with_ablations(located(plan, path.parent))
    except PlanFault as fault:
        raise PlanRefused(f"{path}{_line(text, fault.place)}: {fault}") from fault


def plan_from(document: Mapping[str, Any]) -> Plan:
    """The plan that a document describes, which may start from a preset.

    Raises:
        PlanFault: it is none.
    """
    filled = {**document}
    if isinstance(name := document.get("preset"), str):
        try:
            preset = preset_named(name)
        except InputError as error:
            raise PlanFault(("preset",), str(error)) from error
        changes = document.get("regime", {})
        usual = preset.regime.model_dump()
        if isinstance(changes, Mapping):
            changed = any(usual.get(key) != value for key, value in changes.items())
            renamed = {"name": f"{name} (changed)"} if changed else {}
            filled["regime"] = {**usual, **renamed, **changes}
        filled.setdefault("seeds", preset.seeds)
        filled["agents"] = _ablated(preset, document.get("agents"))
    try:
        return Plan.model_validate(filled)
    except ValidationError as error:
        faults = error.errors(include_url=False)
        first = next((each for each in faults if each["type"] == "extra_forbidden"), faults[0])
        raise PlanFault(first["loc"], _told(first["type"], first["loc"], first["msg"])) from error


def _ablated(preset: Preset, agents: Any) -> Any:
    """The agents of a document; the heuristic ones are ablated as the preset says."""
    if preset.ablate is None or not isinstance(agents, Sequence):
        return agents
    usual = {"ablate": preset.ablate}
    return [
        {**usual, **each} if isinstance(each, Mapping) and each.get("policy") == HEURISTIC else each
        for each in agents
    ]


def located(plan: Plan, directory: Path) -> Plan:
    """The plan with paths from where the command runs, where it has files of its directory."""

    def moved(name: str) -> str:
        return str((directory / name).absolute()) if (directory / name.partition(":")[0]).exists() else name

    agents = tuple(
        agent.model_copy(
            update={
                "clues": agent.clues and moved(agent.clues),
                "replace": {service: moved(name) for service, name in agent.replace.items()},
                "outside": moved(agent.outside)
                if agent.outside and looks_like_a_file(agent.outside)
                else agent.outside,
            }
        )
        for agent in plan.agents
    )
    return plan.model_copy(
        update={
            "games": tuple(map(moved, plan.games)),
            "checkpoints": plan.checkpoints and moved(plan.checkpoints),
            "agents": agents,
        }
    )


def _told(kind: str, place: Place, message: str) -> str:
    """What is wrong at a place, and what to do."""
    named = ".".join(str(part) for part in place if isinstance(part, str))
    if kind == "extra_forbidden":
        fields = PARTS[str(place[0])] if len(place) > 1 and place[0] in PARTS else Plan
        near, known = did_you_mean(str(place[-1]), fields.model_fields), ", ".join(fields.model_fields)
        return f"there is no key {place[-1]!r}.{near} Give any of {known}."
    if place == ("seeds",):
        return f"seeds are a number up to {MOST_SEEDS}, or a list of numbers above 0. Correct it."
    if kind == "missing":
        return f"{named} is missing. Add it."
    return f"{named}: {message}. Correct it."


def _line(text: str, place: Place) -> str:
    """`, line N` of a place, or of the nearest place around it that has one."""
    lines = dict(_lines(text))
    while place:
        if place in lines:
            return f", line {lines[place]}"
        place = place[:-1]
    return ""


def _lines(text: str) -> Iterator[tuple[Place, int]]:
    """The places of a document's tables and keys, and their lines (tomllib does not tell)."""
    table: Place = ()
    seen: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if heading := re.match(r"\s*(\[+)([^\]]+)\]", line):
            parts = _parts(heading[2])
            if len(heading[1]) == 2:
                seen[parts[0]] = seen.get(parts[0], -1) + 1
            table = (parts[0], seen[parts[0]], *parts[1:]) if parts[0] in seen else tuple(parts)
            yield table, number
        elif setting := re.match(r"\s*([\w.\"' -]+?)\s*=", line):
            yield (*table, *_parts(setting[1])), number


def _parts(key: str) -> list[str]:
    return [part.strip(" \"'") for part in key.split(".")]
