"""Chance in proportion to weights."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random


def spin(random: Random, weights: Mapping[str, float]) -> str | None:
    """One of the commands, each with a chance in proportion to its weight; None: there is none to choose."""
    possible = [(command, weight) for command, weight in weights.items() if weight > 0]
    if not possible:
        return None
    return random.choices([command for command, _ in possible], [weight for _, weight in possible])[0]
