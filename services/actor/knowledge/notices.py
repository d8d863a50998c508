"""Signs of being stuck, in words for whoever reads the situation."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from folds.vocabulary.actions import normal
from services.actor.knowledge.situation import Situation


class Level(StrEnum):
    """How pressing a notice is."""

    NOTE = "note"
    URGENT = "urgent"
    CRITICAL = "critical"


@dataclass(frozen=True, slots=True)
class Notice:
    """One sign of being stuck."""

    level: Level
    text: str


STUCK = ((30, Level.CRITICAL), (20, Level.URGENT), (10, Level.NOTE))
"""Steps without a score change and their level (text-adventure agent, loop and stuck detection)."""

OFTEN, SEEN = 4, 3
"""An action in the last ten steps, and a state of the world, this often make a loop (the same source)."""


def notices(situation: Situation) -> tuple[Notice, ...]:
    """The signs of being stuck that the situation shows now."""
    return (*_without_score(situation), *_repetition(situation), *_same_world(situation))


def _without_score(situation: Situation) -> tuple[Notice, ...]:
    idle = situation.without_score
    level = next((level for steps, level in STUCK if idle >= steps), None)
    if level is None:
        return ()
    ahead = situation.map.nearest_unexplored(situation.room)
    way = " then ".join((*ahead.actions, ahead.then or "")) if ahead else ""
    advice = f" Unexplored: {way}." if way else " Use what is held on what is here."
    sign = "No score change" if situation.step.score is not None else "No points told of"
    return (Notice(level, f"{sign} for {idle} steps.{advice}"),)


def _repetition(situation: Situation) -> tuple[Notice, ...]:
    often = Counter(normal(step.action) for step in situation.recent if step.action)
    return tuple(
        Notice(Level.URGENT, f"'{action}' was done {times} times in the last {len(situation.recent)} steps.")
        for action, times in often.most_common()
        if times >= OFTEN
    )


def _same_world(situation: Situation) -> tuple[Notice, ...]:
    seen = situation.step.world_seen
    return (
        (Notice(Level.URGENT, f"This state of the world was seen {seen} times before."),)
        if seen >= SEEN
        else ()
    )
