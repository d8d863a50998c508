"""The console on which tables are drawn."""

from __future__ import annotations

import sys

from rich.console import Console

WIDTH = 160
"""Columns of a table that is not shown on a terminal."""


def console() -> Console:
    """Standard output, for tables: as wide as the terminal."""
    return Console(width=None if sys.stdout.isatty() else WIDTH)
