"""What a game refuses: words it does not know, and the texts with which it says that nothing came of it."""

from __future__ import annotations

from collections import Counter, defaultdict

from folds.text.phrases import REFUSED
from services.actor.knowledge.texts import UNKNOWN_WORD

ANYWHERE = "*"
STOCK_AT, STOCK_WORDS = 3, 3
"""So many different fruitless actions answered with a text of the same first words make it a stock text."""


class Refusals:
    """Learned over a session; of use in every later episode."""

    def __init__(self) -> None:
        self._rooms: dict[str, set[str]] = defaultdict(set)
        self._beginnings: Counter[str] = Counter()

    def of_word(self, word: str, room: str) -> bool:
        """Whether the game has said that it knows no such thing here."""
        rooms = self._rooms.get(word, ())
        return room in rooms or ANYWHERE in rooms

    def in_text(self, text: str) -> bool:
        """Whether a text says that nothing came of an action."""
        return bool(REFUSED.search(text)) or self._beginnings[_beginning(text)] >= STOCK_AT

    def note_fruitless(self, text: str) -> None:
        """Remember what the game said to an action that came to nothing for the first time."""
        self._beginnings[_beginning(text)] += 1

    def note_word(self, word: str, room: str, text: str) -> None:
        """Remember a word that the text refuses; one refused in two rooms is taken as unknown everywhere."""
        if not REFUSED.search(text):
            return
        self._rooms[word].add(room)
        if UNKNOWN_WORD.search(text) or len(self._rooms[word]) > 1:
            self._rooms[word].add(ANYWHERE)


def _beginning(text: str) -> str:
    return " ".join(text.lower().split()[:STOCK_WORDS])
