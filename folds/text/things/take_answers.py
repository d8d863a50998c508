"""Reads answers to `take`: one line for each thing, or one for the only one."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from folds.text.phrases import TAKEN, is_fruitless, is_refused
from folds.vocabulary.words import words_of

_EACH = re.compile(r"^[ \t]*(?:the |an? )?(?P<name>[^:.!?\n]{2,60}?): +(?P<answer>\S[^\n]*)", re.I | re.M)
_ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_HELD = re.compile(
    r"\b(?:you|i)(?:'ve| have|'re| are|'m| am)? already (?:have|got|holds?|carry|carrying|holding|wearing)\b|"
    r"\balready in your (?:hands?|possession)\b|\b(?:have|got|carrying|holding) (?:that|it) already\b",
    re.I,
)
_FIXED = re.compile(
    r"hardly portable|fixed in place|can't (?:take|pick|carry|move) (?:that|it|the|up)|firmly|"
    r"too (?:heavy|big|large)|don't need (?:to|that)|not (?:portable|something you can)|part of|"
    r"attached|bolted|immovable|stuck|valiant attempt|can't be serious|interesting idea|what a concept|"
    r"not bloody likely",
    re.I,
)
_REMARKS = frozenset({"note", "exits", "obvious exits", "score", "moves", "warning", "hint"})


class TakeAnswer(NamedTuple):
    """What was said of one thing."""

    name: str
    answer: str

    @property
    def taken(self) -> bool:
        """Whether the thing is in hand now, and was not before."""
        return bool(TAKEN.search(self.answer)) and not is_fruitless(self.answer)

    @property
    def held(self) -> bool:
        """Whether the thing was in hand before."""
        return bool(_HELD.search(self.answer))

    @property
    def refused(self) -> bool:
        """Whether the game does not care for the thing."""
        return is_refused(self.answer)

    @property
    def fixed(self) -> bool:
        """Whether the thing cannot be taken, now and later."""
        return bool(_FIXED.search(self.answer))


@lru_cache(maxsize=128)
def answers_in(text: str) -> tuple[TakeAnswer, ...]:
    """The lines of the answer to `take all`: `brass lamp: Taken.`, with the names in small letters."""
    found = ((_plain(each["name"].partition(" - ")[0]), each["answer"]) for each in _EACH.finditer(text))
    return tuple(TakeAnswer(name, answer) for name, answer in found if name and name not in _REMARKS)


def _plain(name: str) -> str:
    return " ".join(words_of(_ASIDE.sub("", name)))
