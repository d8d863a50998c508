"""Tools are used on what they are made for: a spade on sand, a rope on a hook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from folds.text.conditions import Condition
from folds.text.phrases import is_refused
from folds.vocabulary.actions import normal
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.option_context import OptionContext
from services.actor.heuristic.tool_uses import ROPES, USES, ToolPurpose, tools_among
from services.actor.knowledge.experience.experience import Experience

_UTILITY, _BY_ROPE = 52.0, 72.0
_LOSING = ("cut", "burn", "break", "give", "throw", "dig")
"""What is not done to a thing that is held."""
_RETRIES = 2
"""Of what names no tool, when one has come to hand since."""


def use_tools(context: OptionContext) -> Iterator[Idea]:
    """Where valid actions are not known: each tool once on each thing of a kind that it is made for.

    A game that does not understand `cut tree with axe` may understand `cut tree` of one who holds an axe.
    """
    if not context.blind:
        return
    yield from _by_rope(context)
    here, held = context.here_or_mentioned, context.held_nouns
    is_unknown = context.known.refusals.is_unknown_verb_of
    for use in USES:
        tools = tools_among(context.known.belongings.names, use.tools)
        at_hand = here if use.form.startswith(_LOSING) else dict.fromkeys((*here, *held))
        targets = _targets_among(at_hand, use, context.known) if tools else ()
        pairs = [(target, tool) for target in targets for tool in tools if target != tool]
        for target, tool in pairs:
            action = normal(use.form.format(target, tool))
            known = action.partition(" with ")[0] if is_unknown(action) else action
            if use.form.startswith("open") and not _resists(target, context):
                continue
            is_held = target in context.known.belongings.words
            tried = context.tried_anywhere if is_held else context.tried
            has_come = target in held and _was_missing(target, tool, known, context)
            if known not in tried or has_come:
                yield Idea(known, "a tool for such a thing", _UTILITY, insists=has_come)
            elif known != action and _came_later(tool, known, context):
                yield Idea(known, "the tool for it has come to hand since", _UTILITY, insists=True)


def _was_missing(target: str, tool: str, action: str, context: OptionContext) -> bool:
    """Whether an action was last refused because a thing was not here, and both are in hand since."""
    taken_at, attempts = context.known.belongings.taken_at, context.known.attempts.by_room.values()
    tries = (each for room in attempts for each in room if each.action == action)
    last = max(tries, key=lambda each: each.step, default=None)
    since = max(taken_at.get(target, 0), taken_at.get(tool, 0))
    return last is not None and last.step < since and is_refused(last.result)


def _resists(target: str, context: OptionContext) -> bool:
    """Whether a thing did not open by hand: nothing is prised open that nobody has tried to open."""
    tried = context.last_done_at("open", target) >= 0
    return tried and context.conditions.get(target) is not Condition.OPEN


def _by_rope(context: OptionContext) -> Iterator[Idea]:
    """Down, or up, where a rope was tied to something just now."""
    effective = context.known.history.effective_in(context.room)
    tied = [each for each in effective if each.startswith("tie ") and each.rpartition(" ")[2] not in ROPES]
    tied_at = max((context.done_at.get(action, -1) for action in tied), default=-1)
    for way in ("down", "up") if tied_at >= 0 else ():
        if context.done_at.get(way, -1) < tied_at and way not in context.deadly:
            yield Idea(way, "a rope is tied here", _BY_ROPE, insists=True)


def _targets_among(nouns: Iterable[str], use: ToolPurpose, known: Experience) -> tuple[str, ...]:
    """The nouns of the things on which a tool is used so; nothing is given to what is lifeless."""
    lifeless = known.mentions.lifeless if use.form.startswith("give") else frozenset[str]()
    return tuple(noun for noun in nouns if noun in use.targets and noun not in lifeless)


def fits_in(room: str, known: Experience) -> bool:
    """Whether something held is a tool for what a text of another room mentions, and was not used there.

    It is not worth a walk to try a lever on whatever can be opened.
    """
    tried, mentions = known.attempts.in_room(room), known.mentions
    absent = known.refusals.words_in(room) | mentions.synonyms_in(room)
    nouns = frozenset(mentions.nouns_of(room)) - absent
    return any(
        normal(use.form.format(target, tool)) not in tried
        for use in USES
        if not (use.form.startswith("open") or use.targets.isdisjoint(nouns))
        for target in _targets_among(nouns, use, known)
        for tool in tools_among(known.belongings.names, use.tools)
    )


def _came_later(tool: str, action: str, context: OptionContext) -> bool:
    """Whether a tool that the action does not name came to hand after it was done here in vain."""
    taken_at, times = context.known.belongings.taken_at.get(tool, -1), context.done.get(action, 0)
    return context.done_at.get(action, taken_at) < taken_at and times <= _RETRIES
