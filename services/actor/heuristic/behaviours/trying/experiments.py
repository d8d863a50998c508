"""Where nothing better is known: verbs that players try, on everything that is here, the likeliest first."""

from __future__ import annotations

from collections.abc import Container, Iterator

from folds.vocabulary.actions import normal
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.situation import Situation


def _listed(words: str) -> tuple[str, ...]:
    return tuple(" ".join(word.split()) for word in words.split(","))


VERBS = _listed(
    """
    push, turn, pull, search, open, touch, move, look under, look behind, enter, turn on, knock on, read,
    climb, break, get on, unlock, attack, cut, dig, rub, shake, lift, press, listen to, smell, get in,
    sit on, squeeze, tie, burn, wave, eat, drink, jump over, follow, clean, close, blow, ring, play, fill,
    kick, empty, untie, stand on, hide behind, swing, wake, kiss, set, throw, taste
    """
)
"""For what is here."""
_WITH_WHAT_IS_HELD = _listed(
    """
    open, wear, turn on, rub, shake, wave, read, eat, drink, search, turn, push, squeeze, play, ring, blow,
    break, empty, throw, light, set, smell, touch, clean, cut, tie
    """
)
_WITH_A_TOOL = _listed(
    """
    open {0} with {1}, unlock {0} with {1}, attack {0} with {1}, cut {0} with {1}, touch {0} with {1},
    dig {0} with {1}, tie {0} to {1}, throw {1} at {0}, pry {0} with {1}, turn {0} with {1}
    """
)
_BEST, _PER_RANK, _LEAST = 6.0, 0.05, 2.0
_TOOL_RANK, _TOOL = 10, 0.7
"""Experiments with tools begin at this rank, and are worth so much less: there are many."""


def experiment(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """Each verb once with each thing; verbs that only get stock answers come last."""
    if not context.blind:
        return
    tried, anywhere = context.known.attempts.in_room(context.room), context.known.answers.tried
    here, held = context.scope, context.held_nouns
    for rank, verb in enumerate(VERBS):
        for noun in here:
            yield from _once(f"{verb} {noun}", tried, _utility(rank, verb, context))
    for rank, verb in enumerate(_WITH_WHAT_IS_HELD):
        for noun in held:
            yield from _once(f"{verb} {noun}", anywhere, _utility(rank, verb, context))
    for rank, form in enumerate(_WITH_A_TOOL, start=_TOOL_RANK):
        utility = _TOOL * _utility(rank, form, context)
        for noun in here:
            for tool in held:
                yield from _once(form.format(noun, tool), tried, utility)


def _once(action: str, tried: Container[str], utility: float) -> Iterator[Idea]:
    word = normal(action)
    if word not in tried:
        yield Idea(word, "an experiment", max(_LEAST, utility))


def _utility(rank: int, action: str, context: OptionContext) -> float:
    return (_BEST - _PER_RANK * rank) * context.known.answers.news_of(action.partition(" ")[0])
