"""The figures of `benchmarks.memory_graph` as a table of Markdown."""

from __future__ import annotations

import statistics
from collections.abc import Iterator


def table(runs: dict[str, list[dict[str, float]]]) -> Iterator[str]:
    """The medians over the runs, one column for each library."""
    first = next(iter(runs.values()))[0]
    names = list(dict.fromkeys(name.split("|")[0] for name in first))
    yield "Each cell: p50, p99 in ms of wall time / of processor time (late : early; of answers too)\n"
    yield f"| figure | {' | '.join(runs)} |"
    yield "| --- |" + " --- |" * len(runs)
    for name in names:
        cell = _plain if name in first else _timed
        yield f"| {name} | {' | '.join(cell(figures, name) for figures in runs.values())} |"


def _timed(figures: list[dict[str, float]], name: str) -> str:
    def cell(what: str) -> str:
        return f"{_median(figures, f'{name}|{what}'):.2f}"

    wall, processor = (f"{cell(f'{clock} 0.5')}, {cell(f'{clock} 0.99')}" for clock in ("wall", "processor"))
    longer = f"; answer {cell('length late/early')}" if f"{name}|length late/early" in figures[0] else ""
    return f"{wall} / {processor} ({cell('processor late/early')}{longer})"


def _plain(figures: list[dict[str, float]], name: str) -> str:
    return f"{_median(figures, name):.1f}"


def _median(figures: list[dict[str, float]], name: str) -> float:
    return statistics.median(figure[name] for figure in figures)
