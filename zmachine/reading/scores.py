"""Reads score, moves and maximum from a game's text."""

from __future__ import annotations

import re
from dataclasses import dataclass

NUMBER = r"(-?\d+)"
SCORE_IN_STATUS = re.compile(rf"Score:\s*{NUMBER}", re.IGNORECASE)
MOVES_IN_STATUS = re.compile(r"(?:Moves|Turns):\s*(\d+)", re.IGNORECASE)
FRACTION_IN_STATUS = re.compile(r"((?:(?<![=~-])-)?\d+)/(\d+)\s*\Z")
"""Inform 7 writes score and turns so, some authors score and maximum."""
TIME_IN_STATUS = re.compile(r"Time:\s*\d+:\d\d", re.IGNORECASE)

SCORE_ANSWERS = (
    re.compile(rf"\bscored?\b[^\d\n-]{{0,40}}{NUMBER}", re.IGNORECASE),
    re.compile(rf"{NUMBER}\s+(?:points?\s+)?out of\b", re.IGNORECASE),
)
MAXIMUM_ANSWERS = (
    re.compile(r"\bout of\D{0,30}(\d+)", re.IGNORECASE),
    re.compile(r"\b(?:total|maximum|possible)\D{0,20}(\d+)", re.IGNORECASE),
)
MOVES_ANSWER = re.compile(r"\bin (\d+) (?:turn|move)s?\b", re.IGNORECASE)

ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
AMOUNT = r"(?P<amount>\d+|[a-z]+(?:[- ](?:and )?[a-z]+){0,4}?)"
ANNOUNCED = (
    re.compile(rf"\bscore has (?:just )?(?:gone|went) (?P<way>up|down) by {AMOUNT} points?\b", re.IGNORECASE),
    re.compile(
        rf"\byou(?:'ve| have)? (?:just )?(?P<way>gain|earn|score|lose|lost)(?:ed|d)? {AMOUNT} points?\b",
        re.IGNORECASE,
    ),
)


@dataclass(frozen=True, slots=True)
class Status:
    """The values in a status line or in an answer to `score`. None: it has no such value."""

    score: int | None = None
    moves: int | None = None
    max_score: int | None = None


@dataclass(frozen=True, slots=True)
class Fraction:
    """The meaning of the two numbers of a status line like `Attic 3/12`; determined at the opening."""

    counts_moves: bool
    """Whether the second number counts the turns; else it is the maximum of the score."""


def status_in(line: str, fraction: Fraction | None = None) -> Status:
    """Score and moves of a status line (of one that is up to date: versions 4 and on, at the text's end)."""
    if fraction and (found := FRACTION_IN_STATUS.search(line)):
        second = int(found[2])
        if fraction.counts_moves:
            return Status(score=int(found[1]), moves=second)
        return Status(score=int(found[1]), max_score=second)
    return Status(score=first_number((SCORE_IN_STATUS,), line), moves=first_number((MOVES_IN_STATUS,), line))


def fraction_of(opening: str, waited: str, score: int | None) -> Fraction | None:
    """What the numbers mean, from the status line at the opening and after a turn; None: not score and …

    `score`: what the game answers to `score`, which the first number must agree with where it is known.
    """
    one, other = (FRACTION_IN_STATUS.search(line) for line in (opening, waited))
    if not one or not other or one[1] != other[1] or (score is not None and int(one[1]) != score):
        return None
    return Fraction(counts_moves=one[2] != other[2])


def score_answer(text: str) -> Status:
    """What the answer to `score` says: "You have so far scored 10 out of a possible 50, in 3 turns"."""
    score = first_number(SCORE_ANSWERS, text)
    if score is None:
        return Status()
    return Status(score, first_number((MOVES_ANSWER,), text), first_number(MAXIMUM_ANSWERS, text))


def first_number(patterns: tuple[re.Pattern[str], ...], text: str) -> int | None:
    """The number that the first matching pattern finds; None: no pattern matches."""
    for pattern in patterns:
        if found := pattern.search(text):
            return int(found[1])
    return None


def announced(text: str) -> int:
    """The points that a text announces: "Your score has just gone up by five points"."""
    total = 0
    flat = " ".join(text.split())
    for pattern in ANNOUNCED:
        for found in pattern.finditer(flat):
            amount = number_of(found["amount"])
            total += -amount if found["way"].lower() in ("down", "lose", "lost") else amount
    return total


def number_of(written: str) -> int:
    """A number in digits or in English words below a thousand; 0: it is not a number."""
    if written.isdigit():
        return int(written)
    total = 0
    for word in written.lower().replace("-", " ").split():
        if word in ONES:
            total += ONES.index(word)
        elif word in TENS:
            total += 10 * TENS.index(word) + 20
        elif word == "hundred":
            total = max(total, 1) * 100
        elif word in ("a", "an"):
            total += 1
        elif word != "and":
            return 0
    return total
