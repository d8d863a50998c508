"""Sub-goals and open puzzles that follow from what is known: they stand as long as their reason does.

Each list is in the order in which its rooms were found, so a plan changes only where the world does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from folds.text.conditions import Condition
from folds.vocabulary.actions import directions_in
from folds.vocabulary.verbs import ActionKind, action_kind_of
from folds.vocabulary.words import words_of
from schemas.actor import OpenPuzzle, SubGoal
from services.actor.knowledge.kinds import KEYS
from services.actor.knowledge.situation import Situation
from services.actor.knowledge.texts import LOCKED

SUB_GOALS, PUZZLES = 6, 8
_OF_A_KIND = 2
"""Sub-goals of one kind: what is locked is not all there is to do."""
_NAME, _TEXT = 40, 80
_GOT_OFF = re.compile(r"(?:you|i) (?:get|climb|step) (?:off|out|down|up)\b", re.I)


def sub_goals(situation: Situation) -> tuple[SubGoal, ...]:
    """What is worth doing next, as far as rules can tell: what the user wants, then what is in the way."""
    wanted = situation.started.goal
    of_each_kind = (
        iter([SubGoal(goal=wanted, reason="the user wants it", by_rule=True)] if wanted else []),
        _earned_before(situation),
        _unlocking(situation),
        _unbarring(situation),
        _lighting(situation),
        _exploring(situation),
    )
    return tuple(goal for kind in of_each_kind for goal in islice(kind, _OF_A_KIND))[:SUB_GOALS]


def open_puzzles(situation: Situation) -> tuple[OpenPuzzle, ...]:
    """What stands in the way: locks, barred ways, darkness."""
    told = (
        *(f"the {noun} in {_name(room, situation)} is locked" for room, noun in _locked(situation)),
        *(
            f"{way} of {_name(room, situation)} is barred: {_short(text)}"
            for room, way, text in _barred(situation)
        ),
        *(f"{_name(room, situation)} is dark" for room in _dark(situation)),
    )
    return tuple(OpenPuzzle(puzzle=puzzle, by_rule=True) for puzzle in dict.fromkeys(told))[:PUZZLES]


def is_planned(puzzle: OpenPuzzle, plan: Iterable[SubGoal]) -> bool:
    """Whether a sub-goal is about the puzzle, which begins with what it is about."""
    about = puzzle.puzzle.partition(" is ")[0]
    return any(about in step.goal for step in plan)


def going(way: str, room: str) -> str:
    """The sub-goal to try a way."""
    return f"see where {way} leads from {room}"


def _earned_before(situation: Situation) -> Iterator[SubGoal]:
    for room in situation.map.names:
        for action, points in situation.experience.unclaimed(room).items():
            reason = f"it earned {points} points in an earlier episode"
            yield SubGoal(goal=f"{action} in {_name(room, situation)}", reason=reason, by_rule=True)


def _unlocking(situation: Situation) -> Iterator[SubGoal]:
    key = _key(situation)
    for room, noun in _locked(situation):
        what = f"the {noun} in {_name(room, situation)}"
        if key:
            yield SubGoal(goal=f"try the {key} on {what}", reason="it is locked", by_rule=True)
        else:
            reason = "it is locked, and no key is held"
            yield SubGoal(goal=f"find what unlocks {what}", reason=reason, by_rule=True)


def _unbarring(situation: Situation) -> Iterator[SubGoal]:
    key = _key(situation)
    for room, way, text in _barred(situation):
        opening = f"try the {key} on" if key and LOCKED.search(text) else "get past"
        goal = f"{opening} what bars {way} of {_name(room, situation)}"
        yield SubGoal(goal=goal, reason=_short(text), by_rule=True)


def _lighting(situation: Situation) -> Iterator[SubGoal]:
    for room in _dark(situation):
        yield SubGoal(
            goal=f"bring a light to {_name(room, situation)}", reason="it is dark there", by_rule=True
        )


def _exploring(situation: Situation) -> Iterator[SubGoal]:
    for room in situation.map.names:
        for way in situation.map.likely(room):
            goal = going(way, _name(room, situation))
            yield SubGoal(goal=goal, reason="nobody has gone there yet", by_rule=True)


def _locked(situation: Situation) -> Iterator[tuple[str, str]]:
    """Rooms and nouns of what is locked there and has not been opened since."""
    known = situation.experience
    for room in situation.map.names:
        for noun, condition in known.playthrough.conditions.of(room).items():
            if condition is Condition.LOCKED and not _is_opened(noun, room, situation):
                yield room, noun


def _is_opened(noun: str, room: str, situation: Situation) -> bool:
    """Whether an action on it had an effect, or a barred way is locked there: then the way is the puzzle."""
    opened = (
        attempt.changed and noun in words_of(attempt.action)
        for attempt in situation.attempts.by_room.get(room, ())
        if action_kind_of(attempt.action) in (ActionKind.OPEN, ActionKind.USE)
    )
    return any(opened) or any(map(LOCKED.search, situation.map.barred(room).values()))


def _barred(situation: Situation) -> Iterator[tuple[str, str, str]]:
    """Ways that were refused for a reason.

    A text that names other ways only says where to go instead; one that begins with the room's name, or says
    that the player has got off something, is no refusal.
    """
    for room, name in situation.map.names.items():
        for way, text in situation.map.barred(room).items():
            is_no_refusal = text.startswith(name) or _GOT_OFF.match(text)
            if not is_no_refusal and set(directions_in(text)) <= {way}:
                yield room, way, text


def _dark(situation: Situation) -> Iterator[str]:
    return (room for room in situation.map.names if room in situation.experience.rooms.dark)


def _key(situation: Situation) -> str:
    """A thing held that probably unlocks something, the last one; empty: none is held."""
    held = (name for name in situation.experience.belongings.names if not KEYS.isdisjoint(words_of(name)))
    return next(iter([*held][::-1]), "")


def _name(room: str, situation: Situation) -> str:
    return " ".join(situation.map.names.get(room, room).split())[:_NAME]


def _short(text: str) -> str:
    return text if len(text) <= _TEXT else f"{text[: _TEXT - 1].rstrip()}…"
