"""The plan, puzzles and clues that a model keeps, beside those that rules find."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from schemas.actor import Mind, OpenPuzzle, SubGoal
from services.actor.knowledge.situation import Situation
from services.actor.plan.by_rule import open_puzzles, sub_goals

PUZZLES, CLUES = 6, 12
"""The most of each that a model keeps; the oldest is forgotten first."""

_NUMBER = re.compile(r"([PC])(\d{1,2})", re.I)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class NewNotes:
    """What a reply adds to the notes, and what it strikes off."""

    plan: tuple[SubGoal, ...] = ()
    """Empty: the present one holds."""
    puzzle: str = ""
    clue: str = ""
    settled: tuple[str, ...] = ()
    """Numbers of puzzles and clues: `P1`, `C2`."""


NO_NOTES = NewNotes()


def mind_now(mind: Mind, situation: Situation) -> Mind:
    """The mind with what rules find now; a model's own plan stands in place of the one by rule."""
    own = tuple(goal for goal in mind.plan if not goal.by_rule)
    found = {"plan": own or sub_goals(situation), "puzzles": (*own_puzzles(mind), *open_puzzles(situation))}
    return mind.model_copy(update=found)


def mind_after(mind: Mind, notes: NewNotes) -> Mind:
    """The mind with what a model has noted."""
    settled = {(kind.upper(), int(number)) for kind, number in _NUMBER.findall(" ".join(notes.settled))}
    own, clues = own_puzzles(mind), mind.clues
    puzzles = _without(own, {number for kind, number in settled if kind == "P"})
    clues = _without(clues, {number for kind, number in settled if kind == "C"})
    if notes.puzzle and notes.puzzle not in [each.puzzle for each in puzzles]:
        puzzles = (*puzzles, OpenPuzzle(puzzle=notes.puzzle))
    if notes.clue and notes.clue not in clues:
        clues = (*clues, notes.clue)
    by_rule = tuple(each for each in mind.puzzles if each.by_rule)
    changes = {"plan": notes.plan or mind.plan, "puzzles": (*puzzles[-PUZZLES:], *by_rule)}
    return mind.model_copy(update={**changes, "clues": clues[-CLUES:]})


def own_puzzles(mind: Mind) -> tuple[OpenPuzzle, ...]:
    """The puzzles that a model keeps, as they are numbered."""
    return tuple(puzzle for puzzle in mind.puzzles if not puzzle.by_rule)


def _without(notes: Sequence[T], numbers: set[int]) -> tuple[T, ...]:
    return tuple(note for number, note in enumerate(notes, start=1) if number not in numbers)
