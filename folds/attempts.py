"""What has been tried, where, in which state of the world, and what came of it."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass

from folds.delayed_deaths import DelayedDeaths
from folds.text.rooms import UNKNOWN_ROOM, room_of
from folds.vocabulary.actions import direction_of, normal
from folds.vocabulary.verbs import ActionKind, action_kind_of
from schemas.game import RESTART, StepTaken, Thing

__all__ = ["ROOM_RECORD", "UNKNOWN_ROOM", "Attempt", "AttemptLog", "attempt_of", "names_of", "room_of"]

ROOM_RECORD = 40
"""Attempts kept in full for each room (every action's name is kept beside them)."""

WORLDS = 2_000
"""States of the world whose attempts are kept; the oldest are forgotten first."""

RESULT_LENGTH = 240

_SURVIVED = 2
"""Times that an action is survived for each death that came with it, from which on it is not to blame."""

_NOTHING: Set[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Attempt:
    """One action in one room, and what came of it."""

    step: int
    action: str
    score_before: int | None
    score_after: int | None
    reward: int
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    changed: bool
    moved_to: str | None
    ended: bool
    result: str
    times: int = 1
    """How often the action has been tried in the same state of the world, this time included."""
    won: bool = False
    """Whether it ended the game with a victory."""
    regained: bool = False
    """Whether its points only made good what had been lost before in the episode."""

    @property
    def earned(self) -> bool:
        """Whether it brought points or things."""
        return self.scored or bool(self.gained)

    @property
    def scored(self) -> bool:
        """Whether it brought points that the episode had not had before."""
        return self.reward > 0 and not self.regained

    @property
    def blocked(self) -> bool:
        """Whether it was a way that led nowhere."""
        return self.moved_to is None and not self.ended and direction_of(self.action) is not None


class AttemptLog:
    """Every attempt of a session by room and by state of the world, from steps that `TextReader` has read."""

    def __init__(self) -> None:
        self.last: StepTaken | None = None
        self.by_room: dict[str, deque[Attempt]] = defaultdict(_room_record)
        self._in_room: dict[str, dict[str, int]] = defaultdict(dict)
        self._in_world: dict[str, dict[str, Attempt]] = {}
        self._deadly: dict[str, set[str]] = defaultdict(set)
        self._deadly_meals: set[str] = set()
        """What killed who ate or drank it, which it does anywhere."""
        self._ended: dict[str, set[str]] = defaultdict(set)
        self._earned: dict[str, dict[str, int]] = defaultdict(dict)
        self.delayed_deaths = DelayedDeaths()
        self._progress = 0
        self._best: int | None = None
        """The best score of this episode; None: unknown."""

    def after(self, step: StepTaken) -> AttemptLog:
        """Fold one step; a step that was folded before changes nothing."""
        if self.last is not None and step.step <= self.last.step:
            return self
        if step.action in (None, RESTART):
            self._best = None
        if step.action == RESTART:
            self._forget_effects()
            self.delayed_deaths.begin(step.step)
        elif self.last is not None and step.action:
            self._note(self.last, step, normal(step.action))
        known = (score for score in (self._best, step.score) if score is not None)
        self._best = max(known, default=None)
        self.last = step
        return self

    def learn(self, room: str, earned: Mapping[str, int], deadly: Set[str]) -> None:
        """Take over what earlier sessions have tried in a room."""
        self._earned[room].update(earned)
        self._deadly[room].update(deadly)
        self._ended[room].update(deadly)

    @property
    def world(self) -> str:
        """The state of the world now: the game's hash, or what is known in its place."""
        return self.world_of(self.last) if self.last else ""

    def world_of(self, step: StepTaken) -> str:
        """The state of the world at a step: the game's hash, or what is known in its place."""
        if step.world:
            return step.world
        held = ",".join(sorted(names_of(step.inventory)))
        return f"{room_of(step)}|{held}|{self._progress}"

    def gained_in(self, room: str) -> set[str]:
        """The names of what came to hand in a room, as far back as its attempts are kept."""
        return {name for attempt in self.by_room.get(room, ()) for name in attempt.gained}

    def in_room(self, room: str) -> Mapping[str, int]:
        """Every action ever tried in a room, with how often."""
        return self._in_room.get(room, {})

    def in_world(self, world: str) -> Mapping[str, Attempt]:
        """The latest attempt at each action in exactly this state of the world."""
        return self._in_world.get(world, {}) if world else {}

    def deadly_in(self, room: str) -> Set[str]:
        """Actions that have ended the game in a room without winning it, and seem to be to blame for that."""
        deadly = self._deadly.get(room, _NOTHING) | self._deadly_meals
        return {action for action in deadly if not self._is_excused(room, action)}

    def ended_in(self, room: str) -> Set[str]:
        """Actions that have ended the game in a room, won or lost."""
        return self._ended.get(room, _NOTHING)

    def earned_in(self, room: str) -> Mapping[str, int]:
        """The points that actions have brought in a room, at most each time."""
        return self._earned.get(room, {})

    def _is_excused(self, room: str, action: str) -> bool:
        """Whether a death seems to come of something else: of an earlier deed, or, as the action was survived
        much more often, of hunger or the like."""
        deaths, times = self.delayed_deaths.deaths_by((room, action)), self.in_room(room).get(action, 0)
        is_survived = deaths > 0 and times - deaths >= _SURVIVED * deaths
        return is_survived or self.delayed_deaths.is_innocent((room, action))

    def _regains(self, after: StepTaken) -> bool:
        """Whether the points of a step only bring the score back to what it was before in the episode."""
        if self._best is None or after.score is None:
            return False
        return after.reward > 0 and after.score <= self._best

    def _note(self, before: StepTaken, after: StepTaken, action: str) -> None:
        room, here = room_of(before), self._attempts_in(self.world_of(before))
        seen = here.get(action)
        times = seen.times + 1 if seen else 1
        attempt = attempt_of(before, after, action, times=times, regained=self._regains(after))
        self.by_room[room].append(attempt)
        self._in_room[room][action] = self._in_room[room].get(action, 0) + 1
        here[action] = attempt
        self._progress += attempt.earned or (not after.world and self._is_first_effect(attempt, room))
        if attempt.scored:
            self._earned[room][action] = max(after.reward, self._earned[room].get(action, 0))
        if after.done:
            self._ended[room].add(action)
        if attempt.moved_to or attempt.earned or attempt.changed:
            self.delayed_deaths.note((room, action), after.step)
        if after.done and not after.victory:
            self._deadly[room].add(action)
            if action_kind_of(action) is ActionKind.CONSUME:
                self._deadly_meals.add(action)
            self.delayed_deaths.note_death((room, action), after.step, after.observation)

    def _is_first_effect(self, attempt: Attempt, room: str) -> bool:
        """Whether an action's first try here had an effect: without a hash that makes a new state."""
        stayed = attempt.changed and attempt.moved_to is None
        return stayed and self._in_room[room][attempt.action] == 1

    def _forget_effects(self) -> None:
        """In a new episode what had an effect is to be done again; what had none is still known."""
        for world, attempts in self._in_world.items():
            ineffective = {
                a: t for a, t in attempts.items() if t.ended or not (t.changed or t.moved_to or t.earned)
            }
            self._in_world[world] = ineffective

    def _attempts_in(self, world: str) -> dict[str, Attempt]:
        if world not in self._in_world and len(self._in_world) >= WORLDS:
            del self._in_world[next(iter(self._in_world))]
        return self._in_world.setdefault(world, {})


def attempt_of(
    before: StepTaken, after: StepTaken, action: str, *, times: int = 1, regained: bool = False
) -> Attempt:
    """What an action did, as the difference between two steps."""
    had, has = names_of(before.inventory), names_of(after.inventory)
    moved = room_of(after) if room_of(after) != room_of(before) else None
    known = before.inventory is not None and after.inventory is not None
    known = known and (bool(after.world) or action != "inventory")  # by text, that only tells what is held
    return Attempt(
        step=after.step,
        action=action,
        score_before=before.score,
        score_after=after.score,
        reward=after.reward,
        gained=tuple(sorted(has - had)) if known else (),
        lost=tuple(sorted(had - has)) if known else (),
        changed=after.changed,
        moved_to=moved,
        ended=after.done,
        result=" ".join(after.observation.split())[:RESULT_LENGTH],
        times=times,
        won=after.done and after.victory,
        regained=regained,
    )


def names_of(things: Iterable[Thing] | None) -> frozenset[str]:
    """The names of things; none where they are unknown."""
    return frozenset(thing.name for thing in things or ())


def _room_record() -> deque[Attempt]:
    return deque(maxlen=ROOM_RECORD)
