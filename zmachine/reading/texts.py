"""Splits a game's output into text and status line, and removes pauses that Lantern has passed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from zmachine.reading.scores import FRACTION_IN_STATUS, SCORE_IN_STATUS, TIME_IN_STATUS

BLANKS = re.compile(r" {20,}")
PROMPT_AND_STATUS = re.compile(r"(?:\n?>[ ]{20,}|[ ]{60,})(?P<status>\S[^\n]*)\s*\Z")
"""Versions 4 and on: the emulator appends the prompt (or a question), blanks, and the status line."""
PAUSE = re.compile(
    r"[\[(<]?\s*(?:more|(?:please |now )?(?:press|hit|type|strike) (?:the )?"
    r"(?:any key|a key|space|spacebar|space bar|enter|return|\[space\])(?: (?:to|for) [^\n]{1,24}?)?)"
    r"\s*[.!…]*\s*[\])>]?",
    re.IGNORECASE,
)
"""A line that asks for a key, which Lantern has pressed already."""
HEADING = 60
"""Characters of a room's name, at most."""
SENTENCE_END = re.compile(r"[a-z]{3}[.!?] +[A-Z]")
"""Within a line. Fewer letters are an abbreviation: `St. James Square`."""


@lru_cache(maxsize=4)
def split_status_line(text: str) -> tuple[str, str]:
    """A game's text without prompt and status line, and the status line; asked for twice in each step."""
    text = text.rstrip("\n")
    status = ""
    if found := PROMPT_AND_STATUS.search(text):
        text, status = text[: found.start()], found["status"]
    first, newline, rest = text.lstrip("\n").partition("\n")
    if is_status_line(first):
        text, status = rest if newline else "", status or first
    return tidy(text), status


def is_status_line(line: str) -> bool:
    """Whether a text's first line is the status line above the text: name, blanks, score or time."""
    if not BLANKS.search(line):
        return False
    return line.startswith(">") or bool(SCORE_IN_STATUS.search(line) or TIME_IN_STATUS.search(line))


def tidy(text: str) -> str:
    """The text without trailing blanks, surrounding prompts and empty lines, and pauses."""
    lines = [line.rstrip() for line in text.split("\n")]
    without_pauses = [line for line in lines if not PAUSE.fullmatch(line.strip())]
    lines = without_pauses if any(without_pauses) else lines
    written = [at for at, line in enumerate(lines) if line not in ("", ">")]
    return "\n".join(lines[written[0] : written[-1] + 1]) if written else ""


def heading_in(text: str) -> str:
    """The name of the room that a description begins with; empty: it begins with a sentence."""
    first = text.partition("\n")[0].strip()
    is_sentence = first.endswith(tuple(".!?:;,\"'")) or SENTENCE_END.search(first)
    return "" if is_sentence or len(first) > HEADING else first


def place_in_status(line: str) -> str:
    """The name of the room on the left of a status line; empty: there is none."""
    left = BLANKS.split(line.lstrip("> "))[0]
    left = re.split(r"(?:Score|Moves|Turns|Time)\s*:", left)[0]
    left = FRACTION_IN_STATUS.sub("", left).strip()
    return left if len(left) <= HEADING else ""


def with_numbers_apart(line: str, names: Iterable[str]) -> str:
    """A status line like `Cell 24/12` as `Cell 2 4/12`: the emulator leaves out what stands between.

    `names`: those that end in a digit, of any things of the story.
    """
    names = (name for name in names if line.startswith(name) and FRACTION_IN_STATUS.match(line, len(name)))
    name = max(names, key=len, default="")
    return f"{name} {line[len(name) :]}" if name else line
