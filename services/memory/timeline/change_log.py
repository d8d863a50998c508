"""The changes of all steps of a session, in order."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import overload

from services.memory.beliefs.facts import Changes, EpisodicStep


class ChangeLog(Sequence[Changes]):
    """The only place that keeps the changes: the index refers to it, and the history writer reads it."""

    def __init__(self) -> None:
        self._changes: list[Changes] = []

    @overload
    def __getitem__(self, index: int) -> Changes: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Changes]: ...

    def __getitem__(self, index: int | slice) -> Changes | Sequence[Changes]:
        return self._changes[index]

    def __len__(self) -> int:
        return len(self._changes)

    @property
    def last_step(self) -> int:
        """The newest step; -1: there is none."""
        return self._changes[-1].step if self._changes else -1

    def add(self, changes: Changes) -> bool:
        """Append the changes of the next step; False: that step or a later one is there already."""
        if changes.step <= self.last_step:
            return False
        self._changes.append(changes)
        return True

    def episodic(self, step: int) -> EpisodicStep:
        """A step that is in the log."""
        return self._changes[bisect_left(self._changes, step, key=lambda changes: changes.step)].episodic

    def steps(self, at: int | None) -> Iterator[EpisodicStep]:
        """The steps up to and including one (None: all), oldest first."""
        return (changes.episodic for changes in self._changes if at is None or changes.step <= at)

    def up_to(self, step: int) -> Sequence[Changes]:
        """The changes of all steps up to and including one."""
        return self._changes[: bisect_left(self._changes, step + 1, key=lambda changes: changes.step)]
