"""The options of the searches that build a tree or ask a language model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mesh.errors import InputError
from mesh.printable import one_line
from mesh.suggestions import did_you_mean
from search.mcts.methods import ASKS_MODEL, TREES

PARTS: Mapping[str, str] = {
    "prior": "model_prior",
    "in-trial-memory": "in_trial_memory",
    "cross-trial-memory": "cross_trial_memory",
    "dynamic-depth": "dynamic_depth",
}
"""What may be left out, for comparisons."""


def tree_options(
    method: str, without: Iterable[str], simulations: int | None, exploration: float | None
) -> dict[str, Any]:
    """The method's options, of those that the command line gives.

    Raises:
        InputError: the method has no use for one, or its value cannot be.
    """
    parts = {_field_of(name): False for name in without}
    given = {"simulations": simulations, "exploration": exploration}
    numbers = {name: value for name, value in given.items() if value is not None}
    for name, value in numbers.items():
        if not value > 0:
            raise InputError(f"--{name} cannot be {value:g}: give a number above 0.")
    if (parts or numbers) and method not in TREES | ASKS_MODEL:
        named = ", ".join([*(["--without"] if parts else []), *(f"--{name}" for name in numbers)])
        raise InputError(f"The method {method} builds no tree and asks no model. Leave out {named}.")
    return {**parts, **numbers}


def _field_of(name: str) -> str:
    if name not in PARTS:
        near = did_you_mean(name, PARTS) or f" Name any of {', '.join(PARTS)}."
        raise InputError(f"There is no part {one_line(name)!r} to search without.{near}")
    return PARTS[name]
