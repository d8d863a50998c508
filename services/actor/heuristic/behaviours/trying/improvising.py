"""Where even experiments are at an end: what has had an effect, in another order, or what was done least."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import nlargest

from folds.text.phrases import is_fruitless
from folds.vocabulary.actions import normal
from folds.vocabulary.verbs import ActionKind, action_kind_of
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.behaviours.offered import IDLE
from services.actor.heuristic.behaviours.trying.experiments import VERBS
from services.actor.heuristic.behaviours.trying.words import LONE
from services.actor.heuristic.option_context import OptionContext
from services.actor.heuristic.parsed_action import parsed
from services.actor.knowledge.situation import Situation

_THINGS, _VERBS, _LONE = 24, 30, 6
_LEAST, _MORE, _AGAIN = 2.01, 0.15, 0.7
_VALID = 5.0
"""A valid action that was never done in this room, of whatever kind."""
_WORKS, _DULL = 3.0, 0.8
"""What has had an effect here: chance makes sequences of it. The factor for each time."""
_AT_ONCE = 30
"""Verbs with things that are weighed at a step, by text alone."""
_STALE = 12
"""Steps without anything untried, after which that comes before what has had an effect."""
_REARRANGING = (ActionKind.DROP, ActionKind.UNDO, ActionKind.PLACE, ActionKind.WAIT)


def improvise(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """Valid actions and ways, or verbs with what is here or held: the world may have changed unseen."""
    for action in _working(context) if context.blind else ():
        utility = max(_LEAST, _WORKS * _DULL ** context.done.get(action, 0))
        yield Idea(action, "it had an effect, and may have another by now", utility, insists=True)
    done = context.known.attempts.in_room(context.room)
    unknown = context.known.refusals.is_unknown_verb_of
    for action in _never_done(context):
        yield Idea(action, "it is valid, and was never done here", _VALID)
    is_stale = context.step.step - context.known.tried_at >= _STALE
    utilities: dict[str, float] = {}
    for action in _by_verbs(context, wide=is_stale) if context.blind else _possible(context):
        if action in utilities or (" " in action and unknown(action)):
            continue
        news = context.known.answers.news_of(action.partition(" ")[0]) if context.blind else 1.0
        utility = _LEAST + _MORE * news * _AGAIN ** done.get(action, 0)
        utilities[action] = utility + (_WORKS if is_stale and action not in done else 0.0)
    for action in nlargest(_AT_ONCE, utilities, key=utilities.__getitem__) if context.blind else utilities:
        yield Idea(action, "nothing is untried: what was done least", utilities[action], insists=True)


def _never_done(context: OptionContext) -> Iterator[str]:
    """Valid actions that were never done in this room; what merely rearranges things, never anywhere."""
    here, anywhere = context.known.attempts.in_room(context.room), context.known.answers.tried
    for action in sorted(context.offered):
        kind = action_kind_of(action)
        if kind is ActionKind.WAIT or context.takes_back(parsed(action)):
            continue
        if action not in (anywhere if kind in _REARRANGING else here):
            yield action


def _working(context: OptionContext) -> list[str]:
    """What has had an effect here, ways included."""
    found = context.known.history.effective_in(context.room)
    in_vain = normal(context.step.action or "") if is_fruitless(context.step.observation) else ""
    return sorted(
        action for action in found if action != in_vain and action_kind_of(action) is not ActionKind.WAIT
    )


def _by_verbs(context: OptionContext, *, wide: bool) -> Iterator[str]:
    """Verbs alone, and verbs with each thing; `wide`: seldom ones, and what a text only mentions, too."""
    things = (*context.scope, *context.held_nouns, *(context.mentioned if wide else ()))
    verbs = ("take", *(VERBS if wide else VERBS[:_VERBS]))
    yield from LONE if wide else LONE[:_LONE]
    yield from (normal(f"{verb} {noun}") for verb in verbs for noun in dict.fromkeys(things[:_THINGS]))


def _possible(context: OptionContext) -> Iterator[str]:
    """Valid actions that have not failed as things are; to idle, while the search for more goes on."""
    useful = (action for action in context.offered if action_kind_of(action) not in _REARRANGING)
    yield from (action for action in sorted(useful) if action not in context.attempts)
    if not context.complete:
        yield from IDLE
