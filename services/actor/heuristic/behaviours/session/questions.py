"""What the game asks is answered."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from folds.text.conditions import Condition
from folds.text.phrases import is_fruitless
from folds.text.questions import asks_yes_or_no, end_of, words_asked_for_in
from folds.vocabulary.actions import normal
from folds.vocabulary.words import MANY
from services.actor.heuristic.behaviours.idea import FIRST, Idea
from services.actor.heuristic.option_context import OptionContext
from services.actor.heuristic.parsed_action import parsed
from services.actor.heuristic.tool_uses import made_for, tools_among
from services.actor.knowledge.ambiguities import commands_meant_by, things_meant_in
from services.actor.knowledge.experience.success import thing_of, verb_of
from services.actor.knowledge.situation import Situation

_GIVES_UP = re.compile(
    r"\b(?:leave|quit|give up|abandon|end the (?:game|story)|stop playing|restart)\b[^?]*\?", re.I
)
_MENU = re.compile(r"^\W*(\d)\W+\w", re.M)
_NUMBER = re.compile(
    r"(?P<verb>type|enter|press|push|dial|choose|select|pick) (the |a |your )?(floor )?"
    r"(number|choice|option)|select a choice",
    re.I,
)
_BY_BUTTON = ("press", "push", "dial")
"""Verbs of which the number is the object."""
_TIMES = 3
_COMPLETING, _CONTROL, _OTHER = 30.0, 50.0, 64.0
_FOR_OTHERS = frozenset(("give", "show", "say", "ask", "tell", "talk", "throw"))
"""Verbs of which other behaviours know with whom, and at what."""
_PENDING = 3
"""Steps for which a question may wait for its answer: `Please answer yes or no.`"""


def answer(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """One of the things that are meant; yes, and the next time no; a number of a menu; a name, an age."""
    text = end_of(situation.step.observation)
    if things := things_meant_in(text):
        meant = commands_meant_by(situation.step) or things
        yield from _least_given(meant, context, "the parser asks which", context.done)
    elif context.blind and (words := words_asked_for_in(text)):
        yield from _least_given(words, context, "the game asks for a word", context.done)
    elif asks_yes_or_no(text):
        asked = "\n".join(end_of(step.observation) for step in list(situation.recent)[-_PENDING:])
        answers = ("no", "yes") if _GIVES_UP.search(asked) else ("yes", "no")
        in_a_row = Counter(context.known.answers.streak)
        yield from _least_given(answers, context, "the game asks yes or no", in_a_row)
    elif wanted := _NUMBER.search(text):
        numbers = _MENU.findall(text) or [*"123"]
        verb = (wanted["verb"] or "").lower()
        numbers = [f"{verb} {number}" for number in numbers if verb in _BY_BUTTON] + numbers
        yield from _least_given(numbers, context, "the game asks for a number", context.done)


def tell_apart(context: OptionContext) -> Iterator[Idea]:
    """What the parser could not choose between is done with each of the things; with the next at once, where
    the first was the wrong one."""
    last, ambiguities = normal(context.step.action or ""), context.known.ambiguities
    was_wrong = context.blind and is_fruitless(context.step.observation)
    for other in ambiguities.others_meant(last, context.room) if was_wrong else ():
        if other not in context.tried:
            yield Idea(other, "the other may have been meant", _OTHER)
    for command in map(parsed, ambiguities.commands_in(context.room)):
        is_untried = command.is_control and command.text not in context.tried
        utility = _CONTROL if context.blind and is_untried else None
        yield Idea(command.text, "the parser could not choose", utility)


def complete(context: OptionContext) -> Iterator[Idea]:
    """A command for which the parser has asked for a second thing is done with each thing that may be meant;
    nothing is unlocked that was not found locked."""
    for beginning in context.known.ambiguities.unfinished_in(context.room) if context.blind else ():
        asked, _, link = beginning.rpartition(" ")
        verb, noun = verb_of(asked), thing_of(asked)
        is_unlocked = verb == "unlock" and context.conditions.get(noun) is not Condition.LOCKED
        if verb in _FOR_OTHERS or noun in MANY or is_unlocked:
            continue
        things = _tools_for(verb, context) if link == "with" else (*context.scope, *context.held_nouns)
        actions = [f"{beginning} {thing}" for thing in things if thing != noun]
        said = Counter(context.known.history.answer_to(context.room, each) for each in actions)
        is_vain = any(times >= _TIMES for text, times in said.items() if text)
        for action in () if is_vain else actions:
            if action not in context.tried:
                yield Idea(action, "the parser asks for it", _COMPLETING)


def _tools_for(verb: str, context: OptionContext) -> tuple[str, ...]:
    """The nouns of what is held and made for a verb, else of what lies here; of all that is held, where
    nothing is, but no lock is opened by whatever is at hand."""
    made = made_for(verb)
    fitting = tools_among(context.known.belongings.names, made) or tools_among(context.scope, made)
    return fitting or (() if verb == "unlock" else context.held_nouns)


def _least_given(
    answers: Sequence[str], context: OptionContext, reason: str, in_vain: Mapping[str, int]
) -> Iterator[Idea]:
    """What led on in an earlier episode, else the answer that was given least often here, none that kills;
    nothing after each was given a few times `in_vain`: a game that wants yes or no hears nothing else."""
    due = context.known.history.due_in(context.room)
    alive = [each for each in answers if each not in context.deadly] or answers
    times = {each: context.done.get(each, 0) + context.ineffective.get(each, 0) for each in alive}
    best = min(alive, key=lambda each: (each not in due, times[each]))
    if in_vain.get(best, 0) < _TIMES:
        yield Idea(best, reason, FIRST, insists=True)
