"""What the actor works at, in lines: the objective, the plan, the open puzzles, the clues."""

from __future__ import annotations

from collections.abc import Iterator

from mesh.printable import one_line
from schemas.actor import Mind, SubGoal


def plan_lines(mind: Mind | None) -> Iterator[str]:
    """Everything in one line each."""
    if mind is None:
        return
    if mind.objective:
        yield f"objective: {one_line(mind.objective)}"
    yield from (f"plan: {_with_reason(goal)}" for goal in mind.plan)
    yield from (f"puzzle: {one_line(each.puzzle)}" for each in mind.puzzles)
    yield from (f"clue: {one_line(clue)}" for clue in mind.clues)


def brief_plan_lines(mind: Mind | None) -> Iterator[str]:
    """The objective, and the next sub-goal with how much more there is."""
    if mind is None:
        return
    if mind.objective:
        yield f"objective: {one_line(mind.objective)}"
    if mind.plan:
        more = len(mind.plan) - 1
        yield f"plan: {_with_reason(mind.plan[0])}{f'; {more} more' if more else ''}"


def _with_reason(goal: SubGoal) -> str:
    return one_line(f"{goal.goal} ({goal.reason})" if goal.reason else goal.goal)
