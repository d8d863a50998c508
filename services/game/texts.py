"""What a game's own text tells of score, moves and end, for the stories that the emulator does not know."""

from __future__ import annotations

import re
from dataclasses import dataclass

NUMBER = r"(-?\d+)"
BLANKS = re.compile(r" {20,}")
PROMPT_AND_STATUS = re.compile(r"\n?>[ ]{20,}(?P<status>[^\n]*)\s*\Z")
"""Versions 4 and on: the emulator appends the prompt, blanks, and the status line."""
SCORE_IN_STATUS = re.compile(rf"Score:\s*{NUMBER}", re.IGNORECASE)
MOVES_IN_STATUS = re.compile(r"(?:Moves|Turns):\s*(\d+)", re.IGNORECASE)
TEXTWORLD_STATUS = re.compile(rf"-= .* =-\s*{NUMBER}/(\d+)\s*\Z")
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

ENDING = re.compile(r"\*\*\*\s*(?P<words>\S[^*\n]*?)\s*\*\*\*")
QUESTION = re.compile(r"\bRESTART\b.*\bRESTORE\b.*\bQUIT\b|\bRESTART\b.*\bQUIT\b", re.IGNORECASE | re.DOTALL)
VICTORY = re.compile(r"\byou(?:'ve| have)? w[oi]n\b|\bvictory\b|\bcongratulations\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Status:
    """What a status line or an answer to `score` says. None: nothing."""

    score: int | None = None
    moves: int | None = None
    max_score: int | None = None


def parted(text: str) -> tuple[str, str]:
    """A game's text without prompt and status line, and the status line."""
    text = text.rstrip("\n")
    status = ""
    if found := PROMPT_AND_STATUS.search(text):
        text, status = text[: found.start()], found["status"]
    first, newline, rest = text.lstrip("\n").partition("\n")
    if is_status_line(first):
        text, status = rest if newline else "", status or first
    return tidy(text), status


def is_status_line(line: str) -> bool:
    """Whether a text's first line is what the game draws above the text: name, blanks, score or time."""
    if not BLANKS.search(line):
        return False
    return line.startswith(">") or bool(SCORE_IN_STATUS.search(line) or TIME_IN_STATUS.search(line))


def tidy(text: str) -> str:
    """Without trailing blanks, and without prompts and empty lines around."""
    lines = [line.rstrip() for line in text.split("\n")]
    written = [at for at, line in enumerate(lines) if line not in ("", ">")]
    return "\n".join(lines[written[0] : written[-1] + 1]) if written else ""


def status_in(line: str) -> Status:
    """Score and moves of a status line (of one that is up to date: versions 4 and on, at the text's end)."""
    if found := TEXTWORLD_STATUS.search(line):
        return Status(score=int(found[1]), moves=int(found[2]))
    return Status(score=first_number((SCORE_IN_STATUS,), line), moves=first_number((MOVES_IN_STATUS,), line))


def score_answer(text: str) -> Status:
    """What the answer to `score` says: "You have so far scored 10 out of a possible 50, in 3 turns"."""
    score = first_number(SCORE_ANSWERS, text)
    if score is None:
        return Status()
    return Status(score, first_number((MOVES_ANSWER,), text), first_number(MAXIMUM_ANSWERS, text))


def first_number(patterns: tuple[re.Pattern[str], ...], text: str) -> int | None:
    """What the first pattern that fits caught."""
    for pattern in patterns:
        if found := pattern.search(text):
            return int(found[1])
    return None


def ended(text: str) -> bool:
    """Whether the game is over: `*** You have died ***`, and whether to restart, restore or quit."""
    ending = ENDING.search(text)
    return ending is not None and QUESTION.search(text, ending.end()) is not None


def won(text: str) -> bool:
    """Whether an ended game is won, as Inform's games say it: `*** You have won ***`."""
    ending = ENDING.search(text)
    return ended(text) and ending is not None and bool(VICTORY.search(ending["words"]))
