"""What one session teaches about its story."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from folds.map import Map
from folds.route import RouteStep
from folds.text.phrases import DARK
from folds.text.rooms import UNKNOWN_ROOM, room_of
from folds.vocabulary.actions import normal
from schemas.base import ACTION_LENGTH
from schemas.experience import MOST_REFLECTIONS, REFLECTION_LENGTH
from schemas.game import StepTaken
from services.memory.experience.route import RouteRecorder

ROOM_LENGTH = 120
"""The most characters of a room's id; a room with a longer one is left out."""
NAME_LENGTH = 60


class RoomAction(NamedTuple):
    """An action in a room."""

    room: str
    action: str


class Lessons:
    """What a session has taught so far: a fold over steps that a `TextReader` has read.

    `learned_up_to`: the last step of the session of which this one is a fork; its deaths are counted there.
    """

    def __init__(self, learned_up_to: int = -1) -> None:
        self.earned: dict[RoomAction, int] = {}
        self.deaths: Counter[tuple[RoomAction, bool]] = Counter()
        """The second part: whether it was dark."""
        self.best_score: int | None = None
        self.route = RouteRecorder()
        self._learned_up_to = learned_up_to
        self._dark: set[str] = set()

    def after(self, before: StepTaken | None, now: StepTaken) -> None:
        """Fold a step, with the one before it (None: there is none). The caller folds each step once."""
        if now.score is not None:
            self.best_score = max(now.score, now.score if self.best_score is None else self.best_score)
        if before is not None and before.episode == now.episode and now.action:
            done = RoomAction(room_of(before), normal(now.action))
            if now.reward > 0:
                self.earned[done] = max(now.reward, self.earned.get(done, 0))
            if now.done and not now.victory and now.step > self._learned_up_to:
                self.deaths[done, done.room in self._dark] += 1
        if before is not None:
            self.route.after(before, now)
        self._note_light(before, now)

    def _note_light(self, before: StepTaken | None, now: StepTaken) -> None:
        room = room_of(now)
        if DARK.search(now.observation):
            self._dark.add(room)
        elif before is None or room_of(before) != room:
            self._dark.discard(room)


@dataclass(frozen=True, slots=True)
class SessionLessons:
    """What a session taught up to a step. Rooms are ids."""

    session: str
    steps: int
    points: int
    """What its best episode earned."""
    score: int | None
    rooms: Mapping[str, str]
    """Names by id."""
    exits: tuple[tuple[RoomAction, str], ...]
    earned: tuple[tuple[RoomAction, int], ...]
    deaths: tuple[tuple[RoomAction, bool, int], ...]
    """The action, whether it was dark, and how often."""
    route: tuple[RouteStep, ...]
    reflections: tuple[str, ...] = ()
    """A sentence on each of the last failures, the newest last."""


def lessons_of(
    session: str, steps: int, lessons: Lessons, walked: Map, reflections: tuple[str, ...] = ()
) -> SessionLessons:
    """What a session has taught. What is too long for a message, or in no known room, is left out."""
    rooms = {room: name[:NAME_LENGTH] for room, name in walked.names.items() if _is_room(room)}
    exits = [(RoomAction(room, way), end) for room, ways in walked.exits.items() for way, end in ways.items()]
    route = lessons.route.best
    return SessionLessons(
        session=session,
        steps=steps,
        points=lessons.route.points,
        score=lessons.best_score,
        rooms=rooms,
        exits=tuple((way, end) for way, end in exits if _fits(way, rooms) and end in rooms),
        earned=tuple((done, points) for done, points in lessons.earned.items() if _fits(done, rooms)),
        deaths=tuple((done, dark, n) for (done, dark), n in lessons.deaths.items() if _fits(done, rooms)),
        route=route if all(_fits_move(move, rooms) for move in route) else (),
        reflections=tuple(text[:REFLECTION_LENGTH] for text in reflections if text)[-MOST_REFLECTIONS:],
    )


def _is_room(room: str) -> bool:
    return room != UNKNOWN_ROOM and 0 < len(room) <= ROOM_LENGTH


def _fits(done: RoomAction, rooms: Mapping[str, str]) -> bool:
    return done.room in rooms and 0 < len(done.action) <= ACTION_LENGTH


def _fits_move(move: RouteStep, rooms: Mapping[str, str]) -> bool:
    return _fits(RoomAction(move.room, move.action), rooms) and move.arrives in rooms
