"""How much a candidate action is worth here and now."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from folds.actions import direction_of, normal
from folds.rooms import room_of
from folds.verbs import Deed, deed_of
from folds.words import words_of
from schemas.game import StepTaken
from services.actor.candidates import IDLE, candidates
from services.actor.deeds import is_portable, worth_of_deed
from services.actor.experience import Experience

REWARDED, LEAST = 130.0, 2.0
FREED_WAY, LIKELY_WAY, OTHER_WAY, WAY_BACK, UNOFFERED_WAY = 86.0, 68.0, 34.0, 40.0, 10.0
_HINTED, _OFFERED, _IDLE = 3.0, 4.0, 26.0
_AGAIN_NOW, _AGAIN_CHANGED, _AGAIN_FRUITLESS, _ELSEWHERE = 0.3, 0.7, 0.4, 0.5


@dataclass(frozen=True, slots=True)
class Option:
    """An action with its worth and the reason for it."""

    worth: float
    action: str
    reason: str


def options(step: StepTaken, known: Experience, hints: Iterable[str] = ()) -> list[Option]:
    """Every candidate here with its worth, in a fixed order; what is worth nothing is left out."""
    hinted = tuple(hints)
    offered = frozenset(candidates_offered(step))
    found = [_option(a, step, known, a in offered, a in hinted) for a in candidates(step, known, hinted)]
    ways = _ways(step, known, offered)
    return [option for option in (*found, *ways) if option.worth >= LEAST]


def candidates_offered(step: StepTaken) -> tuple[str, ...]:
    """The valid actions of a step in their one form."""
    return tuple(normal(a) for a in step.valid_actions.actions) if step.valid_actions else ()


def _option(action: str, step: StepTaken, known: Experience, offered: bool, hinted: bool) -> Option:
    room = room_of(step)
    if direction_of(action) or _is_excluded(action, step, known, offered):
        return Option(0.0, action, "known")
    if action in IDLE:
        return Option(_IDLE * 0.85**step.world_seen, action, "more may prove valid here")
    points = known.unclaimed(room).get(action)
    if points and (offered or step.valid_actions is None):
        return Option(REWARDED + points, action, "it earned points here in an episode before")
    worth = worth_of_deed(action, step, known, offered) + _OFFERED * offered + _HINTED * hinted
    return Option(worth * _novelty(action, room, known), action, f"untried {deed_of(action)}")


def _is_excluded(action: str, step: StepTaken, known: Experience, offered: bool) -> bool:
    """Whether it kills here, failed in exactly this state, or names what the game does not know here."""
    room = room_of(step)
    if action in known.deadly(room):
        return True
    attempt = known.tried.in_world(known.tried.world_of(step)).get(action)
    if attempt is not None and not attempt.reward:
        return True
    unknown = (known.refusals.of_word(word, room) for word in words_of(action)[1:])
    return not offered and any(unknown)


def _novelty(action: str, room: str, known: Experience) -> float:
    """From 1 for what was never tried down to 0; what has changed in the room makes it newer again."""
    now = known.done[room][action]
    elsewhere = known.done_anywhere[action] - now
    before = max(0, known.fruitless[room][action] - now)
    stale = known.done_at[room].get(action, 0) < known.changed_at.get(room, 0)
    again = _AGAIN_CHANGED if stale else _AGAIN_NOW
    if deed_of(action) is Deed.EXAMINE and now and not stale:
        return 0.0
    away = _ELSEWHERE ** min(elsewhere, 6) if elsewhere == 0 or not is_portable(action, known) else 0.04
    return float(again**now * _AGAIN_FRUITLESS**before * away)


def _ways(step: StepTaken, known: Experience, offered: frozenset[str]) -> list[Option]:
    """Untried ways out of here; a complete list of valid actions leaves no others."""
    room = room_of(step)
    deadly = known.deadly(room)
    likely = set(known.map.hinted(room))
    earning = [
        Option(REWARDED + points, way, "it earned points here in an episode before")
        for way, points in known.unclaimed(room).items()
        if direction_of(way) and (step.valid_actions is None or way in offered or not _is_complete(step))
    ]
    return earning + [
        Option(worth_of_way(way, room, known, way in likely), way, "an unexplored way")
        for way in known.map.untried(room)
        if way not in deadly and (way in likely or not _is_complete(step))
    ]


def worth_of_way(way: str, room: str, known: Experience, likely: bool) -> float:
    """A way that is told of leads on; another may; the way back most likely leads to what is known."""
    tried = known.done[room][way] + known.fruitless[room][way]
    worth = OTHER_WAY - 2.0 * len(known.map.blocked.get(room, ()))
    if not likely and known.map.offers(room):
        worth = UNOFFERED_WAY
    if way in known.map.freed.get(room, ()):
        worth = FREED_WAY
    elif way in known.map.presumed(room):
        worth = WAY_BACK if likely else worth / 2
    elif likely:
        worth = LIKELY_WAY
    return max(0.0, worth) * _AGAIN_NOW**tried


def _is_complete(step: StepTaken) -> bool:
    return step.valid_actions is not None and step.valid_actions.complete
