"""What a game refuses: words it does not know, and the texts with which it says that nothing came of it."""

from __future__ import annotations

from collections import Counter, defaultdict

from folds.text.phrases import REFUSED
from folds.vocabulary.words import words_of
from services.actor.knowledge.texts import UNKNOWN_QUOTED, UNKNOWN_VERB, UNKNOWN_WORD

STOCK_AT, STOCK_WORDS = 3, 3
"""So many different fruitless actions answered with a text of the same first words make it a stock text."""


class Refusals:
    """Learned over a session; of use in every later episode."""

    def __init__(self) -> None:
        self.unknown_words: list[str] = []
        """Words of which the game has said that it does not know them, the newest last."""
        self._words: dict[str, set[str]] = defaultdict(set)
        self._anywhere: set[str] = set()
        self._beginnings: Counter[str] = Counter()

    def words_in(self, room: str) -> frozenset[str]:
        """The words of which the game has said that it knows no such thing here."""
        return frozenset(self._anywhere.union(self._words.get(room, ())))

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
        self._words[room].add(word)
        if UNKNOWN_WORD.search(text) or sum(word in words for words in self._words.values()) > 1:
            self._anywhere.add(word)

    def note_unknown(self, action: str, text: str) -> None:
        """Remember the word that the parser does not know: it quotes the word, or does not know the verb."""
        quoted = UNKNOWN_QUOTED.search(text)
        word = (
            (quoted[1] or quoted[2]).lower()
            if quoted
            else next(iter(words_of(action)), "")
            if UNKNOWN_VERB.search(text)
            else ""
        )
        if word and word not in self.unknown_words:
            self.unknown_words.append(word)


def _beginning(text: str) -> str:
    return " ".join(text.lower().split()[:STOCK_WORDS])
