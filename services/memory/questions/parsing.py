"""Parses questions in words into typed questions."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from schemas.memory import (
    AskExits,
    AskInventory,
    AskMemory,
    AskNearestUnexplored,
    AskRoute,
    AskTried,
    AskWhatHappened,
    AskWhereAmI,
    AskWhereIs,
)

Question = (
    AskWhereAmI
    | AskInventory
    | AskExits
    | AskNearestUnexplored
    | AskWhereIs
    | AskWhatHappened
    | AskRoute
    | AskTried
)

HERE = "here"
"""The room where the player is, as a name."""
_STEP_DIGITS = 18
"""Digits of a step's number beyond these are ignored."""

_PREFACE = re.compile(r"(?:(?:please|tell me|show me|list)\s+)+", re.I)
_STEP = re.compile(r"\s+(?:at|after|in|on|by)\s+step\s+(?P<step>\d+)$", re.I)
_CONTRACTIONS = (
    (re.compile(r"^(where|what|how|who)['’]s\b", re.I), r"\1 is"),
    (re.compile(r"^(where|what|how|who)['’]re\b", re.I), r"\1 are"),
    (re.compile(r"\bI['’]m\b", re.I), "I am"),
    (re.compile(r"\bI['’]ve\b", re.I), "I have"),
)
_HERE = frozenset({"here", "this room", "the room", "room", "this place", "me"})
_QUOTES = "\"'“”‘’«»`"

_AT_ROOM = r"(?:\s+(?:of|from|in|at))?(?:\s+(?P<about>.+))?"
_INVENTORY = (
    r"what (?:do|did) i (?:have|hold|carry)|what (?:am|was) i (?:holding|carrying)|"
    r"what (?:have|had) i(?: got)?|(?:what is in )?(?:my |the )?inventory"
)
_UNTRIED = r"(?:unexplored|untried|unknown)"
_NEAREST = (
    r"(?:(?:what|which|where|go to|(?:the )?(?:way|route) to) )?(?:is |are )?(?:the )?(?:nearest|closest) "
    rf"{_UNTRIED}(?: exits?| ways?| directions?)?(?: anywhere)?"
)
_EXITS = (
    r"(?:what |which )?(?:are |is |the )*(?P<untried>{} )?(?:exits?|ways?|directions)(?: out)?(?: are there)?"
)
_WAY = (
    r"(?:(?:the )?(?:shortest )?(?:route|way|path|directions)|(?:go|get|walk|return|take me)(?: back)?|"
    r"how (?:(?:do|can|could|would) i|to) (?:get|go|walk)(?: back)?)"
)
_SEEN = r"where (?:did|have|had) i (?:last )?(?:leave|left|put|drop|dropped|see|seen|find|found)(?: last)?"

QuestionFactory = Callable[..., Question]


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.I | re.S)


def _exits_of(about: str | None, untried: str | None = None, **common: Any) -> Question:
    return AskExits(room=about, only_unexplored=untried is not None, **common)


def _untried_of(about: str | None, **common: Any) -> Question:
    return AskExits(room=about, only_unexplored=True, **common)


def _tried_in(about: str | None, **common: Any) -> Question:
    return AskTried(room=about, **common)


def _happened_with(about: str | None, **common: Any) -> Question:
    return AskWhatHappened(about=about or HERE, **common)


def _route_to(about: str | None, start: str | None = None, **common: Any) -> Question:
    return AskRoute(goal=about, start=start, **common)


_QUESTIONS: tuple[tuple[re.Pattern[str], QuestionFactory], ...] = (
    (_pattern(r"where (?:am|was) i(?: now)?"), AskWhereAmI),
    (_pattern(_INVENTORY), AskInventory),
    (_pattern(_NEAREST), AskNearestUnexplored),
    (_pattern(rf"which {_UNTRIED} (?:exit|way) is (?:the )?(?:nearest|closest)"), AskNearestUnexplored),
    (_pattern(rf"{_WAY} from (?P<start>.+?) to (?P<about>.+)"), _route_to),
    (_pattern(rf"{_WAY} to (?P<about>.+?) from (?P<start>.+)"), _route_to),
    (_pattern(rf"(?:{_WAY} to|(?:which|what) way (?:is|to)) (?P<about>.+)"), _route_to),
    (
        _pattern(rf"(?:what|which)(?: exits?| ways?| directions?)? (?:is|are|were) {_UNTRIED}{_AT_ROOM}"),
        _untried_of,
    ),
    (
        _pattern(rf"(?:what|where|which ways?) have i not (?:tried|explored|been|gone)(?: yet)?{_AT_ROOM}"),
        _untried_of,
    ),
    (_pattern(_EXITS.format(_UNTRIED) + _AT_ROOM), _exits_of),
    (_pattern(rf"where (?:can|could) i go{_AT_ROOM}"), _exits_of),
    (_pattern(rf"(?:what )?(?:(?:was|were|has been|have i|did i) )?(?:tried|try){_AT_ROOM}"), _tried_in),
    (_pattern(rf"what (?:did i do|have i done|was done|has been done){_AT_ROOM}"), _tried_in),
    (
        _pattern(r"what (?:did|has) (?P<about>.+?) (?:say|said)(?: about (?P<topic>.+))?"),
        lambda about, topic, **common: AskWhatHappened(about=about or HERE, topic=topic or "", **common),
    ),
    (_pattern(r"what (?:has |have )?happened(?: (?:with|to|in|at))?(?: (?P<about>.+))?"), _happened_with),
    (
        _pattern(
            rf"(?:where (?:is|are|was|were)|find|locate|where can i find|{_SEEN}|(?:have i|did i) seen?|"
            r"(?:do|did) i have) (?P<about>.+)"
        ),
        lambda about, **common: AskWhereIs(thing=about or "", **common),
    ),
)


def parse_question(asked: AskMemory) -> Question | None:
    """The typed question; None: the words are none that it knows."""
    words, at = asked_words(asked)
    for pattern, question in _QUESTIONS:
        match = pattern.fullmatch(words)
        if match:
            about: dict[str, Any] = {name: name_in(text) for name, text in match.groupdict().items()}
            return question(session=asked.session, at=at, **about)
    return None


def asked_words(asked: AskMemory) -> tuple[str, int | None]:
    """The question without its step, and the step after which it is asked."""
    words, at = _normalized(asked.question), asked.at
    if step := _STEP.search(words):
        words, at = words[: step.start()].strip(), int(step["step"][:_STEP_DIGITS])
    return words, at


def name_in(text: str | None) -> str | None:
    """The name that the question is about; None: here."""
    name = None if text is None else text.strip().strip(_QUOTES).strip()
    return None if not name or name.casefold() in _HERE else name


def _normalized(question: str) -> str:
    """The question without a preface (`please tell me`) and without contractions."""
    words = " ".join(question.split()).rstrip("?!. ")
    words = words[preface.end() :] if (preface := _PREFACE.match(words)) else words
    for contraction, expanded in _CONTRACTIONS:
        words = contraction.sub(expanded, words)
    return words
