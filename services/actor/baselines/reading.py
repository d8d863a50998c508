"""What the baselines read from a text: nouns, questions, changes, and words that the parser does not know."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from folds.text.phrases import DIED
from folds.text.things.sightings import things_here_in
from folds.vocabulary.actions import ALL_DIRECTIONS
from folds.vocabulary.nouns import nouns_in
from folds.vocabulary.words import words_of
from schemas.game import RESTART, StepTaken

TEXT_LENGTH, NOUNS = 1_500, 16
"""How much of a text is read for nouns, and how many are kept."""

ALIKE = 0.95
"""Texts that share at least this part of their words are taken as one (NAIL, alternate names)."""

YES_OR_NO = re.compile(
    r"\((y|yes) ?(/|or|,) ?(n|no)\)|\by/n\b|\byes or no\b|answer yes\b|\bare you sure\b[^.?!]*\?\W*$", re.I
)
UNKNOWN_WORD = re.compile(
    r"\b(?:know|recogni[sz]e|understand)\b[^.\n]*\bwords?\b|\bnot a (?:word|verb)\b|\bverb (?:that )?i\b|"
    r"\bdon't need to use the word\b",
    re.I,
)
_QUOTED = re.compile(r"[\"'“‘]([a-z-]+)[.,]?[\"'”’]", re.I)


@lru_cache(maxsize=256)
def nouns_of(text: str) -> tuple[str, ...]:
    """The nouns of a text: of things that it lists first, then of all else that it names."""
    read = text[:TEXT_LENGTH]
    nouns = dict.fromkeys((*things_here_in(read), *nouns_in(read)))
    return tuple(noun for noun in nouns if noun not in ALL_DIRECTIONS)[:NOUNS]


def begins_episode(step: StepTaken) -> bool:
    """Whether a step shows an opening."""
    return step.action in (None, RESTART)


def is_death(step: StepTaken) -> bool:
    """Whether a step ended the game without a victory, or tells that the player has died."""
    return (step.done and not step.victory) or DIED.search(step.observation) is not None


@lru_cache(maxsize=512)
def alike(text: str, other: str) -> bool:
    """Whether two texts share nearly all of their words."""
    words, others = Counter(words_of(text)), Counter(words_of(other))
    most = max(words.total(), others.total())
    return not most or (words & others).total() / most >= ALIKE


def unknown_word(action: str, text: str) -> str | None:
    """The word of an action that a text says the parser does not know; None: it knows all of them."""
    if not UNKNOWN_WORD.search(text):
        return None
    words = words_of(action)
    quoted = (found.lower() for found in _QUOTED.findall(text))
    return next((word for word in quoted if word in words), words[0] if words and "verb" in text else None)


def without_digits(text: str) -> str:
    """A text without what changes by itself: the digits of clocks and counters, and layout."""
    return " ".join(re.sub(r"\d+", "", text).split())
