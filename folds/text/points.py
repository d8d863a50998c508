"""Points: what a text announces, and what it answers to `score`."""

from __future__ import annotations

import re
from functools import lru_cache

_NUMBER = r"(?P<number>[a-z0-9 -]+?)"
_POINTS = (
    re.compile(
        r"\bscore (?:(?:has|just|now|gone|went|goes) )*"
        r"(?P<way>up|down|increased|decreased|risen|rose|dropped|fallen|fell)(?: by)? "
        rf"{_NUMBER}(?: points?\b|(?=[.!)\]]))",
        re.I,
    ),
    re.compile(rf"\byou('ve| have)? (just )?(?P<way>earned|gained|scored|lost) {_NUMBER} points?\b", re.I),
)
_DOWN = frozenset({"down", "decreased", "dropped", "fallen", "fell", "lost"})
_ONES = (
    "no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety hundred".split()
_NUMBERS = {
    **{word: value for value, word in enumerate(_ONES)},
    **{word: 10 * tens for tens, word in enumerate(_TENS, start=2)},
    "a": 1,
    "another": 1,
}
_SCORE = re.compile(
    r"\b(?=(?:score (?:is|of|would be)|scored?|would score|have(?: earned)?|score:)"
    r"(?: a total of)?(?: currently| now)?:? "
    r"(?P<score>-?\d+|[a-z-]+)(?: points?)?(?:[ ,.!(]|/\d|$))",
    re.I,
)
"""It consumes nothing, so that `have` does not hide the number in `You have scored 5`."""


@lru_cache(maxsize=128)
def points_announced(text: str) -> int:
    """The points that a text announces: `[Your score has just gone up by five points.]`; 0: none."""
    found = next(filter(None, (pattern.search(text) for pattern in _POINTS)), None)
    if found is None:
        return 0
    value = _number(found["number"])
    return -value if found["way"].lower() in _DOWN else value


def score_told(text: str) -> int | None:
    """The score in the answer to `score`: `You have so far scored 5 out of 30`. None: it has none."""
    for found in _SCORE.finditer(" ".join(text.split())):
        word = found["score"].lower()
        if word.lstrip("-").isdigit():
            return int(word)
        if _number(word) or word in ("no", "zero"):
            return _number(word)
    return None


def _number(words: str) -> int:
    """A number in digits or in English; 0: it is not a number."""
    if words.strip().isdigit():
        return int(words)
    total = 0
    for word in words.lower().replace("-", " ").split():
        if word == "hundred":
            total = 100 * max(1, total)
        elif word != "and":
            total += _NUMBERS.get(word, 0)
    return total
