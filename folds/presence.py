"""Tracks which things are in a room, by the game's objects and texts."""

from __future__ import annotations

from collections import defaultdict

from folds.text.rooms import room_of
from folds.vocabulary.actions import is_conversation, normal
from folds.vocabulary.words import content_words, head_of, words_of
from schemas.game import StepTaken


class ThingPresence:
    """Things seen in the session, and the words that each room's texts have used."""

    def __init__(self) -> None:
        self._things: set[str] = set()
        self._here: frozenset[str] | None = None
        self._mentioned: dict[str, set[str]] = defaultdict(set)

    def after(self, step: StepTaken) -> None:
        """Fold one step that a `TextReader` has read. A repeat adds nothing."""
        self._mentioned[room_of(step)].update(content_words(step.observation))
        self._here = None
        if step.objects is None or step.inventory is None:
            return
        names = [thing.name for thing in (*step.objects, *step.inventory)]
        self._here = frozenset(word for name in names for word in words_of(name))
        self._things.update(head_of(name) for name in names)

    def missing(self, action: str, room: str) -> str | None:
        """A thing that the action names, if it is known from elsewhere and neither here nor mentioned here.

        Scenery is never missing: it is not a known thing of another room, or this room's text names it.
        """
        if self._here is None:
            return None
        named = normal(action).partition(" about ")[0] if is_conversation(action) else normal(action)
        mentioned = self._mentioned.get(room, set())
        words = words_of(named)[1:]
        if any(word in self._here or word in mentioned for word in words):
            words = words[-1:]
        return next(
            (w for w in words if w in self._things and w not in self._here and w not in mentioned), None
        )
