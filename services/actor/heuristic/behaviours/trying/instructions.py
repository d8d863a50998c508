"""What a text tells the player to type is typed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from folds.vocabulary.actions import normal
from folds.vocabulary.verbs import ActionKind, action_kind_of
from folds.vocabulary.words import head_of
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.behaviours.people.talking import people_here
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.experience.success import thing_of

_WHOLE, _ERRAND, _VERB, _MAGIC, _CAST, _NUMBER, _LATER = 60.0, 78.0, 34.0, 8.0, 12.0, 46.0, 24.0
_LEADING_AWAY = 10.0
"""Of what a text tells, where something else that it tells has led to another room."""
_LEAST_TRUST = 0.3
"""What is left of a spell's worth that never has an effect."""
_ROOMS = 2
"""Rooms in which what a text tells is done, wherever else it is told."""
_SETTING = ("set", "turn")
"""Verbs for what a text says that a thing can be set to; the second where the first is not understood."""
_SET_TO_NUMBERS = {
    **dict.fromkeys("dial dials wheel knob".split(), ("turn {0} to {1}", "set {0} to {1}")),
    **dict.fromkeys("safe vault padlock combination".split(), ("set {0} to {1}", "enter {1}")),
    **dict.fromkeys(
        "keypad keyboard computer terminal console pad".split(), ("type {1}", "enter {1}", "push {1}")
    ),
    **dict.fromkeys("phone telephone".split(), ("dial {1}",)),
}
"""By noun, how a number is entered."""


def heed(context: OptionContext) -> Iterator[Idea]:
    """Actions, verbs, spells and magic words that texts tell, where valid actions are not known."""
    if not context.blind:
        return
    told = context.known.instructions
    actions = tuple(map(normal, told.actions_in(context.room)))
    has_led_away = not context.known.map.exits.get(context.room, {}).keys().isdisjoint(actions)
    for action in actions:
        if action not in context.tried and context.done_anywhere.get(action, 0) < _ROOMS:
            yield Idea(action, "a text tells it", _LEADING_AWAY if has_led_away else _WHOLE)
    yield from _errands(context)
    yield from _doable(context)
    yield from _equipped(context)
    yield from _castings(context)
    yield from _numbers(context)
    yield from _settings(context)
    people = people_here(context)
    for nouns, tried in context.things_to_try:
        for verb, noun in ((verb, noun) for verb in told.verbs for noun in nouns):
            is_for_people = verb.partition(" ")[0] in told.social
            if (action := normal(f"{verb} {noun}")) not in tried and (not is_for_people or noun in people):
                yield Idea(action, "a text teaches the verb", _VERB)
    for action in (form.format(word) for word in told.magic for form in ("{0}", "say {0}")):
        if action not in context.tried:
            yield Idea(action, "a magic word", _MAGIC)


def _errands(context: OptionContext) -> Iterator[Idea]:
    """What the preface, or what was read, tells to do, where all that it names is at hand; with what is held,
    once anywhere."""
    actions = context.known.errands.actions
    held = {*context.held_nouns}
    named = held.union(context.here_or_mentioned) if actions else held
    for action in actions:
        nouns = {head_of(thing_of(action)), head_of(action)}
        if not nouns <= named or _is_taken(action, context):
            continue
        if action not in (context.tried_anywhere if nouns <= held else context.tried):
            yield Idea(action, "a text that was read tells to do it", _ERRAND)
        elif action not in context.tried and _has_its_place_here(action, context):
            yield Idea(action, "it has to be done here", _ERRAND)


def _has_its_place_here(action: str, context: OptionContext) -> bool:
    """Whether the answer elsewhere has named this room: `The press is in the Press Shop.`"""
    here = context.known.map.names.get(context.room, "")
    return bool(here) and here in context.known.errands.answers.get(action, "")


def _is_taken(action: str, context: OptionContext) -> bool:
    """Whether an action would take what is in hand, called by its noun alone or by its whole name."""
    if action_kind_of(action) is not ActionKind.TAKE:
        return False
    thing = thing_of(action)
    return thing in context.held_nouns or thing in map(str.lower, context.known.belongings.names)


def _numbers(context: OptionContext) -> Iterator[Idea]:
    """The numbers that were read, where numbers are entered."""
    nouns = (noun for noun in context.here_or_mentioned if noun in _SET_TO_NUMBERS)
    for noun, number in product(nouns, context.known.instructions.numbers):
        for action in (normal(form.format(noun, number)) for form in _SET_TO_NUMBERS[noun]):
            if action not in context.tried:
                yield Idea(action, "a number that was read", _NUMBER)


def _settings(context: OptionContext) -> Iterator[Idea]:
    """What things can be set to, one setting soon and the others later; turned, where they cannot be set."""
    told = context.known.instructions.settings
    for nouns, tried in context.things_to_try if told else ():
        for noun in (noun for noun in nouns if noun in told):
            done = [verb for verb in _SETTING if context.last_worked_at(verb, noun) >= 0]
            for setting, verb in product(told[noun], done or _SETTING):
                if (action := normal(f"{verb} {noun} to {setting}")) not in tried:
                    yield Idea(action, "a text says that it can be set so", _LATER if done else _WHOLE)


def _castings(context: OptionContext) -> Iterator[Idea]:
    """Each spell once in a room by itself, and on each thing that is here; on what is held, once anywhere."""
    for spell in context.known.instructions.spells:
        if context.known.refusals.is_unknown_verb_of(spell):
            continue
        worth = _CAST * max(_LEAST_TRUST, context.known.rates.of_verb(spell).trust)
        for nouns, tried in ((("",), context.tried), *context.things_to_try):
            for action in (normal(f"{spell} {noun}".strip()) for noun in nouns):
                if action not in tried:
                    yield Idea(action, "a spell that a text names", worth)


def _doable(context: OptionContext) -> Iterator[Idea]:
    """What can be done with things that are here or held, as the answers to looking at them told."""
    for nouns, tried in context.things_to_try:
        for action in (each for each in context.known.instructions.doable if head_of(each) in nouns):
            if action not in tried:
                yield Idea(action, "a text says that it can be done", _WHOLE)


def _equipped(context: OptionContext) -> Iterator[Idea]:
    """What killed, when the player was without what a text warns to be without."""
    known = context.known
    for action in sorted(context.deadly):
        new = known.dangers.new_since_death(context.room, action, known.equipment_in(context.room))
        if not known.instructions.required.isdisjoint(map(head_of, new)):
            yield Idea(action, "what one should have for it is at hand now", _WHOLE, insists=True, dares=True)
