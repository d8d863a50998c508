"""All that a policy may know when it chooses."""

from __future__ import annotations

from collections import deque
from typing import Self

from folds.attempts import AttemptLog
from folds.map import Map
from folds.text.rooms import UNKNOWN_ROOM, room_of
from folds.vocabulary.actions import normal
from schemas.game import RESTART, SessionStarted, StepTaken
from services.actor.heuristic.candidates import IDLE
from services.actor.heuristic.options import options
from services.actor.heuristic.utility import is_portable
from services.actor.knowledge.best_route import BestRoute
from services.actor.knowledge.experience import Experience
from services.actor.reflact.history import EpisodeHistory
from services.actor.reflact.stagnation import StagnationDetector

RECENT = 10
"""Steps kept verbatim (text-adventure agent, actor)."""


class Situation:
    """A session as its player sees it, folded over its steps."""

    def __init__(self, started: SessionStarted) -> None:
        self.started = started
        self.experience = Experience(started)
        self.best_route = BestRoute()
        self.recent: deque[StepTaken] = deque(maxlen=RECENT)
        self.history = EpisodeHistory()
        self.stagnation = StagnationDetector()
        self.expected: str | None = None
        """The room to which the last action should have led, as far as that was known."""
        self.left: dict[str, float] = {}
        self.scored_at = 0

    @classmethod
    def opening(cls, started: SessionStarted) -> Self:
        """The situation before the opening text."""
        return cls(started)

    def after(self, step: StepTaken) -> Self:
        """Fold one step; a step that was folded before changes nothing."""
        before = self.tried.last
        if before is not None and step.step <= before.step:
            return self
        self.expected = self.map.beyond(self.room, normal(step.action)) if step.action else None
        self.experience.after(step)
        now = self.tried.last or step
        self.recent.append(now)
        if self.started.asks_models:
            self.history.after(now)
            self.stagnation.after(now, room_of(now), self.tried.world)
        if before is not None:
            self.best_route.after(before, now)
        if now.reward or step.action in (None, RESTART):
            self.scored_at = step.step
        if before is not None and room_of(before) != room_of(now):
            self._leave(before)
        return self

    @property
    def tried(self) -> AttemptLog:
        """What has been tried."""
        return self.experience.tried

    @property
    def map(self) -> Map:
        """The map as it was walked."""
        return self.experience.map

    @property
    def step(self) -> StepTaken:
        """The last step."""
        return self.recent[-1]

    @property
    def room(self) -> str:
        """The id of the room where the player is."""
        return room_of(self.recent[-1]) if self.recent else UNKNOWN_ROOM

    @property
    def came_from(self) -> str | None:
        """The room that the last step left, if it left one."""
        before = room_of(self.recent[-2]) if len(self.recent) > 1 else self.room
        return before if before != self.room else None

    @property
    def without_score(self) -> int:
        """Steps since the score last changed."""
        return self.step.step - self.scored_at

    def repeated(self, action: str, times: int = 1) -> bool:
        """Whether the last so many actions were all this one, and all in the same room."""
        last = list(self.recent)[-times:]
        same = all(normal(s.action or "") == normal(action) and room_of(s) == self.room for s in last)
        return len(last) == times and same

    def _leave(self, before: StepTaken) -> None:
        """Remember how much was still to be done in the room that was left."""
        known = self.experience
        waiting = (o.utility for o in options(before, known) if not _goes_anywhere(o.action, known))
        self.left[room_of(before)] = max(waiting, default=0.0)


def _goes_anywhere(action: str, known: Experience) -> bool:
    return action in IDLE or is_portable(action, known)
