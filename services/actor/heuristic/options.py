"""The options of a step: every behaviour's ideas, each with its utility."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple, ParamSpec

from folds.text.conditions import Condition
from folds.vocabulary.verbs import ActionKind
from schemas.base import ACTION_LENGTH
from schemas.game import StepTaken
from services.actor.heuristic.behaviours import LAST_RESORTS, ROOM_BEHAVIOURS, SESSION_BEHAVIOURS
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.behaviours.offered import IDLE
from services.actor.heuristic.caution import safety_of
from services.actor.heuristic.option_context import OptionContext, context_of, is_portable
from services.actor.heuristic.parsed_action import ParsedAction, parsed
from services.actor.heuristic.utility import utility_of
from services.actor.heuristic.weights import DEFAULT_WEIGHTS, Weights
from services.actor.knowledge.experience.experience import Experience
from services.actor.knowledge.situation import Situation

P = ParamSpec("P")
_TELLING = (ActionKind.EXAMINE, ActionKind.READ)
"""Kinds of actions that tell in each episode what they told in the one before."""
_BY_THE_THING = ("take", "drop", "put", "give", "wear", "unlock")
"""Verbs of which one vain try says nothing about the next: it is a matter of the thing."""
NO_HINTS: Mapping[str, str] = {}


class Option(NamedTuple):
    """An action with its utility and the reason for it."""

    utility: float
    action: str
    reason: str


def options(
    situation: Situation, weights: Weights = DEFAULT_WEIGHTS, hints: Mapping[str, str] = NO_HINTS
) -> list[Option]:
    """Everything that could be done here or begun from here, in a fixed order; what is of next to no use
    is left out."""
    without = situation.started.without_behaviours
    context = context_of(situation.step, situation.experience, weights, hints, situation.started.steps)
    of_session = _ideas(SESSION_BEHAVIOURS, without, situation, context)
    found = _weighed((*of_session, *_ideas(ROOM_BEHAVIOURS, without, context)), context, without)
    if all(option.utility < weights.least_without_resort for option in found):
        found += _weighed(_ideas(LAST_RESORTS, without, situation, context), context, without)
    return found


def best_remaining(step: StepTaken, known: Experience, without: Collection[str], steps: int) -> float:
    """The utility of the best option of a room that can be done nowhere else; 0: there is none.

    `steps`: of the session.
    """
    context = context_of(step, known, DEFAULT_WEIGHTS, NO_HINTS, steps)
    found = (
        option.utility
        for option in _weighed(_ideas(ROOM_BEHAVIOURS, without, context), context, without)
        if not _can_be_done_anywhere(option.action, known)
    )
    return max(found, default=0.0)


def _ideas(
    behaviours: Mapping[str, Callable[P, Iterable[Idea]]],
    without: Collection[str],
    *known: P.args,
    **others: P.kwargs,
) -> Iterator[Idea]:
    """The ideas of all behaviours that are not left out."""
    for name, behaviour in behaviours.items():
        if name not in without:
            yield from behaviour(*known, **others)


def _weighed(ideas: Iterable[Idea], context: OptionContext, without: Collection[str]) -> list[Option]:
    best: dict[str, Option] = {}
    tells_apart = context.blind and "tell_apart" not in without
    for idea in chain.from_iterable(_in_full(idea, context) for idea in ideas) if tells_apart else ideas:
        option = _option(idea, context)
        if option is not None and option.utility >= context.weights.actions.least:
            other = best.get(option.action)
            if other is None or option.utility > other.utility:
                best[option.action] = option
    return list(best.values())


def _in_full(idea: Idea, context: OptionContext) -> Iterator[Idea]:
    """An idea with each of the things that its noun names here, where the parser would ask which; once."""
    held = context.known.belongings.words
    for action in context.known.ambiguities.told_apart(idea.action, context.room, held):
        if action == idea.action:
            yield idea
        elif action not in context.tried:
            yield idea._replace(action=action)


def _can_be_done_anywhere(action: str, known: Experience) -> bool:
    return action in IDLE or is_portable(parsed(action), known)


def _option(idea: Idea, context: OptionContext) -> Option | None:
    """None: it kills here, failed in this very state, is too long to type, wants what is not in hand, names
    what is unknown here, or is not in the parser's words."""
    understood = context.known.refusals.in_its_words(idea.action) if context.blind else idea.action
    if understood != idea.action and understood in context.tried:
        return None
    action = parsed(understood)
    text = action.text
    if not 0 < len(text) <= ACTION_LENGTH or (text in context.deadly and not idea.dares):
        return None
    if context.blind and not idea.dares and context.known.belongings.lacks_tool(text):
        return None
    offered = text in context.offered
    if context.step.world and not offered and context.known.presence.missing(text, context.room):
        return None
    if idea.insists or (idea.utility is not None and action.is_way):
        safety = 1.0 if idea.dares else _safety(text, context)
        return Option((idea.utility or 0.0) * safety, text, idea.reason)
    if _is_excluded(action, context, offered=offered):
        return None
    if text in IDLE and idea.utility is None:
        return Option(_idle(context), text, "more may prove valid")
    if text in context.unclaimed and (offered or context.blind):
        again = context.weights.factors.again_changed ** context.done.get(text, 0)
        utility = again * (context.weights.actions.rewarded + context.unclaimed[text])
        return Option(utility, text, "it earned points in an episode before")
    if idea.utility is not None:
        reason = idea.reason or action.untried
        return Option(_hoped(idea.utility, action, context) * _safety(text, context), text, reason)
    by = context.hints.get(text)
    reason = f"{action.untried}, as {by} suggests" if by else action.untried
    return Option(_utility(action, context, offered=offered) * _safety(text, context), text, reason)


