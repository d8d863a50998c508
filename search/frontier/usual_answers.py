"""Answers that a story gives to many actions alike, learned from a sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from search.environment import Environment
from zmachine.reading.surroundings import words_in

OFTEN = 3
"""Actions of a sample that are answered alike."""


def usual_answers(environment: Environment, sample: Iterable[tuple[str, str]]) -> frozenset[str]:
    """The answers, without the noun, that come often; a sample's items are an action and its noun.

    Each action is done from where the emulator is, and stays.
    """
    start = environment.save()
    answers = Counter[str]()
    for action, noun in sample:
        environment.restore(start)
        answers[plain_answer(environment.step(action).observation, noun)] += 1
    environment.restore(start)
    return frozenset(answer for answer, count in answers.items() if count >= OFTEN)


def plain_answer(text: str, noun: str) -> str:
    """The words of a text without those of a noun."""
    return " ".join(word for word in words_in(text) if word not in noun.split())
