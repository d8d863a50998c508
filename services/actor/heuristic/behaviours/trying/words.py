"""Verbs without a thing, and words that were read."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from folds.vocabulary.actions import direction_of, normal
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.behaviours.places.ways import got_into_something_at, has_got_into_something
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.experience.answers import LIKE_A_VERB
from services.actor.knowledge.situation import Situation

LONE = (
    *("wait", "listen", "jump", "dig", "smell", "sing", "pray", "sleep", "stand up", "swim", "climb"),
    *("yell", "knock", "dance", "wave", "exit", "enter", "sit", "xyzzy"),
)
_BEST, _PER_RANK = 6.0, 0.1
_READ = 8.0
_MOST_ELSEWHERE = 4
_INSIDE = 2
"""Tries in a room after which a verb is not done again in what the player gets into there."""
_LEARNED = 5.6
"""A verb that the game has proved to know, in each room."""
_LIKELY, _ANY = 5.5, 2.6
"""Of a word that may be a verb, if it follows the like of `to`, and if it does not."""
_EVERY, _AT_ONCE = 2, 30
"""Such a word is typed at every other step, and so many are weighed."""
_ABOUT_THE_GAME = frozenset(
    "restart restore quit undo save score brief superbrief verbose script unscript transcript".split()
)
"""Verbs that do nothing in the story, or lose it."""


def say(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """Lone verbs, each once in a room; words in quotes or capitals, each once in a session."""
    if not context.blind:
        return
    known, is_inside = context.known, has_got_into_something(context)
    for rank, verb in enumerate(LONE):
        if _is_untried(verb, context):
            elsewhere = 0.5 ** min(_MOST_ELSEWHERE, 0 if is_inside else context.done_anywhere.get(verb, 0))
            utility = (_BEST - _PER_RANK * rank) * elsewhere * known.answers.news_of(verb)
            yield Idea(verb, "an experiment", utility, insists=is_inside)
    for verb, wants_thing in known.refusals.verbs.items():
        if not wants_thing and _is_untried(verb, context) and _may_be_a_verb(verb):
            yield Idea(verb, "the game knows the verb", _LEARNED, insists=is_inside)
    for word in known.mentions.spoken:
        for action in (word, f"say {word}"):
            if action not in context.tried_anywhere:
                yield Idea(action, "a word that was read", _READ)


def _is_untried(verb: str, context: OptionContext) -> bool:
    """Whether a lone verb is untried in this room, or in what the player has got into there, like a boat."""
    if verb not in context.tried:
        return True
    is_early = context.done_at.get(verb, 0) < got_into_something_at(context)
    times = context.known.attempts.in_room(context.room).get(verb, 0)
    return is_early and has_got_into_something(context) and times <= _INSIDE


def guess_verbs(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """The words of the texts, each typed alone once in a session: the answer tells whether it is a verb of
    the game, which no list of verbs has to know."""
    if not context.blind or context.step.step % _EVERY:
        return
    answers = context.known.answers
    words = (
        (word, worth)
        for word, worth in answers.words.most_common()
        if word not in answers.tried and _may_be_a_verb(word)
    )
    for word, worth in islice(words, _AT_ONCE):
        yield Idea(word, "a text has the word", _ANY if worth < LIKE_A_VERB else _LIKELY)


def _may_be_a_verb(word: str) -> bool:
    is_plain = word.isalpha() and normal(word) == word
    return is_plain and direction_of(word) is None and word not in _ABOUT_THE_GAME