def _safety(text: str, context: OptionContext) -> float:
    return safety_of(text, context.room, context.known, context.weights.factors)


def _hoped(utility: float, action: ParsedAction, context: OptionContext) -> float:
    """Less of a behaviour's utility where the verb, or the thing, has got hardly anything but stock phrases:
    what brings nothing in this story makes room for the others, and is still thought of. What a text asks for
    is worth the same whatever else its verb has brought."""
    is_sure = utility >= context.weights.actions.sure or action.verb in _BY_THE_THING
    if not context.blind or not action.things or is_sure:
        return utility
    answers, factors = context.known.answers, context.weights.factors
    of_verb = max(factors.unanswered, math.sqrt(answers.news_of(action.verb)))
    of_thing = factors.mute if answers.is_mute(action.noun) else 1.0
    return max(min(utility, context.weights.actions.least), utility * of_verb * of_thing)


def _is_excluded(action: ParsedAction, context: OptionContext, *, offered: bool) -> bool:
    """Whether it walks, has failed as things are, or names what is unknown here or cannot be taken."""
    if action.is_way or context.is_known_way(action.text) or context.has_failed(action.text):
        return True
    if context.known.rewards.is_costly(action.text):
        return True
    if not offered and (_is_known_text(action, context) or _is_unknown_verb(action, context)):
        return True
    if action.text in context.known.history.effective_in(context.room):
        return False
    is_fixed = action.kind is ActionKind.TAKE and context.conditions.get(action.noun) is Condition.FIXED
    return not offered and (is_fixed or not context.refused.isdisjoint(action.named))


def _is_known_text(action: ParsedAction, context: OptionContext) -> bool:
    """Whether looking, which valid actions show to change nothing, told the same in an earlier episode, or
    in another room of a thing that is held."""
    if context.blind or action.kind not in _TELLING or action.text in context.done:
        return False
    known, text = context.known, action.text
    is_read = context.holds_all_of(action) and text in known.answers.tried
    return is_read or text in known.attempts.in_room(context.room)


def _is_unknown_verb(action: ParsedAction, context: OptionContext) -> bool:
    return bool(action.things) and context.known.refusals.is_unknown_verb_of(action.text)


def _utility(action: ParsedAction, context: OptionContext, *, offered: bool) -> float:
    """The utility of an action that has not failed in this state of the world."""
    text, factors = action.text, context.weights.factors
    utility = utility_of(action, context, offered=offered)
    if offered or text in context.hints:
        utility *= (factors.offered if offered else 1.0) * (factors.hinted if text in context.hints else 1.0)
    is_known = action.kind in _TELLING and text in context.known.attempts.in_room(context.room)
    if is_known or text in context.done_anywhere or text in context.ineffective:
        utility *= _novelty(action, context)
    return utility


def _idle(context: OptionContext) -> float:
    waited = sum(context.done.get(idle, 0) for idle in IDLE)
    weights = context.weights
    return weights.actions.idle * weights.factors.idle_again ** (waited + context.step.world_seen)


def _novelty(action: ParsedAction, context: OptionContext) -> float:
    """From 1 for what was never tried down to 0; what has changed in the room makes it newer again."""
    text, factors = action.text, context.weights.factors
    if context.may_work_now(action):
        return 1.0
    now = context.done.get(text, 0)
    elsewhere = context.done_anywhere.get(text, 0) - now
    before = max(0, context.ineffective.get(text, 0) - now)
    stale = now > 0 and context.is_stale(action)
    if now and not stale and action.kind is ActionKind.EXAMINE:
        return 0.0
    told = context.known.attempts.in_room(context.room).get(text, 0) if action.kind in _TELLING else 0
    if told and not now:
        return factors.known_text**told
    away = factors.elsewhere ** min(elsewhere, factors.elsewhere_at_most)
    if elsewhere and is_portable(action, context.known):
        away = factors.carried
    has_worked = not context.blind and text in context.known.history.effective_in(context.room)
    is_news = stale and not has_worked and not context.known.history.is_monotonous(context.room, text)
    again = factors.again_changed if is_news else factors.again
    if stale and action.kind is ActionKind.EXAMINE:
        again = factors.again_examined
    return float(again**now * factors.again_ineffective**before * away)
