"""The settings under which every play takes place: the plan's, and deadlines that a busy machine keeps."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from pydantic import ValidationError

from language_model.settings import ModelSettings
from language_model.sub_agents.model_backed import ModelBackedSettings
from mesh.settings import Settings
from mesh.suggestions import did_you_mean
from services.actor.settings import ActorSettings
from services.game.settings import GameSettings
from services.memory.settings import MemorySettings

OF_AGENTS: tuple[type[Settings], ...] = (ActorSettings, GameSettings, MemorySettings, ModelBackedSettings)
"""The settings that change how an agent plays. The environment's do not count: results would depend on it."""

GENEROUS = {
    "LANTERN_ACTOR_DEADLINE": "30",
    "LANTERN_ACTOR_MODEL_DEADLINE": "120",
    "LANTERN_GAME_VERDICT_DEADLINE": "30",
    "LANTERN_GAME_SEARCH_SECONDS": "60",
    "LANTERN_GAME_WATCHDOG": "30",
}
"""Limits that no healthy service reaches, also where more plays than cores are under way."""


def setting_fault(name: str, value: str) -> str:
    """What is wrong with a setting of an agent; empty: nothing."""
    kinds = {kind.variable(field): (kind, field) for kind in _allowed() for field in _fields(kind)}
    if name not in kinds:
        near = did_you_mean(name, kinds)
        return f"{name!r} is no setting of an agent.{near} `lantern settings` lists all."
    kind, _field = kinds[name]
    try:
        with environment_of({name: value}):
            kind()
    except ValidationError as error:
        return f"{name} cannot be {value!r}: {error.errors()[0]['msg']}. Correct it."
    except ValueError:
        return f"{name} cannot be {value!r}. Correct it."
    return ""


@contextmanager
def environment_of(settings: Mapping[str, str]) -> Iterator[None]:
    """Within the block, the environment has these settings of an agent and no others."""
    names = {kind.variable(field) for kind in OF_AGENTS for field in kind.model_fields}
    wanted = {**GENEROUS, **settings}
    before = {name: os.environ.pop(name) for name in names | wanted.keys() if name in os.environ}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name in wanted:
            os.environ.pop(name, None)
        os.environ.update(before)


def _allowed() -> tuple[type[Settings], ...]:
    return (*OF_AGENTS, ModelSettings)


def _fields(kind: type[Settings]) -> list[str]:
    """The fields that may stand in a plan: no keys, and no addresses with a login."""
    return [name for name in kind.model_fields if kind.variable(name).startswith("LANTERN_")]
