"""The utility of an action with these things, as if it had not been tried yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from folds.vocabulary.verbs import ActionKind
from folds.vocabulary.words import is_person
from services.actor.heuristic.option_context import FamilyFactors, OptionContext
from services.actor.heuristic.parsed_action import ParsedAction
from services.actor.knowledge.kinds import (
    FIXED,
    KEYS,
    LIGHTS,
    READABLE,
    SWALLOWING,
    TREASURES,
    WEAPONS,
    is_common,
)

_SELDOM_PAYING = frozenset(
    (
        ActionKind.PLACE,
        ActionKind.GIVE,
        ActionKind.CONSUME,
        ActionKind.ATTACK,
        ActionKind.HANDLE,
        ActionKind.OTHER,
        ActionKind.USE,
    )
)
_PORTABLE = (KEYS | LIGHTS | WEAPONS) - {"pass"}
"""What one takes wherever a text mentions it."""
_LEAST_RATE, _LEAST_RATE_KNOWN = 0.25, 0.05
"""How likely a noun of a text can at least be looked at: where the text alone tells what is here, and where
the game does."""
_LEAST_NEWS = 0.4
"""How likely looking at least tells more than a stock phrase does."""
_LEAST_TRUST_SEEN = 0.8
"""What is left at least of the worth of taking what is seen: that something else is fixed says little."""
_LEAST_TRUST_IN_SEARCHES = 0.2
"""The same of searches: they are seldom rewarded, and still come before experiments."""
_ALWAYS_UNDERSTOOD = (ActionKind.EXAMINE, ActionKind.TALK)


def utility_of(action: ParsedAction, context: OptionContext, *, offered: bool) -> float:
    """From 0 to 100; what the game does not offer as valid counts by how its verb has fared so far."""
    special = _SPECIAL.get(action.kind)
    utility = special(action, context) if special else None
    if utility is None:
        utility = context.weights.actions.kinds[action.kind]
    family = context.families.get(action.family) or _family_factors(action, context)
    utility = utility * family.patience * family.danger
    if offered or action.kind in _ALWAYS_UNDERSTOOD:
        return float(utility)
    if not context.blind:
        utility = _not_found_valid(utility, action, context)
    trust = max(family.trust, _least_trust(action, context))
    return utility * trust * (1.0 if action.is_fit else context.weights.factors.unfit)


def _least_trust(action: ParsedAction, context: OptionContext) -> float:
    if not context.blind:
        return 0.0
    if action.kind is ActionKind.TAKE and context.sees(action.noun):
        return _LEAST_TRUST_SEEN
    return _LEAST_TRUST_IN_SEARCHES if action.kind is ActionKind.SEARCH else 0.0


def _family_factors(action: ParsedAction, context: OptionContext) -> FamilyFactors:
    """The factors of an action's family, computed once for all candidates of a step."""
    known, factors = context.known, context.weights.factors
    record = known.rates.of_verb(action.verb)
    waits = action.kind in _SELDOM_PAYING and not record.points
    kills = action.kind is not ActionKind.MOVE and known.dangers.is_deadly(action.verb, record.tries)
    found = FamilyFactors(
        patience=factors.patience / (factors.patience + record.tries) if waits else 1.0,
        danger=factors.deadly_verb if kills else 1.0,
        trust=record.trust,
    )
    context.families[action.family] = found
    return found


def _not_found_valid(utility: float, action: ParsedAction, context: OptionContext) -> float:
    """The utility of what the search for valid actions has not found."""
    if action.kind is ActionKind.OPEN and not action.text.startswith("unlock"):
        return min(utility, context.weights.actions.open_closed)
    if action.kind is ActionKind.TAKE:
        return utility * context.known.rates.burdens.rate
    return utility


def _move(action: ParsedAction, context: OptionContext) -> float | None:
    is_scenery = action.noun in context.known.mentions.nouns_of(context.room)
    return context.weights.actions.enter_scenery if is_scenery and not context.has(action.noun) else None


def _take(action: ParsedAction, context: OptionContext) -> float | None:
    """What was laid down is taken back later; what lies in something held is taken out.

    Where the text alone tells what is here, most of what it mentions is scenery.
    """
    weights, belongings, noun = context.weights.actions, context.known.belongings, action.noun
    if context.takes_back(action) or noun in context.known.mentions.people:
        return 0.0
    if noun in belongings.vanished:
        return weights.take_vanished
    if context.known.instructions.asks_for(noun, context.room):
        return weights.pointless
    if noun in belongings.once_held and not _is_namesake(action, context):
        laid_down = noun in belongings.laid_down and belongings.burdened_at < 0
        return weights.take_back if laid_down else weights.take_again
    if noun in FIXED:
        return weights.take_fixed
    if not (context.step.world or context.has(noun) or noun in _PORTABLE) and noun != "all":
        return weights.take_scenery
    return weights.take_out if context.holds_all_of(action) else None


