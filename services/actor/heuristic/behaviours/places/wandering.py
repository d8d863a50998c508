"""Where rooms look alike, one wanders until one is out."""

from __future__ import annotations

from collections.abc import Iterator
from zlib import crc32

from folds.map import leads_back
from folds.vocabulary.actions import DIAGONALS, DIRECTIONS, direction_of
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.situation import Situation

_WAYS = tuple(way for way in DIRECTIONS if way not in ("in", "out"))
_UTILITY, _FADING = 40.0, 0.975
"""The factor for each walk in such rooms, in whatever episode: what can be found there is found soon, or
hardly ever."""
_NEW, _FADING_HERE = 56.0, 0.88
"""Of a room that was entered as never before, and the factor for each walk after that entrance."""


def wander(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """Some way that has not just been refused, where a walk has led to a room that looks the same.

    The text alone does not tell the rooms of a maze apart.
    """
    known, room = context.known, context.room
    if not context.blind or not known.map.is_maze(room):
        return
    refused = set[str]()
    for step in reversed(situation.recent):
        if leads_back(step):
            break
        refused.add(direction_of(step.action or "") or "")
    refused.update(context.deadly, filter(known.refusals.is_unknown_verb_of, _WAYS))
    ways = [way for way in _WAYS if way not in refused]
    if ways:
        here = known.map.walks_from(room)
        chance = {way: crc32(f"{way} {context.step.step}".encode()) for way in ways}
        way = min(ways, key=lambda way: (here.get(way, 0), way in DIAGONALS, chance[way]))
        tried = known.attempts.in_room(room)
        walked, walked_here = (sum(times.get(each, 0) for each in _WAYS) for times in (tried, here))
        utility = max(_UTILITY * _FADING**walked, _NEW * _FADING_HERE**walked_here)
        yield Idea(way, "rooms look alike here: anywhere", utility, insists=True)
