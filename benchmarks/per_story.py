"""One measurement of each story: even stories told one by one, of odd ones sums alone."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Protocol, TypeVar

from benchmarks.ablation import even_and_odd
from benchmarks.behaviours import stories_given
from benchmarks.mesh import machine
from lantern.evaluation.plan import PlannedGame


class MeasuredStory(Protocol):
    """What was measured of a story."""

    @property
    def game(self) -> PlannedGame:
        """The story."""


M = TypeVar("M", bound=MeasuredStory)


def rows(
    measured: Sequence[M], row: Callable[[str, Sequence[M]], str], told: Callable[[M], str], unit: str = ""
) -> Iterator[str]:
    """A row for each even story, with a line more where something is `told` of it, and one for each split."""
    even, odd = even_and_odd(measured, lambda each: each.game.md5)
    for each in even:
        yield row(each.game.name, [each])
        if line := told(each):
            yield line
    for name, part in (("even", even), ("odd", odd), ("all", measured)):
        if part:
            yield row(f"**{name}** ({len(part)}){unit}", part)


def parser_of(description: str, *, steps: int, tells: str) -> argparse.ArgumentParser:
    """The command line; `tells`: what `--tell` adds of even stories."""
    known = argparse.ArgumentParser(description=description.splitlines()[0])
    known.add_argument("stories", nargs="*", metavar="STORY")
    known.add_argument("--steps", type=int, default=steps)
    known.add_argument("--seed", type=int, default=1)
    known.add_argument("--tell", action="store_true", help=tells)
    known.add_argument("--jobs", type=int, default=None)
    return known


def print_table(
    given: argparse.Namespace,
    measure: Callable[..., M],
    head: Iterable[str],
    rows_of: Callable[..., Iterator[str]],
) -> None:
    """Measure each story in a process of its own, for the emulator keeps everything in globals; print it."""
    games = stories_given(given.stories)
    print(f"{given.steps} steps, seed {given.seed}, text only; {machine()}\n")
    with ProcessPoolExecutor(given.jobs, max_tasks_per_child=1) as pool:
        found = list(pool.map(partial(measure, given=given), games))
    print("\n".join((*head, *rows_of(found, tells=given.tell))))
