"""Parameters of tests of which each run has some, and `make test-all` all."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def all_but(quick: Collection[Any], values: Iterable[Any]) -> list[Any]:
    """The values as parameters of a test: all but the quick ones are exhaustive."""
    return [pytest.param(value, marks=() if value in quick else pytest.mark.exhaustive) for value in values]
