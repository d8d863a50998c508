"""Nouns of what a game prints: what may be looked at in a room, and what people talk about."""

from __future__ import annotations

from collections import defaultdict

from folds.actions import is_conversation
from folds.rooms import room_of
from folds.words import nouns_in
from schemas.game import StepTaken
from services.actor.texts import REFUSED

NOUNS, TEXT_LENGTH = 24, 1_500
"""Nouns kept for a room (and as topics), and how much of a text is read for them."""


class Heard:
    """The nouns of a session's texts."""

    def __init__(self) -> None:
        self.topics: list[str] = []
        self._told: dict[str, dict[str, None]] = defaultdict(dict)

    def after(self, step: StepTaken) -> None:
        """Fold one step, its room known. A repeat adds nothing."""
        nouns = nouns_in(step.observation[:TEXT_LENGTH])
        if step.action and is_conversation(step.action):
            self.topics = list(dict.fromkeys((*self.topics, *nouns)))[-NOUNS:]
        elif not REFUSED.search(step.observation):
            told = self._told[room_of(step)]
            told.update(dict.fromkeys(nouns[: max(0, NOUNS - len(told))]))

    def told(self, room: str) -> tuple[str, ...]:
        """The nouns of a room's first texts."""
        return tuple(self._told.get(room, ()))
