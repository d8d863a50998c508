"""What has been tried in one world so far, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

from schemas.game import ValidActions
from services.game.emulator.protocol import Effect, Found


@dataclass(slots=True)
class Effort:
    """Folded over the searches of one world; the first action that had an effect stands for it."""

    tried: list[str] = field(default_factory=list)
    worked: dict[tuple[str, int | None], str] = field(default_factory=dict)
    """The plainest action for each distinct effect: the world's hash and the score after it."""
    endings: list[str] = field(default_factory=list)
    complete: bool = False
    barred: bool = False
    """The search failed here: it is not made again."""

    @property
    def open(self) -> bool:
        """Whether more may be found."""
        return not (self.complete or self.barred)

    @classmethod
    def recalled(cls, known: ValidActions) -> Self:
        """A complete effort, as a record tells it (which does not tell what was tried)."""
        worked: dict[tuple[str, int | None], str] = {(action, None): action for action in known.actions}
        return cls(worked=worked, complete=True, tried=[""] * known.tried)

    def add(self, found: Found) -> None:
        """Count one more search."""
        self.tried += found.tried
        self.complete = found.complete
        for effect in found.effects:
            self._note(effect)

    def _note(self, effect: Effect) -> None:
        if not effect.done:
            self.worked.setdefault((effect.world, effect.score), effect.action)
        elif effect.action not in self.endings:
            self.endings.append(effect.action)

    def valid(self) -> ValidActions:
        """Actions that end the game stand last: one of them may be the victory."""
        actions = (*self.worked.values(), *self.endings)
        return ValidActions(actions=actions, complete=self.complete, tried=len(self.tried))
