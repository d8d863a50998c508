"""Makes a list of actions shorter, without losing points."""

from __future__ import annotations

from search.environment import SavedPosition
from search.task import Task

LONGEST = 32
"""Actions that are left out at once, at most."""


def shorten(task: Task, least: int = 1) -> None:
    """Leave actions out of the best list, many at once and then fewer, as long as the score stays.

    `least`: so many at once at least. The emulator is anywhere afterwards.
    """
    size = LONGEST
    while size >= least:
        kept = _without_runs(task, size)
        if not kept or size > least:
            size //= 2


def _without_runs(task: Task, size: int) -> bool:
    """Leave out every run of some length that the score does not need; whether there was one."""
    removed, start = False, 0
    positions = _positions(task)
    while start + size <= len(task.best):
        shorter = task.best[:start] + task.best[start + size :]
        if _score_from(task, positions[start], shorter[start:]) >= task.best_score:
            task.offer(shorter)
            removed, positions = True, _positions(task)
        else:
            start += max(1, size // 2)
    return removed


def _positions(task: Task) -> list[SavedPosition]:
    """The position before each action of the best list."""
    environment = task.environment
    environment.restart()
    positions = [environment.save()]
    for action in task.best:
        environment.step(action)
        positions.append(environment.save())
    return positions


def _score_from(task: Task, position: SavedPosition, actions: tuple[str, ...]) -> int:
    task.environment.restore(position)
    score = position.score
    for action in actions:
        outcome = task.environment.step(action)
        score = outcome.score
        if outcome.done:
            break
    return score
