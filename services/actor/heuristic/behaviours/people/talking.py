"""What is done with people: talking, giving, showing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from folds.vocabulary.actions import normal
from folds.vocabulary.words import head_of
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.option_context import OptionContext

_PEOPLE = 2
"""People who are spoken to in one room."""


def talk(context: OptionContext) -> Iterator[Idea]:
    """People are asked about names, what is held, and what is seen."""
    people = people_here(context)
    topics = _topics(context) if people else ()
    for person in people:
        yield Idea(normal(f"talk to {person}"))
        yield from (Idea(normal(f"ask {person} about {topic}")) for topic in topics if topic != person)


def give(context: OptionContext) -> Iterator[Idea]:
    """Each thing held is given and shown to each person once, where valid actions do not tell."""
    if context.blind:
        for person in people_here(context):
            for name in context.known.belongings.names:
                yield Idea(normal(f"give {head_of(name)} to {person}"))
                yield Idea(normal(f"show {head_of(name)} to {person}"), utility=24.0)


def people_here(context: OptionContext) -> list[str]:
    """The nouns of the people who are here, at most a few."""
    mentions = context.known.mentions
    seen = (thing.name for thing in context.step.objects or ())
    return [head_of(name) for name in seen if mentions.is_person(name)][:_PEOPLE]


def _topics(context: OptionContext) -> tuple[str, ...]:
    mentions, most = context.known.mentions, context.weights.topics
    held = map(head_of, context.known.belongings.names)
    seen = (head_of(thing.name) for thing in context.step.objects or ())
    topics: Iterable[str] = (*mentions.names[-most:], *mentions.topics[-most:], *held, *seen)
    return tuple(dict.fromkeys(topics))[: 3 * most]
