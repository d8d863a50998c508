"""What the game asks is answered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from services.actor.heuristic.behaviours.idea import FIRST, Idea
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.situation import Situation

_WHICH = re.compile(r"which (?:one )?(?:do|did) you mean,? (?:the |your )?(.+?)\?", re.I | re.S)
_EITHER = re.compile(r"\bmean\b[^?:,]*[,:] (?:the |your )?([^?]+? or [^?]+)\?\s*>?\s*$", re.I | re.S)
_BETWEEN = re.compile(r",? or |, ")
_ARTICLE = re.compile(r"^(?:the|your|an?) ")
_YES_NO = re.compile(
    r"\(y(es)?/n(o)?\)|\(y or n\)|\byes or no?\b|"
    r"\b(are you sure|really want to)\b[^.]*\?\s*>?\s*$",
    re.I,
)
_GIVES_UP = re.compile(
    r"\b(?:leave|quit|give up|abandon|end the (?:game|story)|stop playing|restart)\b[^?]*\?", re.I
)
_MENU = re.compile(r"^\W*(\d)\W+\w", re.M)
_NUMBER = re.compile(
    r"(type|enter|press|choose|select|pick) (the |a |your )?(number|choice|option)|select a choice", re.I
)
_END, _TIMES = 600, 3


def answer(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """One of the things that are meant; yes, and the next time no; a number of a menu."""
    text = situation.step.observation[-_END:]
    which = _WHICH.search(text) or _EITHER.search(text)
    if which:
        meant = [_ARTICLE.sub("", each.strip().lower()) for each in _BETWEEN.split(which[1])]
        yield from _least_given([each for each in meant if each], context, "the parser asks which")
    elif _YES_NO.search(text):
        answers = ("no", "yes") if _GIVES_UP.search(text) else ("yes", "no")
        yield from _least_given(answers, context, "the game asks yes or no")
    elif _NUMBER.search(text):
        yield from _least_given(_MENU.findall(text) or "123", context, "the game asks for a number")


def _least_given(answers: Sequence[str], context: OptionContext, reason: str) -> Iterator[Idea]:
    """The answer that was given least often here; none after each was given a few times."""
    best = min(answers, key=lambda each: context.done.get(each, 0) + context.ineffective.get(each, 0))
    if context.done.get(best, 0) < _TIMES:
        yield Idea(best, reason, FIRST, insists=True)
