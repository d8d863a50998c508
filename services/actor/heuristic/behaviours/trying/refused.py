"""What was refused for as long as something is so, or is missing, is done again when it may be otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from folds.text.phrases import is_fruitless
from folds.vocabulary.actions import normal
from folds.vocabulary.verbs import LOOKING, action_kind_of
from folds.vocabulary.words import content_words, head_of
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.option_context import OptionContext

_CONDITIONS = (
    re.compile(
        r"(?:n't|\b(?:not|cannot|never|unable|impossible))\b[^.!?]*"
        r"\b(?:until|unless|while|as long as|without)\b(?P<condition>[^.!?]*)",
        re.I,
    ),
    re.compile(
        r"\b(?:you|i)(?:'d|'ll)? (?:will |would |still |also |probably )*need (?!to\b)(?P<condition>[^.!?]*)",
        re.I,
    ),
    re.compile(r"\b(?:have|has|got|with|for lack of|for want of) no (?P<condition>[^.!?,;]*)", re.I),
)
"""For how long an action is refused: `not until it is raised`; `you need gloves to do it`."""
_STEM, _RETRIES = 4, 4
_NOW, _IN_HAND = 90.0, 64.0
_AT_HAND = "what it needs is at hand now"


def retry_refused(context: OptionContext) -> Iterator[Idea]:
    """Where an answer speaks of what was waited for: `until it is raised`, and then `the crank raises the
    rope`; and where what was missing has come to hand, with it."""
    if not context.blind:
        return
    known, text = context.known, context.step.observation
    last = normal(context.step.action or "")
    tells = known.rooms.stayed != 0 and not is_fruitless(text)
    told = _stems(text) - _awaited(text) if tells else frozenset[str]()
    for action, at in context.done_at.items():
        awaited = _awaited(known.history.answer_to(context.room, action))
        if not awaited or action in context.deadly or context.done[action] > _RETRIES:
            continue
        if action_kind_of(action) in LOOKING:  # a sign that says `DO NOT ... UNLESS ...` refuses nothing
            continue
        if action != last and not awaited.isdisjoint(told):
            yield Idea(action, "it was refused until this", _NOW, insists=True)
        if known.belongings.gained_at > at:
            yield from _with_what_it_needs(action, awaited, context)


def _with_what_it_needs(action: str, awaited: frozenset[str], context: OptionContext) -> Iterator[Idea]:
    for name in context.known.belongings.names:
        if not awaited.isdisjoint(_stems(name)):
            yield Idea(action, _AT_HAND, _IN_HAND, insists=True)
            with_it = normal(f"{action} with {head_of(name)}")
            if " with " not in action and with_it not in context.tried:
                yield Idea(with_it, _AT_HAND, _IN_HAND)


@lru_cache(maxsize=512)
def _awaited(answer: str) -> frozenset[str]:
    """The stems of the words that tell until when an action is refused, or what it needs."""
    said = answer.partition("\n\n")[0]
    found = (pattern.search(said) for pattern in _CONDITIONS)
    return frozenset[str]().union(*(_stems(each["condition"]) for each in found if each))


@lru_cache(maxsize=512)
def _stems(text: str) -> frozenset[str]:
    return frozenset(word[:_STEM] for word in content_words(text) if len(word) >= _STEM)
