"""What a refusal asks for is done."""

from __future__ import annotations

import re
from collections.abc import Iterator

from folds.text.phrases import is_fruitless
from folds.vocabulary.actions import normal
from folds.vocabulary.verbs import ActionKind, action_kind_of
from folds.vocabulary.words import head_of, words_of
from services.actor.heuristic.behaviours.idea import URGENT, Idea
from services.actor.heuristic.behaviours.people.talking import people_here
from services.actor.heuristic.behaviours.session.demands import demands_of
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.ambiguities import things_meant_in
from services.actor.knowledge.experience.success import thing_of
from services.actor.knowledge.situation import Situation
from services.actor.knowledge.texts import UNDERSTOOD_AS_FAR

_FOR_ME = re.compile(r"(?P<verb>give|show|bring) me (?:your )?(?P<thing>.+)")
_LONGEST = 400
"""Characters of a refusal; a longer text tells a story."""
_UTILITY, _LESS, _MOST = 92.0, 70.0, 8


def obey(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """Open, take, stand up, or whatever the last answer says must come first."""
    step = situation.step
    if step.action is None or situation.came_from is not None or len(step.observation) >= _LONGEST:
        return
    yield from _resumed(situation, context)
    for demand in demands_of(step.action, step.observation):
        action = _of_somebody(normal(demand), context)
        if _is_out_of_reach(action, normal(step.action), context):
            continue
        if action and action != normal(step.action) and not _is_in_vain(action, context):
            yield Idea(action, "the last answer asks for it", _UTILITY)
    understood = _understood(normal(step.action), step.observation)
    if understood and not _is_in_vain(understood, context):
        yield Idea(understood, "the game understands as much of it", _LESS)


def _of_somebody(demand: str, context: OptionContext) -> str:
    """What somebody here demands: `give me card` is `give card to clerk`."""
    wanted, person = _FOR_ME.fullmatch(demand), next(iter(people_here(context)), "")
    if not wanted or not person:
        return demand
    verb = "show" if wanted["verb"] == "show" else "give"
    return f"{verb} {wanted['thing']} to {person}"


def _resumed(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """What was refused is done again, once what had to come first is done, and told apart if need be."""
    earlier = list(situation.recent)[:-1]
    done = situation.step.action
    if earlier and things_meant_in(earlier[-1].observation):
        done = earlier.pop().action
    if not earlier or is_fruitless(situation.step.observation):
        return
    refused, done = earlier[-1], normal(done or "")
    action = normal(refused.action or "")
    wanted = map(normal, demands_of(action, refused.observation))
    if action and done in wanted and context.done.get(action, 0) < _MOST:
        utility = URGENT if done == "drop all" else _UTILITY + 1
        yield Idea(action, "what had to come first is done", utility, insists=True)


def _is_out_of_reach(action: str, refused: str, context: OptionContext) -> bool:
    """Whether an action takes what nothing names here: `You do not have any key` tells of none to take."""
    if not context.blind or action_kind_of(action) is not ActionKind.TAKE:
        return False
    noun, mentioned = head_of(thing_of(action)), context.known.mentions.nouns_of(context.room)
    return not context.sees(noun) and noun not in mentioned and noun not in words_of(refused)


def _is_in_vain(action: str, context: OptionContext) -> bool:
    if context.blind:
        return context.has_failed(action) or context.done.get(action, 0) >= _MOST
    return action in context.attempts


def _understood(action: str, answer: str) -> str | None:
    """The beginning of an action, as far as the parser understood it: of `cut tree with axe`, `cut tree`."""
    found = UNDERSTOOD_AS_FAR.search(answer)
    beginning = f"{action.partition(' ')[0]} {thing_of(action)}"
    return beginning if found and " " in found["action"] and beginning != action else None
