"""What the critic knows of a session."""

from __future__ import annotations

from typing import Self

from folds.attempts import AttemptLog
from folds.map import Map
from folds.playthrough import Playthrough
from folds.presence import ThingPresence
from schemas.game import SessionStarted, StepTaken
from services.critic.known_route import KnownRoute

STRICT_AT = 3
"""Times that a state of the world was seen before the critic becomes stricter (as the published one)."""

LAST_PART = 10
"""In the last tenth of a session what earned points before is not replaced."""


class CriticState:
    """The critic's knowledge of a session."""

    def __init__(self) -> None:
        self.presence = ThingPresence()
        self.came_from: str | None = None
        """The room from which the player came."""
        self.may_restore = False
        """Whether the session allows `restore`."""
        self.route = KnownRoute()
        self._ending_at = 0
        self._playthrough = Playthrough()

    @classmethod
    def opening(cls, started: SessionStarted) -> Self:
        """Nothing is known of a session that has just started."""
        state = cls()
        state.may_restore = started.restore
        state._ending_at = started.steps - started.steps // LAST_PART
        return state

    def after(self, step: StepTaken) -> Self:
        """Fold one step; a step that was folded before changes nothing."""
        if self._playthrough.includes(step):
            return self
        now = self._playthrough.after(step)
        self.came_from = now.left or self.came_from
        if now.last is not None:
            self.presence.after(now.last)
            self.route.after(now.before, now.last)
        return self

    @property
    def step(self) -> StepTaken | None:
        """The last step; None: there is none."""
        return self._playthrough.last

    @property
    def knows_the_world(self) -> bool:
        """Whether the game tells its state; else two states that seem the same may differ."""
        return self.step is not None and bool(self.step.world)

    @property
    def has_seen_this_often(self) -> bool:
        """Whether this state of the world has come so often that the critic becomes stricter."""
        return self.step is not None and self.step.world_seen >= STRICT_AT

    @property
    def is_ending(self) -> bool:
        """Whether so few steps are left that only what is known to earn is worth them."""
        return self.step is not None and self.step.step >= self._ending_at

    @property
    def map(self) -> Map:
        """The map of the rooms visited."""
        return self._playthrough.map

    @property
    def attempts(self) -> AttemptLog:
        """What has been tried."""
        return self._playthrough.attempts

    def answers_to(self, action: str) -> list[str]:
        """What the game has lately answered to an action in this room, the newest last."""
        here = self.attempts.by_room.get(self.map.here, ())
        return [each.result for each in here if each.action == action]
