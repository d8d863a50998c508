"""Verbs without a thing, and words that were read."""

from __future__ import annotations

from collections.abc import Iterator

from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.situation import Situation

LONE = (
    *("wait", "listen", "jump", "dig", "smell", "sing", "pray", "sleep", "stand up", "swim", "climb"),
    *("yell", "knock", "dance", "wave", "exit", "enter", "sit", "xyzzy"),
)
_BEST, _PER_RANK = 6.0, 0.1
_READ = 8.0
_MOST_ELSEWHERE = 4


def say(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """Lone verbs, each once in a room; words in quotes or capitals, each once in a session."""
    if not context.blind:
        return
    known, tried = context.known, context.tried
    for rank, verb in enumerate(LONE):
        if verb not in tried:
            elsewhere = 0.5 ** min(_MOST_ELSEWHERE, context.done_anywhere.get(verb, 0))
            utility = (_BEST - _PER_RANK * rank) * elsewhere * known.answers.news_of(verb)
            yield Idea(verb, "an experiment", utility)
    for word in known.mentions.spoken:
        for action in (word, f"say {word}"):
            if action not in context.tried_anywhere:
                yield Idea(action, "a word that was read", _READ)
