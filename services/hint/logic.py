"""Ranks what has not been tried here yet."""

from __future__ import annotations

from typing import Self

from folds.map import Map
from folds.rooms import room_of
from folds.tried import Tried
from folds.untried import untried_here
from schemas.fragment import Fragment, Section
from schemas.game import SessionStarted, StepTaken

MOST = 5
"""Hints given at most; three to five where so many are known (text-adventure agent, action hints)."""


class Hints:
    """The hints for where the player is, made anew when the room or the world changes."""

    def __init__(self) -> None:
        self.tried = Tried()
        self.map = Map()
        self.actions: tuple[str, ...] = ()
        self._made_for: tuple[str, str, bool] | None = None

    @classmethod
    def opening(cls, started: SessionStarted) -> Self:
        """No hints before the opening text."""
        return cls()

    def after(self, step: StepTaken) -> Self:
        """Fold one step; a step that was folded before changes nothing."""
        if self.tried.last is not None and step.step <= self.tried.last.step:
            return self
        self.map.after(step)
        now = self.tried.after(step).last or step
        state = (room_of(now), self.tried.world, now.done)
        if state != self._made_for:
            self.actions = _hints(now, self.tried, self.map)
            self._made_for = state
        return self


def fragment(state: Hints) -> Fragment | None:
    """The ranked hints as a section and as suggestions; None where nothing untried is known."""
    if not state.actions:
        return None
    lines = (f"{rank}. {action}" for rank, action in enumerate(state.actions, start=1))
    text = "\n".join(("Untried here, most promising first:", *lines))
    return Fragment(sections=(Section(name="hints", text=text),), suggestions=state.actions)


def _hints(step: StepTaken, tried: Tried, chart: Map) -> tuple[str, ...]:
    return () if step.done else untried_here(step, tried, chart)[:MOST]
