"""Where nothing better is known: verbs that players try, on everything that is here, the likeliest first."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from itertools import islice, permutations

from folds.vocabulary.actions import normal
from services.actor.heuristic.behaviours.idea import FIRST, Idea
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
_VERBS_HELD = _listed(
    """
    open, wear, remove, turn on, look in, turn off, rub, shake, wave, read, eat, drink, search, turn, push,
    squeeze, play, ring, blow, break, empty, throw, light, set, smell, touch, clean, cut, tie
    """
)
_WITH_A_TOOL = _listed(
    """
    open {0} with {1}, unlock {0} with {1}, attack {0} with {1}, cut {0} with {1}, touch {0} with {1},
    dig {0} with {1}, tie {0} to {1}, throw {1} at {0}, pry {0} with {1}, turn {0} with {1},
    put {1} in {0}, put {1} on {0}, give {1} to {0}, show {1} to {0}, tie {1} to {0}, break {0} with {1},
    fill {1} with {0}, burn {0} with {1}, push {0} with {1}, aim {1} at {0}, point {1} at {0}
    """
)
_PATIENCE, _EVERY, _EVERY_VALID = 24, 4, 2
"""Steps without anything new from which on every fourth step is an experiment, and where valid actions are
known every other one."""
_IN_TIME = 66.0
"""Of an experiment with what is held where time kills: before a way that nobody has walked."""
_BEST, _PER_RANK, _LEAST = 6.0, 0.05, 2.2
_LOSING = ("remove", "throw", "break", "cut", "burn", "tie")
"""What is not done for a trial with what is worn: it may be of use as it is."""
_AT_ONCE = 30
"""Experiments of each sort that are weighed at a step."""
_ON_ANOTHER = re.compile(r"(?P<verb>[a-z]+) (?P<tool>[a-z' -]+) (?P<link>at|to|with|through) [a-z' -]+")
_COVERED = frozenset(("give", "show", "ask", "tell", "put", "unlock"))
"""Verbs that other behaviours try on everything."""
_HERE = tuple(f"{verb} {{0}}" for verb in VERBS)
_HELD = tuple(f"{verb} {{0}}" for verb in _VERBS_HELD)
_WORKED, _MUTE = 6.5, 0.6
"""Of what worked on another thing, and the factor where a thing has only got stock answers so far."""
_TOOL_RANK, _TOOL = 10, 0.7
"""Experiments with tools begin at this rank, and are worth so much less: there are many."""


def experiment(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """Each verb once with each thing; verbs that only get stock answers come last."""
    is_mute = context.known.answers.is_mute
    mute = [noun for noun in context.scope if is_mute(noun)]
    here = [noun for noun in context.scope if noun not in mute]
    held = _worth_trying(context)
    tools = [(noun, tool) for noun in here for tool in held if noun != tool]
    yield from _best(_HERE, [(noun,) for noun in here], context.tried, context)
    yield from _with_what_is_held(context)
    yield from _best(_WITH_A_TOOL, tools, context.tried, context, _TOOL_RANK, _TOOL)
    yield from _best(_HERE, [(noun,) for noun in mute], context.tried, context, factor=_MUTE)
    yield from _on_others(context)


def _worth_trying(context: OptionContext) -> list[str]:
    """The nouns of what is held, without what has only got stock answers."""
    return [noun for noun in context.held_nouns if not context.known.answers.is_mute(noun)]


def _with_what_is_held(context: OptionContext) -> Iterator[Idea]:
    """What can be tried anywhere."""
    held = _worth_trying(context)
    pairs = list(permutations(held, 2)) if context.blind else []
    yield from _best(_HELD, [(noun,) for noun in held], context.tried_anywhere, context)
    yield from _best(_WITH_A_TOOL, pairs, context.tried_anywhere, context, _TOOL_RANK, _TOOL)


def beat_the_clock(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """Where the time that passes kills: what can be tried at once, wherever one is, before walks."""
    if not (context.blind and context.known.attempts.delayed_deaths.by_the_clock):
        return
    best = _likeliest(_with_what_is_held(context))
    if best is not None and (best.utility or 0.0) > _LEAST:
        yield Idea(best.action, "there is little time, and this can be tried at once", _IN_TIME)


def break_out(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """Long without anything new: the best experiment before anything that was done in vain again."""
    idle = situation.experience.idle_at(situation.step.step)
    every = _EVERY if context.blind else _EVERY_VALID
    if idle < _PATIENCE or (idle - _PATIENCE) % every or situation.best_route.is_under_way:
        return
    best = _likeliest(experiment(situation, context))
    if best is not None:
        yield Idea(best.action, f"nothing new for {idle} steps", FIRST, insists=True)


def _likeliest(experiments: Iterator[Idea]) -> Idea | None:
    return max(experiments, key=lambda idea: idea.utility or 0.0, default=None)


def _on_others(context: OptionContext) -> Iterator[Idea]:
    """What worked with something held on one thing, on the others: after `aim gun at wall`, at the window."""
    held = context.known.belongings.words
    for worked in sorted(context.known.history.effective_in(context.room)):
        found = _ON_ANOTHER.fullmatch(worked)
        if found is None or found["verb"] in _COVERED or held.isdisjoint(found["tool"].split()):
            continue
        for noun in (noun for noun in context.scope if noun not in held):
            action = normal(f"{found['verb']} {found['tool']} {found['link']} {noun}")
            if action not in context.tried:
                yield Idea(action, "it worked on another thing", _WORKED)


def _best(
    forms: Sequence[str],
    things: Sequence[tuple[str, ...]],
    tried: Container[str],
    context: OptionContext,
    first_rank: int = 0,
    factor: float = 1.0,
) -> Iterator[Idea]:
    """The experiments of most utility, at most a few: `forms` by rank, each with each of the `things`."""
    news = context.known.answers.news_of
    utilities = {
        form: factor * (_BEST - _PER_RANK * rank) * news(form.partition(" ")[0])
        for rank, form in enumerate(forms, start=first_rank)
    }
    ordered = sorted(forms, key=utilities.__getitem__, reverse=True)
    actions = ((normal(form.format(*thing)), utilities[form]) for form in ordered for thing in things)
    unknown = context.known.refusals.is_unknown_verb_of
    kept = {f"{verb} {noun}" for verb in _LOSING for noun in context.worn_nouns}
    untried = (
        (action, utility)
        for action, utility in actions
        if action not in tried and action not in kept and not unknown(action)
    )
    for action, utility in islice(untried, _AT_ONCE):
        yield Idea(action, "an experiment", max(_LEAST, utility))
