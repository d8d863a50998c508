"""What a refusal asks for is done."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from folds.text.phrases import is_fruitless
from folds.text.rooms import room_of
from folds.vocabulary.actions import ABOUT_ONESELF, normal
from folds.vocabulary.verbs import ActionKind, action_kind_of
from folds.vocabulary.words import head_of, words_of
from schemas.game import StepTaken
from services.actor.heuristic.behaviours.idea import URGENT, Idea
from services.actor.heuristic.behaviours.people.talking import people_here
from services.actor.heuristic.behaviours.session.demands import demands_of
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.ambiguities import things_meant_in
from services.actor.knowledge.experience.success import thing_of, tool_of
from services.actor.knowledge.situation import Situation
from services.actor.knowledge.texts import UNDERSTOOD_AS_FAR

_FOR_ME = re.compile(r"(?P<verb>give|show|bring) me (?:your )?(?P<thing>.+)")
_LONGEST = 400
"""Characters of a refusal; a longer text tells a story."""
_UTILITY, _LESS, _MOST = 92.0, 70.0, 8
_ORDER = 0.05
"""By how much each demand of an answer is worth less than the one before it."""
_ALTERNATIVES = 5
"""Steps for which an answer is remembered, while all that is done is what it asks for."""
_OF_WHAT_IS_IN_HAND = (ActionKind.TAKE, ActionKind.WEAR, ActionKind.GIVE, ActionKind.PLACE)


def obey(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """Open, take, stand up, or whatever the last answer says must come first; what else it says, where
    that was in vain; then what was refused."""
    steps = [each for each in reversed(situation.recent) if each.action not in ABOUT_ONESELF]
    if not steps or situation.came_from is not None:
        return
    step = steps[0]
    if step.action is None or len(step.observation) >= _LONGEST:
        return
    for refused in _steps_in_hand(steps, context):
        if refused is not step and not is_fruitless(step.observation):
            yield from _resumed(refused, situation, context)
        else:
            yield from _asked_for(refused, context)
    understood = _understood(normal(step.action), step.observation)
    if understood and not _is_in_vain(understood, context):
        yield Idea(understood, "the game understands as much of it", _LESS)


def _steps_in_hand(steps: Sequence[StepTaken], context: OptionContext) -> Iterator[StepTaken]:
    """The last of these steps, which comes first, and an earlier one whose answer wanted all that was done
    since; of what had to be told apart meanwhile only the answer counts."""
    last, *earlier = steps
    yield last
    since = [normal(last.action or "")]
    for step in earlier[:_ALTERNATIVES]:
        if step.action is None or room_of(step) != context.room:
            return
        if things_meant_in(step.observation):
            since[-1] = normal(step.action)
            continue
        if set(since).issubset(_wanted(step, context)):
            yield step
            return
        since.append(normal(step.action))


def _wanted(step: StepTaken, context: OptionContext) -> list[str]:
    """What the answer to a step asks for."""
    demands = demands_of(normal(step.action or ""), step.observation)
    return [_of_somebody(normal(demand), context) for demand in demands]


def _asked_for(step: StepTaken, context: OptionContext) -> Iterator[Idea]:
    for place, action in enumerate(_wanted(step, context)):
        is_possible = action != normal(step.action or "") and not _is_out_of_reach(action, step, context)
        if action and is_possible and not _is_in_vain(action, context):
            yield Idea(action, "the last answer asks for it", _UTILITY - place * _ORDER)


def _of_somebody(demand: str, context: OptionContext) -> str:
    """What somebody here demands: `give me card` is `give card to clerk`."""
    wanted = _FOR_ME.fullmatch(demand)
    person = next(iter(people_here(context)), "") if wanted else ""
    if not wanted or not person:
        return demand
    verb = "show" if wanted["verb"] == "show" else "give"
    return f"{verb} {wanted['thing']} to {person}"


def _resumed(refused: StepTaken, situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """What was refused is done again, once what had to come first is done."""
    action, done = normal(refused.action or ""), normal(situation.step.action or "")
    if done.startswith(f"{action} with ") or done == action.replace(" in ", " on "):
        return  # it was done in another way
    if action and context.done.get(action, 0) < _MOST:
        utility = URGENT if done == "drop all" else _UTILITY + 1
        yield Idea(action, "what had to come first is done", utility, insists=True)


def _is_out_of_reach(action: str, step: StepTaken, context: OptionContext) -> bool:
    """Whether an action wants in hand what nothing names here: `You do not have any key` tells of none."""
    if not context.blind:
        return False
    kind, noun, tool = action_kind_of(action), head_of(thing_of(action)), tool_of(action)
    if tool and not context.sees(tool):
        return True
    if kind not in _OF_WHAT_IS_IN_HAND or context.sees(noun):
        return False
    named = {*words_of(normal(step.action or "")), *context.known.mentions.nouns_of(context.room)}
    return kind is not ActionKind.TAKE or noun not in named


def _is_in_vain(action: str, context: OptionContext) -> bool:
    if context.blind:
        return context.has_failed(action) or context.done.get(action, 0) >= _MOST
    return action in context.attempts


def _understood(action: str, answer: str) -> str | None:
    """The beginning of an action, as far as the parser understood it: of `cut tree with axe`, `cut tree`."""
    found = UNDERSTOOD_AS_FAR.search(answer)
    beginning = f"{action.partition(' ')[0]} {thing_of(action)}"
    return beginning if found and " " in found["action"] and beginning != action else None
