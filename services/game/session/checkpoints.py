"""The positions of a session whose regime allows `restore`, and how the emulator gets to each."""

from __future__ import annotations

from dataclasses import dataclass, field

from folds.vocabulary.actions import is_restore, restored_step
from schemas.game import RESTART, StepTaken
from services.game.actions import (
    GIVEN_UP,
    NO_SUCH_STEP,
    NOT_SAVED,
    OVER_THERE,
    RETURNED,
    SAVED,
    LanternCommand,
    lantern_command_in,
)
from services.game.emulator.protocol import Move, Play, Stay

SNAPSHOTS = 256
"""Snapshots kept at most; beyond that, every second one is dropped."""


def recorded_move(step: StepTaken) -> Move:
    """The move that repeats a recorded step. An action that was given up is not executed: it would hang."""
    return Stay(GIVEN_UP) if step.observation == GIVEN_UP else Play(step.action or "")


@dataclass(frozen=True, slots=True)
class PlannedMove:
    """What the emulator does for an action: it goes back to a step, if one is named, and makes the move."""

    move: Move
    back_to: int | None = None


@dataclass(frozen=True, slots=True)
class CheckpointMove:
    """How the position after a step came about."""

    move: Move
    origin: int
    """The step at whose position the move was made."""
    done: bool


@dataclass(slots=True)
class Checkpoints:
    """Every step's position, as a chain of moves from the opening or from a snapshot.

    `save` keeps a position for the whole session; `restore` returns to it, `restore N` to that of step N.
    """

    _steps: list[CheckpointMove] = field(default_factory=list)
    _snapshots: dict[int, str] = field(default_factory=dict)
    _saved: int | None = None

    def planned(self, action: str) -> PlannedMove:
        """What an action asks of the emulator. A game that is over can only be restored or restarted."""
        if is_restore(action):
            return self._restore(restored_step(action))
        if self._steps[-1].done:
            return PlannedMove(Play(RESTART))
        if lantern_command_in(action) is LanternCommand.SAVE:
            return PlannedMove(Stay(SAVED))
        return PlannedMove(Play(action))

    def repeated(self, step: StepTaken) -> PlannedMove:
        """What repeats the next recorded step."""
        move = recorded_move(step)
        return self.planned(move.action) if isinstance(move, Play) else PlannedMove(move)

    def note(self, step: StepTaken, snapshot: str | None) -> None:
        """A step has been executed; `snapshot`: of the position after it, if there is one."""
        planned = self.repeated(step) if step.step else PlannedMove(Play(RESTART))
        origin = step.step - 1 if planned.back_to is None else planned.back_to
        self._steps.append(CheckpointMove(planned.move, origin, step.done))
        if planned.move == Stay(SAVED):
            self._saved = step.step
        if snapshot is not None:
            self._keep(step.step, snapshot)

    def way_to(self, step: int) -> tuple[str | None, list[Move]]:
        """The snapshot (None: the opening) and the moves from it that lead to the position after a step."""
        moves: list[Move] = []
        while step > 0 and step not in self._snapshots:
            moves.append(self._steps[step].move)
            step = self._steps[step].origin
        return self._snapshots.get(step), moves[::-1]

    def _restore(self, named: int | None) -> PlannedMove:
        step = self._saved if named is None else named
        if step is None:
            return PlannedMove(Stay(NOT_SAVED))
        if step >= len(self._steps):
            return PlannedMove(Stay(NO_SUCH_STEP.format(step, len(self._steps) - 1)))
        if self._steps[step].done:
            return PlannedMove(Stay(OVER_THERE.format(step)))
        return PlannedMove(Stay(RETURNED.format(step)), back_to=step)

    def _keep(self, step: int, snapshot: str) -> None:
        self._snapshots[step] = snapshot
        if len(self._snapshots) > SNAPSHOTS:
            self._snapshots = dict(list(self._snapshots.items())[::2])
