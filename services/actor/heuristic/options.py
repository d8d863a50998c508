"""The options of a step: every candidate action and every way out of the room, each with its utility."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from folds.vocabulary.verbs import ActionKind
from schemas.game import StepTaken
from services.actor.heuristic.candidates import IDLE, candidates
from services.actor.heuristic.option_context import OptionContext, context_of, is_portable
from services.actor.heuristic.parsed_action import ParsedAction, parsed
from services.actor.heuristic.utility import utility_of
from services.actor.heuristic.ways import way_options
from services.actor.heuristic.weights import DEFAULT_WEIGHTS, Weights
from services.actor.knowledge.experience.experience import Experience

NO_HINTS: Mapping[str, str] = {}


class Option(NamedTuple):
    """An action with its utility and the reason for it."""

    utility: float
    action: str
    reason: str


def options(
    step: StepTaken,
    known: Experience,
    weights: Weights = DEFAULT_WEIGHTS,
    hints: Mapping[str, str] = NO_HINTS,
) -> list[Option]:
    """Every candidate here with its utility, in a fixed order; what is of next to no use is left out."""
    context = context_of(step, known, weights, hints)
    found = [_option(parsed(action), context) for action in candidates(context)]
    ways = [Option(*way) for way in way_options(context)]
    return [
        option for option in (*found, *ways) if option is not None and option.utility >= weights.actions.least
    ]


def best_remaining(step: StepTaken, known: Experience) -> float:
    """The utility of the best option of a room that can be done nowhere else; 0: there is none."""
    found = (o.utility for o in options(step, known) if not _can_be_done_anywhere(o.action, known))
    return max(found, default=0.0)


def _can_be_done_anywhere(action: str, known: Experience) -> bool:
    return action in IDLE or is_portable(parsed(action), known)


def _option(action: ParsedAction, context: OptionContext) -> Option | None:
    """None: it walks, kills here, failed in exactly this state, or names what the game does not know here."""
    text = action.text
    offered = text in context.offered
    if action.is_way or text in context.deadly or not (offered or context.refused.isdisjoint(action.named)):
        return None
    attempt = context.attempts.get(text)
    if attempt is not None and not attempt.reward:
        return None
    if text in IDLE:
        return Option(_idle(context), text, "more may prove valid")
    if text in context.unclaimed and (offered or context.blind):
        utility = context.weights.actions.rewarded + context.unclaimed[text]
        return Option(utility, text, "it earned points in an episode before")
    by = context.hints.get(text)
    reason = f"{action.untried}, as {by} suggests" if by else action.untried
    return Option(_utility(action, context, offered=offered), text, reason)


def _utility(action: ParsedAction, context: OptionContext, *, offered: bool) -> float:
    """The utility of an action that has not failed in this state of the world."""
    text, factors = action.text, context.weights.factors
    utility = utility_of(action, context, offered=offered)
    if offered or text in context.hints:
        utility *= (factors.offered if offered else 1.0) * (factors.hinted if text in context.hints else 1.0)
    if text in context.done_anywhere or text in context.ineffective:
        utility *= _novelty(action, context)
    return utility


def _idle(context: OptionContext) -> float:
    waited = sum(context.done.get(idle, 0) for idle in IDLE)
    weights = context.weights
    return weights.actions.idle * weights.factors.idle_again ** (waited + context.step.world_seen)


def _novelty(action: ParsedAction, context: OptionContext) -> float:
    """From 1 for what was never tried down to 0; what has changed in the room makes it newer again."""
    text, factors = action.text, context.weights.factors
    now = context.done.get(text, 0)
    elsewhere = context.done_anywhere.get(text, 0) - now
    before = max(0, context.ineffective.get(text, 0) - now)
    changed_at = context.known.history.changed_at.get(context.room, 0)
    stale = now > 0 and context.done_at[text] < changed_at
    if now and not stale and action.kind is ActionKind.EXAMINE:
        return 0.0
    away = factors.elsewhere ** min(elsewhere, factors.elsewhere_at_most)
    if elsewhere and is_portable(action, context.known):
        away = factors.carried
    again = factors.again_changed if stale else factors.again
    return float(again**now * factors.again_ineffective**before * away)
