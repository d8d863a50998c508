"""What a game asks."""

from __future__ import annotations

import re

_LENGTH = 600
_YES_NO = re.compile(
    r"\(y(es)?/n(o)?\)|\(y or n\)|\byes or no?\b|"
    r"\(y is affirmative\)|"
    r"\b(are you sure|really want to)\b[^.]*\?\s*>?\s*$|"
    r"(?:^|[.!?\"(\[\n])\s*(do|would|shall|will) you (still )?(want|wish|like|care|mean|continue)\b"
    r"[^.?!\n]*\?\W*$",
    re.I,
)

_FOR_A_WORD = re.compile(r"^\W*(?:what|whom?|where|which)\b[^?\n]*\?\s*>?\s*$", re.I)

_LAST = 200
"""Characters at the end of a text in which one is asked for a name and the like."""
_ASKING = ("?", ">", ":", ")", "]", ".")
"""How such a text ends."""
_ASKED = (
    (
        re.compile(
            r"(?:type|enter|what(?:'s| is)|tell (?:me|us)|give (?:me|us)) (?:in )?your (?:[a-z]+ )?names?\b",
            re.I,
        ),
        ("Alex",),
    ),
    (re.compile(r"\b(?:how old are you|(?:type|enter|what(?:'s| is)) your age)\b", re.I), ("30",)),
    (re.compile(r"\bmale or (?:a )?female\b|\(m/f\)|\bare you a (?:man|boy) or\b", re.I), ("male", "female")),
)
"""What a game may ask about the player at its beginning, with answers."""
_CHOICE = re.compile(
    r"(?P<words>\b(?!YES|NO\b|RESTART|RESTORE|QUIT|UNDO)[A-Z]{3,}(?:, [A-Z]{3,})*,? or [A-Z]{3,})\b"
    r"[^.!?\n]{0,40}[?>:)\]]\W*$"
)
"""Words between which one is to choose: `Do you want a SHORT or LONG game?`"""
_TO_BEGIN = re.compile(r"\b[Tt]ype (?P<word>[A-Z]{3,}) to (?:begin|start|continue|proceed|play)\b")


def end_of(text: str) -> str:
    """The end of a text, where a question counts."""
    return text[-_LENGTH:]


def asks_for_a_word(text: str) -> bool:
    """Whether a text is nothing but a question of the parser (`What do you want to dig?`), which may take
    the next action for its answer."""
    return bool(_FOR_A_WORD.search(text.strip()))


def asks_yes_or_no(text: str) -> bool:
    """Whether a text ends with a question that wants yes or no."""
    return bool(_YES_NO.search(end_of(text)))


def words_asked_for_in(text: str) -> tuple[str, ...]:
    """The answers to a question for a name, an age, or one of several words, at the end of a text."""
    end = text.rstrip()[-_LAST:]
    for pattern, answers in _ASKED if end.endswith(_ASKING) else ():
        if pattern.search(end):
            return answers
    if choice := _CHOICE.search(end):
        return tuple(word.lower() for word in re.findall(r"[A-Z]{3,}", choice["words"]))
    begins = _TO_BEGIN.search(end)
    return (begins["word"].lower(),) if begins else ()
