"""Lists the candidates for valid actions, the likeliest first by what those before have done.

The list depends only on the story's tables, on the things carried, seen and mentioned, and on which
candidates changed the world: it is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from heapq import heapify, heappop, heappush, heapreplace

from zmachine.dictionary import Dictionary
from zmachine.grammar.patterns import NUMBER_WORDS, Pattern, PatternRow, SceneNouns, Things
from zmachine.grammar.phrases import Phrase

DIRECTIONS = (
    *("north", "south", "east", "west", "northeast", "southeast", "southwest", "northwest"),
    *("up", "down", "in", "out", "fore", "aft", "port", "starboard"),
)
SHORT = dict(zip(DIRECTIONS, "n s e w ne se nw sw u d".split(), strict=False))
"""Some parsers know a direction by its letters alone."""
NO_NAMES = frozenset(
    "a an the of it them him her me this that can few first second one two three four five six seven eight"
    " nine ten".split()
)
"""Words that some parsers take for names, but that name nothing alone."""
LEAST = 0.00002
"""A candidate that is less likely to change the world is not tried."""

Attempts = Generator[str, bool, None]
"""Yields actions to try; is sent whether the last one changed the world."""


def candidates(scene_nouns: SceneNouns, phrases: Sequence[Phrase], dictionary: Dictionary) -> Attempts:
    """Every action worth a try: the directions, then the likeliest first."""
    for direction in DIRECTIONS:
        short = SHORT.get(direction, direction)
        if dictionary.known(direction) or dictionary.known(short):
            yield direction if dictionary.known(direction) else short
    things = Things(scene_nouns, tuple(word for word in NUMBER_WORDS if dictionary.known(word)))
    yield from likeliest_first([row for phrase in phrases for row in Pattern(phrase, things).rows()])


def likeliest_first(rows: Sequence[PatternRow]) -> Attempts:
    """The candidates of all rows; of equally likely ones, that of the earlier row comes first.

    The queue holds what a row's best candidate can be worth at most: a row at its head is weighed again.
    """
    queue = [(-row.at_most(), number) for number, row in enumerate(rows)]
    heapify(queue)
    while queue:
        stored, number = queue[0]
        row = rows[number]
        likelihood, noun = row.best()
        if likelihood < LEAST:
            heappop(queue)
        elif -likelihood > stored:
            heapreplace(queue, (-likelihood, number))
        else:
            worked = yield row.filled(noun)
            row.learn(noun, worked)
            if worked:
                for other in raised(rows, row, noun):
                    heappush(queue, (-rows[other].best()[0], other))


def raised(rows: Sequence[PatternRow], worked: PatternRow, noun: str) -> list[int]:
    """The numbers of the rows that are likelier now."""
    taken = worked.pattern.takes
    return [
        number
        for number, row in enumerate(rows)
        if row.pattern is worked.pattern or (taken and row.first in (None, noun))
    ]
