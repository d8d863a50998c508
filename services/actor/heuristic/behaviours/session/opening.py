"""What a player types first."""

from __future__ import annotations

import re
from collections.abc import Iterator

from folds.text.phrases import MISSING, is_fruitless
from folds.text.rooms import UNKNOWN_ROOM, is_by_text
from folds.text.things.take_answers import TakeAnswer
from folds.vocabulary.actions import normal
from folds.vocabulary.verbs import ActionKind, action_kind_of
from folds.vocabulary.words import head_of
from schemas.game import StepTaken
from services.actor.heuristic.behaviours.idea import FIRST, URGENT, Idea
from services.actor.heuristic.option_context import OptionContext, is_portable
from services.actor.heuristic.parsed_action import parsed
from services.actor.knowledge.experience.experience import Experience
from services.actor.knowledge.experience.success import thing_of
from services.actor.knowledge.situation import Situation

_OFTEN, _UTILITY = 80, 12.0
"""Steps after which a look at what is held is worth one."""
_SOON = 10
"""The same, where something that should be in hand has proved to be missing."""
_TAKEN_ALL = re.compile(r"^\W*you (?:took|take|picked up|pick up|got|get|now have) [^:\n]*$", re.I | re.M)
_TAKEN_BESIDES = re.compile(
    r"\byou (?:take|took|grab(?:bed)?|pocket(?:ed)?|pick(?:ed)? up|catch|caught|receive[ds]?|"
    r"now (?:have|hold|carry)) (?:it|them|the|one|an?)\b"
    r"(?! (?:off|step|look|seat|breath|deep|nap|moment|bite|sip|drink|swig|few|glance|glimpse))",
    re.I,
)
"""Something has come to hand by an action that is not made for it."""


def open_well(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """Where the text alone tells of rooms and things: rooms in full each time, and what is held."""
    step, known = situation.step, context.known
    if (_took_what(step) or _took_besides(context)) and known.belongings.gained_at != step.step:
        yield Idea("inventory", "what has been taken", URGENT, insists=True)
    if step.world or not (is_by_text(context.room) or context.room == UNKNOWN_ROOM):
        return
    if step.step == known.episode.begun_at:
        yield Idea("verbose", "rooms are known by their texts alone", FIRST)
    elif step.step - known.episode.begun_at <= 1 and "inventory" not in known.answers.tried:
        yield Idea("inventory", "what is held at the beginning", FIRST)
    elif step.step - known.belongings.listed_at >= _SOON and _has_missed_something(step, known):
        yield Idea("inventory", "whether it is still in hand", URGENT, insists=True)
    elif _may_have_got_something(context):
        yield Idea("inventory", "what may have come to hand", URGENT, insists=True)
    elif step.step - known.belongings.listed_at >= _OFTEN:
        yield Idea("inventory", "what is held by now", _UTILITY, insists=True)


def _has_missed_something(step: StepTaken, known: Experience) -> bool:
    """Whether the game knew nothing of what should be in hand: it may have gone unseen."""
    action = parsed(normal(step.action or ""))
    return is_portable(action, known) and MISSING.search(step.observation) is not None


def _may_have_got_something(context: OptionContext) -> bool:
    """Whether a gift was accepted, for which there may be another, or something is said to be in hand that
    the player knows nothing of; the first time that the action is done in this episode."""
    action = normal(context.step.action or "")
    noun, known = head_of(thing_of(action)), context.known
    if not noun or context.done.get(action) != 1 or noun in known.belongings.words:
        return False
    if action_kind_of(action) is ActionKind.TAKE:
        is_long_ago = context.step.step - known.belongings.listed_at >= _SOON
        return is_long_ago and TakeAnswer(noun, context.step.observation).held
    return action_kind_of(action) is ActionKind.GIVE and noun in known.belongings.once_held


def _took_what(step: StepTaken) -> bool:
    """Whether things were taken, and the answer does not tell which: `You took two objects`."""
    return normal(step.action or "") == "take all" and _TAKEN_ALL.search(step.observation) is not None


def _took_besides(context: OptionContext) -> bool:
    """Whether another action has brought something to hand, for the first time in this episode: the answer to
    `climb tree` tells of a rope, and `You take it.` Where the game tells what is held, that is known."""
    step, action = context.step, normal(context.step.action or "")
    if step.world or action_kind_of(action) is ActionKind.TAKE or context.done.get(action) != 1:
        return False
    return not is_fruitless(step.observation) and _TAKEN_BESIDES.search(step.observation) is not None