def _is_namesake(action: ParsedAction, context: OptionContext) -> bool:
    """Whether what is named in full is here, and not what was held of the same noun."""
    name = " ".join(action.rest)
    is_here = len(action.rest) > 1 and any(thing.name == name for thing in context.step.objects or ())
    return is_here and name not in context.known.belongings.names_once_held


def _drop(action: ParsedAction, context: OptionContext) -> float:
    """Only to make room, and then nothing that shines, opens, strikes, or earned points when it was taken."""
    burdened = context.known.belongings.burdened_at == context.step.step
    noun = action.noun
    precious = noun in context.known.rewards.treasures or noun in TREASURES
    valuable = precious or noun in WEAPONS or _is_tool((noun,))
    return context.weights.actions.unburden if burdened and not valuable else 0.0


def _is_tool(nouns: Iterable[str]) -> bool:
    return any(noun in LIGHTS or noun in KEYS for noun in nouns)


def _place(action: ParsedAction, context: OptionContext) -> float | None:
    """Where something put earned points the rest follows; where two things earned none, nothing more."""
    target, weights = context.known.rates.targets.get(action.target), context.weights
    if target is not None and target.points:
        return weights.actions.put_where_paid if target.points > 0 else 0.0
    wasted = (target is not None and target.tries >= weights.factors.wasted) or _is_tool(action.rest)
    pointless = wasted or action.noun in SWALLOWING or context.holds_all_of(action)
    return weights.actions.pointless if pointless else None


def _light(action: ParsedAction, context: OptionContext) -> float | None:
    """A lamp is lit when it is dark, not before."""
    return context.weights.actions.light_early if action.noun in LIGHTS else None


def _attack(action: ParsedAction, context: OptionContext) -> float | None:
    weights = context.weights.actions
    if context.known.dangers.attacked:
        return weights.fight_back
    is_aimless = action.verb == "throw" and len(action.things) == len(action.rest)
    if is_aimless or action.noun in SWALLOWING or context.holds_all_of(action):
        return weights.pointless
    person = any(context.known.mentions.is_person(word) for word in action.rest)
    return None if person or context.blind else weights.attack_thing


def _handle(action: ParsedAction, context: OptionContext) -> float | None:
    return context.weights.actions.handle_held if context.holds_all_of(action) else None


def _talk(action: ParsedAction, context: OptionContext) -> float:
    """People have more to say of what has a name of its own."""
    weights, known = context.weights.actions, context.known
    return (
        weights.ask_of_name if action.noun in known.mentions.names else weights.ask
    ) * known.rates.talk.rate


def _read(action: ParsedAction, context: OptionContext) -> float | None:
    return None if action.noun in READABLE else context.weights.actions.read_unreadable


def _examine(action: ParsedAction, context: OptionContext) -> float | None:
    """What the search for valid actions has looked at already is looked at for its text alone."""
    weights = context.weights.actions
    if context.step.objects is not None and not context.sees(action.noun):
        if is_common(action.noun) or is_person(action.noun):
            return weights.examine_common
        least = _LEAST_RATE if context.blind else _LEAST_RATE_KNOWN
        known, rates = context.known, context.known.rates
        news = max(_LEAST_NEWS, known.answers.news_of("examine"))
        is_described = known.mentions.is_described(action.noun, context.room)
        weight = weights.examine_described if is_described and context.blind else weights.examine_scenery
        return weight * max(least, (rates.described if is_described else rates.told).rate) * news
    return None if context.blind else weights.examine_searched


_SPECIAL: Mapping[ActionKind, Callable[[ParsedAction, OptionContext], float | None]] = {
    ActionKind.MOVE: _move,
    ActionKind.TAKE: _take,
    ActionKind.DROP: _drop,
    ActionKind.PLACE: _place,
    ActionKind.LIGHT: _light,
    ActionKind.ATTACK: _attack,
    ActionKind.HANDLE: _handle,
    ActionKind.USE: _handle,
    ActionKind.TALK: _talk,
    ActionKind.READ: _read,
    ActionKind.EXAMINE: _examine,
}
