"""How much a candidate action is worth here and now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from folds.attempts import Attempt
from folds.text.rooms import room_of
from folds.vocabulary.actions import direction_of, normal
from folds.vocabulary.verbs import ActionKind, action_kind_of
from folds.vocabulary.words import words_of
from schemas.game import StepTaken
from services.actor.heuristic.candidates import IDLE, candidates
from services.actor.heuristic.utility import is_portable, utility_of
from services.actor.knowledge.experience import Experience

REWARDED, LEAST = 130.0, 2.0
FREED_WAY, LIKELY_WAY, WAY_BACK, OTHER_WAY, UNOFFERED_WAY = 86.0, 68.0, 40.0, 56.0, 10.0
"""Ways by what is known of them: opened just now, told of, leading back, possible, not found valid."""

_IN_THE_DARK = 0.3
_HINTED, _OFFERED = 1.05, 1.06
_IDLE, _IDLE_AGAIN = 36.0, 0.6
_AGAIN, _AGAIN_CHANGED, _AGAIN_FRUITLESS, _ELSEWHERE, _CARRIED = 0.3, 0.7, 0.4, 0.5, 0.04
"""Factors: done before in the room, and the room has changed since; in vain in an episode before;
done in another room, and it concerns only what is carried along."""


@dataclass(frozen=True, slots=True)
class Option:
    """An action with its worth and the reason for it."""

    utility: float
    action: str
    reason: str


@dataclass(frozen=True, slots=True)
class OptionContext:
    """What is looked up once for all the candidates of a step."""

    step: StepTaken
    room: str
    offered: frozenset[str]
    hinted: frozenset[str]
    deadly: frozenset[str]
    unclaimed: Mapping[str, int]
    attempts: Mapping[str, Attempt]

    @property
    def blind(self) -> bool:
        """Whether valid actions are not known."""
        return self.step.valid_actions is None

    @property
    def complete(self) -> bool:
        """Whether no other actions are valid."""
        return self.step.valid_actions is not None and self.step.valid_actions.complete


def options(step: StepTaken, known: Experience, hints: Iterable[str] = ()) -> list[Option]:
    """Every candidate here with its worth, in a fixed order; what is worth next to nothing is left out."""
    hinted = tuple(hints)
    scene = _scene(step, known, hinted)
    found = [_option(action, scene, known) for action in candidates(step, known, hinted)]
    ways = _ways(scene, known)
    return [option for option in (*found, *ways) if option.utility >= LEAST]


def _scene(step: StepTaken, known: Experience, hinted: tuple[str, ...]) -> OptionContext:
    room = room_of(step)
    valid = step.valid_actions.actions if step.valid_actions else ()
    return OptionContext(
        step=step,
        room=room,
        offered=frozenset(map(normal, valid)),
        hinted=frozenset(hinted),
        deadly=known.deadly(room),
        unclaimed=known.unclaimed(room),
        attempts=known.tried.in_world(known.tried.world_of(step)),
    )


def _option(action: str, scene: OptionContext, known: Experience) -> Option:
    offered = action in scene.offered
    if direction_of(action) or _is_excluded(action, scene, known, offered):
        return Option(0.0, action, "known")
    if action in IDLE:
        waited = sum(known.done[scene.room][idle] for idle in IDLE)
        return Option(_IDLE * _IDLE_AGAIN ** (waited + scene.step.world_seen), action, "more may prove valid")
    if action in scene.unclaimed and (offered or scene.blind):
        return Option(REWARDED + scene.unclaimed[action], action, "it earned points in an episode before")
    utility = utility_of(action, scene.step, known, offered)
    utility *= _OFFERED**offered * _HINTED ** (action in scene.hinted)
    return Option(utility * _novelty(action, scene.room, known), action, f"untried {action_kind_of(action)}")


def _is_excluded(action: str, scene: OptionContext, known: Experience, offered: bool) -> bool:
    """Whether it kills here, failed in exactly this state, or names what the game does not know here."""
    if action in scene.deadly:
        return True
    attempt = scene.attempts.get(action)
    if attempt is not None and not attempt.reward:
        return True
    return not offered and any(known.refusals.of_word(word, scene.room) for word in words_of(action)[1:])


def _novelty(action: str, room: str, known: Experience) -> float:
    """From 1 for what was never tried down to 0; what has changed in the room makes it newer again."""
    now = known.done[room][action]
    elsewhere = known.done_anywhere[action] - now
    before = max(0, known.fruitless[room][action] - now)
    stale = now > 0 and known.done_at[room][action] < known.changed_at.get(room, 0)
    if now and not stale and action_kind_of(action) is ActionKind.EXAMINE:
        return 0.0
    away = _ELSEWHERE ** min(elsewhere, 6)
    if elsewhere and is_portable(action, known):
        away = _CARRIED
    again = _AGAIN_CHANGED if stale else _AGAIN
    return float(again**now * _AGAIN_FRUITLESS**before * away)


def _ways(scene: OptionContext, known: Experience) -> list[Option]:
    """Ways out of here, those first that paid before; a complete list of valid actions leaves no others."""
    likely = frozenset(known.map.hinted(scene.room))
    paying = [
        Option(REWARDED + points, way, "it earned points in an episode before")
        for way, points in scene.unclaimed.items()
        if direction_of(way) and way not in scene.attempts and (way in scene.offered or not scene.complete)
    ]
    return paying + [
        Option(worth_of_way(way, scene.room, known, way in likely), way, "an unexplored way")
        for way in known.map.untried(scene.room)
        if way not in scene.deadly and (way in likely or not scene.complete)
    ]


def worth_of_way(way: str, room: str, known: Experience, likely: bool) -> float:
    """A way that is told of leads on; another may; the way back most likely leads to what is known."""
    utility = (OTHER_WAY - 2.0 * len(known.map.blocked.get(room, ()))) * known.unlikely_ways.rate
    if not likely and known.map.offers(room):
        utility = UNOFFERED_WAY
    if way in known.map.freed.get(room, ()):
        utility = FREED_WAY
    elif way in known.map.presumed(room):
        utility = WAY_BACK if likely else utility / 2
    elif likely:
        utility = LIKELY_WAY
    tried = known.done[room][way] + known.fruitless[room][way]
    if room in known.dark:
        utility *= _IN_THE_DARK
    return max(0.0, utility) * _AGAIN**tried
