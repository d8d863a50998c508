"""Whether a session gets nowhere; if so, the rules take over for some steps and no model is asked."""

from __future__ import annotations

from dataclasses import dataclass, replace

from schemas.game import RESTART, StepTaken

NOTHING_NEW, NO_GAIN = 20, 40
"""Steps without a new room, a point or a new state of the world after which the rules act (text-adventure
agent, stuck detection; its model only read a warning). The same without a new room or a point, where
the world is as it has been before: dropping and taking makes new states of it for ever."""

LONGEST = 15
"""Steps of a takeover without anything new after which the model is asked again."""

NEW_STATE = "a new state of the world"


@dataclass(frozen=True, slots=True)
class RuleTakeover:
    """Steps in a row in which the rules acted."""

    since: int
    idle: int
    """For how many steps nothing new had come up."""
    actions: tuple[str, ...] = ()
    until: int | None = None
    """The step with which it ended; None: it goes on."""
    found: str = ""
    """What ended it; empty: nothing new came up."""


class StagnationDetector:
    """What was new, and when; folded over the steps of a session."""

    def __init__(self) -> None:
        self.takeover: RuleTakeover | None = None
        """The one under way, or the last one."""
        self._rooms: set[str] = set()
        self._worlds: set[str] = set()
        self._new_at = self._gained_at = 0

    @property
    def rules_act(self) -> bool:
        """Whether the rules act now."""
        return self.takeover is not None and self.takeover.until is None

    def after(self, step: StepTaken, room: str, world: str) -> None:
        """Fold one step, with its room and its state of the world; each step once."""
        found, repeated = self._new_in(step, room, world), world in self._worlds
        self._rooms.add(room)
        self._worlds.add(world)
        if found:
            self._new_at = step.step
        if found and found != NEW_STATE:
            self._gained_at = step.step
        if self.takeover is not None and self.takeover.until is None:
            self._go_on(self.takeover, step, found)
        elif idle := self._idle(step.step, repeated):
            self.takeover = RuleTakeover(step.step, idle)

    def _idle(self, now: int, repeated: bool) -> int:
        """For how many steps nothing has come of it all; 0: not for too long yet."""
        if now - self._new_at >= NOTHING_NEW:
            return now - self._new_at
        return now - self._gained_at if repeated and now - self._gained_at >= NO_GAIN else 0

    def _go_on(self, takeover: RuleTakeover, step: StepTaken, found: str) -> None:
        takeover = replace(takeover, actions=(*takeover.actions, step.action or ""))
        if found or len(takeover.actions) >= LONGEST:
            takeover = replace(takeover, until=step.step, found=found)
            self._new_at = self._gained_at = step.step
        self.takeover = takeover

    def _new_in(self, step: StepTaken, room: str, world: str) -> str:
        if step.action in (None, RESTART):
            return "a new beginning"
        if step.reward:
            return "a change of the score"
        if room not in self._rooms:
            return "a new room"
        return NEW_STATE if world not in self._worlds else ""
