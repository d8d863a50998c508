"""The state of a graph's file, and what can go wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any


class GraphLibrary(StrEnum):
    """The library of the graph files: Kuzu, or Ladybug, its successor."""

    KUZU = "kuzu"
    LADYBUG = "ladybug"


class FileStatus(StrEnum):
    """The state of a graph's file when it was opened."""

    CREATED = "created"
    RESUMED = "resumed"
    REBUILT = "rebuilt"


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """The file of a graph, its state, and why it was rebuilt or is not the first of its session."""

    path: Path
    status: FileStatus
    reason: str = ""


class GraphError(Exception):
    """The graph cannot be written or read."""

    def __init__(self, path: str, reason: str) -> None:
        self.path, self.reason = path, reason
        super().__init__(
            f"The memory's graph at {path} failed: {reason}. A graph of sessions is only a view: it is built"
            " again from their records when somebody asks. You may delete it."
        )


@dataclass(frozen=True, slots=True)
class QueryResult:
    """Rows of plain values (numbers, texts, lists, mappings) under named columns."""

    columns: tuple[str, ...]
    rows: list[list[Any]]
    cut: bool
    """Whether there are more rows."""
