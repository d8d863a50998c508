"""The options of a method of searching that the command line gives."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from mesh.errors import InputError
from mesh.printable import one_line
from mesh.suggestions import did_you_mean
from search.frontier.parts import SearchPart
from search.mcts.methods import ASKS_MODEL, TREES

FRONTIER = "frontier"
TREE_PARTS: Mapping[str, str] = {
    "prior": "model_prior",
    "in-trial-memory": "in_trial_memory",
    "cross-trial-memory": "cross_trial_memory",
    "dynamic-depth": "dynamic_depth",
}
"""What a tree search may do without, for comparisons: its name, and the option."""


def method_options(
    method: str, without: Iterable[str], simulations: int | None, exploration: float | None
) -> dict[str, Any]:
    """The method's options, of those that the command line gives.

    Raises:
        InputError: the method has no use for one, or its value cannot be.
    """
    given = {"simulations": simulations, "exploration": exploration}
    numbers = {name: value for name, value in given.items() if value is not None}
    for name, value in numbers.items():
        if not value > 0:
            raise InputError(f"--{name} cannot be {value:g}: give a number above 0.")
    parts, builds_tree = list(without), method in TREES | ASKS_MODEL
    unfit = [*(["--without"] if parts and method != FRONTIER else []), *(f"--{name}" for name in numbers)]
    if unfit and not builds_tree:
        raise InputError(
            f"The method {method} builds no tree and asks no model. Leave out {', '.join(unfit)}."
        )
    if builds_tree:
        return {**{TREE_PARTS[_checked(name, TREE_PARTS)]: False for name in parts}, **numbers}
    return {"without": [_checked(name, [*SearchPart]) for name in parts]} if parts else {}


def _checked(name: str, known: Collection[str]) -> str:
    if name not in known:
        near = did_you_mean(name, known) or f" Name any of {', '.join(known)}."
        raise InputError(f"There is no part {one_line(name)!r} to search without.{near}")
    return name
