"""What is done with people: talking, giving, showing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from folds.text.phrases import is_fruitless
from folds.vocabulary.actions import normal
from folds.vocabulary.verbs import ActionKind, action_kind_of
from folds.vocabulary.words import head_of
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.kinds import CARRIERS

_FIRST_WORDS, _LEAST_TRUST = 58.0, 0.4
_GOES_ON, _MOST = 70.0, 6
"""Somebody is talked to so often in a room, while every answer is new."""
_SILENCES = 3
"""Stock answers running, after which somebody is asked no more."""
_NO_NEWS = 0.2
"""Eight questions that all got stock answers, after which nobody is asked."""
_AT_ONCE, _LATER = 4, 23.0
"""Questions that somebody is asked before anything else is done here, and what the others are worth."""
_OFFERS = (("give", 34.0), ("show", 24.0))
_FIRST_GIFTS, _FIRST_GIFT = 3, 54.0
"""Things that somebody is given before most else is done, and what that is worth."""
_BACK, _UNHEARD = 5.0, 0.7
"""Giving something back, and how much is left of offering things to whoever has wanted nothing."""
_ROOMS = 2
"""Rooms in which somebody of one name is offered the same: there may be two of them."""
_TRADE = frozenset("buy sell pay price purchase trade".split())
_SPOKEN_OF, _GIFTS = 82.0, 3
"""Giving what somebody has spoken of, and how often."""
_DEALING = (ActionKind.GIVE, ActionKind.TALK)
_PEOPLE = 2
"""People who are spoken to in one room."""


def talk(context: OptionContext) -> Iterator[Idea]:
    """People who do not attack are asked about names, what is held, and what is seen."""
    people, said, answers = people_here(context), normal(context.step.action or ""), context.known.answers
    if said.startswith("talk to ") and context.blind and _has_more_to_say(said, context):
        yield Idea(said, "there is more to hear", _GOES_ON, insists=True)
    if context.known.dangers.attacked:
        return
    topics = _topics(context) if people else ()
    for person in people:
        yield _first_words(normal(f"talk to {person}"), context)
        if answers.silences[f"ask {person}"] < _SILENCES and answers.news_of("ask") > _NO_NEWS:
            yield from _questions(person, topics, context)


def _first_words(talking: str, context: OptionContext) -> Idea:
    """Who has not been spoken to is, before anybody is offered anything, while that is answered."""
    is_first = context.blind and talking not in context.tried
    worth = _FIRST_WORDS * max(_LEAST_TRUST, context.known.answers.news_of("talk"))
    return Idea(talking, "nobody has spoken here", worth) if is_first else Idea(talking)


def _questions(person: str, topics: Iterable[str], context: OptionContext) -> Iterator[Idea]:
    """Some at once; the others when the person has been offered what is held."""
    is_patient = context.known.answers.asked[f"ask {person}"] < _AT_ONCE
    tried = context.known.attempts.in_room(context.room)
    for question in (normal(f"ask {person} about {topic}") for topic in topics if topic != person):
        if is_patient or question not in tried:
            yield Idea(question, utility=None if is_patient else _LATER)


def _has_more_to_say(said: str, context: OptionContext) -> bool:
    text, answers = context.step.observation, context.known.answers
    is_news = answers.is_new and not is_fruitless(text) and not answers.is_stock(said, text)
    return is_news and context.done.get(said, 0) < _MOST


def give(context: OptionContext) -> Iterator[Idea]:
    """Each thing held is given and shown to each person once, where valid actions do not tell; what was got
    from somebody here, or carries other things, is kept for a while. Whoever attacks is offered nothing, and
    whoever follows the player the same only in two rooms."""
    if not context.blind or context.known.dangers.attacked:
        return
    tried = context.tried
    held = tuple(map(head_of, context.known.belongings.names))
    kept = _got_here(context) | context.worn_nouns | CARRIERS
    for person in people_here(context):
        yield from _what_is_spoken_of(person, held, context)
        for (verb, utility), noun in product(_offers_to(person, context), held):
            action = normal(f"{verb} {noun} to {person}")
            if action not in tried and context.done_anywhere.get(action, 0) < _ROOMS:
                yield Idea(action, "somebody may want it", _BACK if noun in kept else utility)


def _what_is_spoken_of(person: str, held: Iterable[str], context: OptionContext) -> Iterator[Idea]:
    """Once more what somebody has named since it was offered, or what a look at somebody says is wanted."""
    told = context.known.mentions.said_by(person, context.room)
    shown = next((noun for noun in held if context.step.action == f"show {noun} to {person}"), None)
    text, answers = context.step.observation, context.known.answers
    if shown and not is_fruitless(text) and not answers.is_stock(f"show {shown} to {person}", text):
        yield Idea(f"give {shown} to {person}", "somebody looks at it", _SPOKEN_OF)
    verbs = ("give",) if _TRADE.isdisjoint(told) else ("sell", "give")
    for noun in (noun for noun in held if noun in told):
        for action in (normal(f"{verb} {noun} to {person}") for verb in verbs):
            is_due = context.done_at.get(action, -1) < told[noun] and action not in context.deadly
            if is_due and context.done.get(action, 0) < _GIFTS:
                yield Idea(action, "somebody speaks of it", _SPOKEN_OF, insists=True)


def _offers_to(person: str, context: OptionContext) -> Iterable[tuple[str, float]]:
    """How things are offered to somebody, and what that is worth: the first few gifts most."""
    answers = context.known.answers
    if answers.asked[f"give {person}"] < _FIRST_GIFTS:
        return (("give", _FIRST_GIFT), *_OFFERS[1:])
    silent = [verb for verb, _ in _OFFERS if answers.silences[f"{verb} {person}"] >= _SILENCES]
    return tuple((verb, utility * _UNHEARD if verb in silent else utility) for verb, utility in _OFFERS)


def _got_here(context: OptionContext) -> set[str]:
    """The nouns of what somebody has handed over in this room."""
    attempts = context.known.attempts.by_room.get(context.room, ())
    deals = (each.gained for each in attempts if action_kind_of(each.action) in _DEALING)
    return {head_of(name) for gained in deals for name in gained}


def people_here(context: OptionContext) -> list[str]:
    """The nouns of the people who are here, at most a few; also of those whom nobody has looked at, where a
    text tells what they do."""
    mentions = context.known.mentions
    seen = [thing.name for thing in context.step.objects or ()]
    doing = (noun for noun in context.mentioned if noun in mentions.people)
    people = (head_of(name) for name in (*seen, *context.scope, *doing) if mentions.is_person(name))
    return list(dict.fromkeys(people))[:_PEOPLE]


def _topics(context: OptionContext) -> tuple[str, ...]:
    mentions, most = context.known.mentions, context.weights.topics
    held = map(head_of, context.known.belongings.names)
    seen = (head_of(thing.name) for thing in context.step.objects or ())
    topics: Iterable[str] = (
        *mentions.spoken[-most:],
        *mentions.names[-most:],
        *mentions.topics[-most:],
        *held,
        *seen,
    )
    return tuple(dict.fromkeys(topics))[: 3 * most]
