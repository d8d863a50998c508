"""What a text tells the player to type is typed."""

from __future__ import annotations

from collections.abc import Iterator

from folds.vocabulary.actions import normal
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.behaviours.people.talking import people_here
from services.actor.heuristic.option_context import OptionContext

_WHOLE, _VERB, _MAGIC = 60.0, 34.0, 8.0


def heed(context: OptionContext) -> Iterator[Idea]:
    """Actions, verbs and magic words that texts tell, where valid actions are not known."""
    if not context.blind:
        return
    told = context.known.instructions
    here, anywhere = context.tried, context.tried_anywhere
    for action in map(normal, told.actions_in(context.room)):
        if action not in here:
            yield Idea(action, "a text tells it", _WHOLE)
    people = people_here(context)
    for nouns, tried in ((context.scope, here), (context.held_nouns, anywhere)):
        for verb, noun in ((verb, noun) for verb in told.verbs for noun in nouns):
            is_for_people = verb.partition(" ")[0] in told.social
            if (action := normal(f"{verb} {noun}")) not in tried and (not is_for_people or noun in people):
                yield Idea(action, "a text teaches the verb", _VERB)
    for action in (form.format(word) for word in told.magic for form in ("{0}", "say {0}")):
        if action not in here:
            yield Idea(action, "a magic word", _MAGIC)
