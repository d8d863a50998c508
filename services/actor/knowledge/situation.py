"""All that a policy may know when it chooses."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Self

from folds.attempts import AttemptLog
from folds.map import Map
from folds.text.rooms import UNKNOWN_ROOM, room_of
from folds.vocabulary.actions import normal
from schemas.game import RESTART, SessionStarted, StepTaken
from services.actor.knowledge.best_route import BestRoute
from services.actor.knowledge.experience.experience import Experience
from services.actor.knowledge.stagnation import StagnationDetector
from services.actor.knowledge.transcript import Transcript

RECENT = 10
"""Steps kept verbatim (text-adventure agent, actor)."""

RemainingUtility = Callable[[StepTaken, Experience], float]
"""Given the last step in a room, how much there is still to be gained in it."""


class Situation:
    """A session as its player sees it, folded over its steps."""

    def __init__(self, started: SessionStarted, remaining_utility: RemainingUtility) -> None:
        self.started = started
        self.experience = Experience()
        self.best_route = BestRoute()
        self.recent: deque[StepTaken] = deque(maxlen=RECENT)
        self.transcript = Transcript()
        """Empty where no language model is asked, like the stagnation."""
        self.stagnation = StagnationDetector()
        self.expected: str | None = None
        """The room to which the last action should have led, as far as that was known."""
        self.remaining: dict[str, float] = {}
        """By room that was left, how much there was still to be gained in it."""
        self.scored_at = 0
        self._remaining_utility = remaining_utility

    def after(self, step: StepTaken) -> Self:
        """Fold one step; a step that was folded before changes nothing."""
        playthrough = self.experience.playthrough
        if playthrough.includes(step):
            return self
        self.expected = self.map.beyond(self.room, normal(step.action)) if step.action else None
        self.experience.after(step)
        now, before = playthrough.last or step, playthrough.before
        self.recent.append(now)
        if self.started.asks_models:
            self.transcript.after(now)
            self.stagnation.after(now, room_of(now), self.attempts.world)
        if now.reward or step.action in (None, RESTART):
            self.scored_at = step.step
        if before is not None:
            effective = self.experience.history.effective_in(room_of(before))
            self.best_route.after(before, now, works=normal(step.action or "") in effective)
            left = room_of(before) if now.done else self.came_from
            if left is not None:
                self.remaining[left] = self._remaining_utility(before, self.experience)
        return self

    @property
    def attempts(self) -> AttemptLog:
        """What has been tried."""
        return self.experience.attempts

    @property
    def map(self) -> Map:
        """The map as it was walked."""
        return self.experience.map

    @property
    def step(self) -> StepTaken:
        """The last step."""
        return self.recent[-1]

    @property
    def steps_left(self) -> int:
        """The steps of the session's budget that are not taken yet."""
        return self.started.steps - self.step.step

    @property
    def room(self) -> str:
        """The id of the room where the player is."""
        return room_of(self.recent[-1]) if self.recent else UNKNOWN_ROOM

    @property
    def came_from(self) -> str | None:
        """The room that the last step left, if it left one."""
        return self.experience.playthrough.left

    @property
    def without_score(self) -> int:
        """Steps since the score last changed."""
        return self.step.step - self.scored_at

    def repeated(self, action: str, times: int = 1) -> bool:
        """Whether the last so many actions were all this one, and all in the same room."""
        last = list(self.recent)[-times:]
        same = all(normal(s.action or "") == normal(action) and room_of(s) == self.room for s in last)
        return len(last) == times and same
