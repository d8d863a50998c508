"""Questions in words: what is asked."""

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

KNOWN_QUESTIONS = (
    "where am I",
    "what do I have",
    "exits [of ROOM]",
    "unexplored exits [of ROOM]",
    "nearest unexplored exit",
    "where is THING",
    "what happened with THING",
    "what did CHARACTER say about TOPIC",
    "go to ROOM",
    "route from ROOM to ROOM",
    "what was tried here",
    "what was tried in ROOM",
)
"""Each may end with `at step N`."""

_ABOUT_ROOM = r"(?:\s+(?:(?:of|from|in|at)\s+)?(?P<about>.+))?"
_HERE = frozenset({"here", "this room", "the room", "room", "this place", "me"})
_STEP = re.compile(r"\s+(?:at|after|in|on|by)\s+step\s+(?P<step>\d{1,9})\s*$", re.I)

Made = Callable[..., Question]


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.I | re.S)


_INVENTORY = r"what (?:do|did) i have|what (?:am|was) i (?:holding|carrying)|what is in inventory|inventory"
_NEAREST = r"(?:what |which |where )?(?:is |are )?(?:the )?nearest (?:unexplored|untried)(?: exits?| ways?)?"
_EXITS = r"(?:what |which )?(?:are |the |were )*(?P<untried>unexplored |untried )?(?:exits|ways)(?: out)?"

_QUESTIONS: tuple[tuple[re.Pattern[str], Made], ...] = (
    (_pattern(r"where (?:am|was) i(?: now)?"), lambda **of: AskWhereAmI(**of)),
    (_pattern(_INVENTORY), lambda **of: AskInventory(**of)),
    (_pattern(_NEAREST), lambda **of: AskNearestUnexplored(**of)),
    (
        _pattern(_EXITS + _ABOUT_ROOM),
        lambda about, untried, **of: AskExits(room=about, only_unexplored=untried is not None, **of),
    ),
    (
        _pattern(rf"(?:what )?(?:was |have i |did i )?(?:tried|try){_ABOUT_ROOM}"),
        lambda about, **of: AskTried(room=about, **of),
    ),
    (
        _pattern(r"what did (?P<about>.+?) say(?: about (?P<topic>.+))?"),
        lambda about, topic, **of: AskWhatHappened(about=about or "", topic=topic or "", **of),
    ),
    (
        _pattern(r"what (?:has )?happened (?:with|to|in|at) (?P<about>.+)"),
        lambda about, **of: AskWhatHappened(about=about or "", **of),
    ),
    (
        _pattern(r"(?:the )?(?:route|way|path) from (?P<start>.+?) to (?P<about>.+)"),
        lambda about, start, **of: AskRoute(goal=about, start=start, **of),
    ),
    (
        _pattern(r"(?:go|route|way|path|how (?:do|can) i (?:get|go)) to (?P<about>.+)"),
        lambda about, **of: AskRoute(goal=about, **of),
    ),
    (
        _pattern(r"(?:where (?:is|are|was|were)|find) (?P<about>.+)"),
        lambda about, **of: AskWhereIs(thing=about or "", **of),
    ),
)


def understood(asked: AskMemory) -> Question | None:
    """The typed question that words ask; None: it is none of `KNOWN_QUESTIONS`."""
    words, at = asked.question.strip().rstrip("?!. ").strip(), asked.at
    step = _STEP.search(words)
    if step:
        words, at = words[: step.start()].strip(), int(step["step"])
    for pattern, question in _QUESTIONS:
        match = pattern.fullmatch(words)
        if match:
            about: dict[str, Any] = {name: _named(text) for name, text in match.groupdict().items()}
            return question(session=asked.session, at=at, **about)
    return None


def _named(text: str | None) -> str | None:
    """What is asked about; None: here."""
    name = None if text is None else text.strip()
    return None if name is None or name.casefold() in _HERE else name
