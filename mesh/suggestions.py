"""Finds the name that a user probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

LONGEST = 200
"""Characters of a name that are compared: the comparison takes quadratic time."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """` Did you mean ...?` with the known names that are nearest; empty if none is near."""
    near = get_close_matches(name[:LONGEST], sorted({*known}), n=3)
    return f" Did you mean {' or '.join(near)}?" if near else ""
