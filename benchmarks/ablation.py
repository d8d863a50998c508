"""Rows that tell what a part adds: with it minus without it, story by story and seed by seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from lantern.evaluation.report.statistics import PairedDifference, paired_difference

T = TypeVar("T")
Shares = Mapping[tuple[str, object], float]
"""Percent of the points, by the MD5 of a story's file and the seed."""


def is_even_md5(md5: str) -> bool:
    """Whether a story is one of those that were looked at while the rules were made."""
    return int(md5, 16) % 2 == 0


def even_and_odd(measured: Iterable[T], md5_of: Callable[[T], str]) -> tuple[list[T], list[T]]:
    """What was measured of the even stories, and of the odd ones."""
    parts: tuple[list[T], list[T]] = [], []
    for each in measured:
        parts[0 if is_even_md5(md5_of(each)) else 1].append(each)
    return parts


def head_of(part: str) -> tuple[str, str]:
    """The head of the table."""
    return f"| {part} | all: points, % | 95 % interval | even | odd |", "| --- | --- | --- | --- | --- |"


def added(part: str, full: Shares, without: Shares) -> str:
    """What a part adds to the points."""
    over_all = paired_difference(without, full)
    splits = (_difference(full, without, keep) for keep in (is_even_md5, lambda md5: not is_even_md5(md5)))
    means = (f"{split.difference:+.2f}" if split else "" for split in splits)
    low_high = over_all.interval if over_all else None
    interval = f"{low_high.low:+.2f} to {low_high.high:+.2f}" if low_high else "one story only"
    mean = f"{over_all.difference:+.2f}" if over_all else ""
    return f"| {part} | {mean} | {interval} | {' | '.join(means)} |"


def _difference(full: Shares, without: Shares, keep: Callable[[str], bool]) -> PairedDifference | None:
    kept = ({key: share for key, share in shares.items() if keep(key[0])} for shares in (without, full))
    return paired_difference(*kept)
