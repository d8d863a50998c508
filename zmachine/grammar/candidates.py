"""Lists the candidates for valid actions, the likeliest first.

The list depends only on the story's tables and on the things carried, seen and mentioned: it is the same on
every machine.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass

from zmachine.dictionary import Dictionary
from zmachine.grammar.phrases import Phrase
from zmachine.grammar.sentence import Slot

DIRECTIONS = (
    *("north", "south", "east", "west", "northeast", "southeast", "southwest", "northwest"),
    *("up", "down", "in", "out", "fore", "aft", "port", "starboard"),
)
SHORT = dict(zip(DIRECTIONS, "n s e w ne se nw sw u d".split(), strict=False))
"""Some parsers know a direction by its letters alone."""
EVERYTHING = "all"
OF_MANY = ("take {}", "drop {}")
"""Phrases whose thing may be `all`."""
OUT_OF = "take {} from {}"
"""A phrase that is only tried with `all`: a single thing can be taken directly."""
TAKEN_FIRST = ("eat {}", "wear {}", "drink {}", "light {}")
"""Phrases for held things that a parser picks up by itself."""
HELD_FIRST = ("turn on {}", "turn off {}", "take off {}", "read {}", "open {}", "close {}")
WITH_TOOL = re.compile(r"{} (with|using) {}$")
"""The end of a phrase whose second thing is the carried one."""
NO_NAMES = frozenset(
    "a an the of it them him her me this that can few first second one two three four five six seven eight"
    " nine ten".split()
)
"""Words that some parsers take for names, but that name nothing alone."""
PAIRS = 2
"""Others that a thing is paired with, before the rest follows if something happened."""
NUMBER_WORDS = ("two", "three", "four")
"""Of so many things of one kind, or of any kinds, a parser takes or drops some."""


@dataclass(frozen=True, slots=True)
class SceneNouns:
    """The nouns for the things here."""

    seen: tuple[str, ...]
    held: tuple[str, ...]
    mentioned: tuple[str, ...] = ()


Attempts = Generator[str, bool, None]
"""Yields actions to try; is sent whether the last one changed the world."""


def candidates(scene_nouns: SceneNouns, phrases: Sequence[Phrase], dictionary: Dictionary) -> Attempts:
    """Every action worth a try, best first (an action may come twice)."""
    for direction in DIRECTIONS:
        short = SHORT.get(direction, direction)
        if dictionary.known(direction) or dictionary.known(short):
            yield direction if dictionary.known(direction) else short
    numbers = tuple(word for word in NUMBER_WORDS if dictionary.known(word))
    taken: set[str] = set(scene_nouns.held)
    for phrase in phrases:
        match phrase.slots:
            case ():
                yield phrase.text
            case (slot,):
                yield from with_one(phrase.text, slot, scene_nouns, taken)
            case _ if phrase.text == OUT_OF:
                yield from (
                    phrase.text.format(EVERYTHING, other) for other in (*scene_nouns.held, *scene_nouns.seen)
                )
            case _:
                yield from with_two(phrase, scene_nouns)
    for phrase in phrases:
        if len(phrase.slots) == 2:
            yield from with_any_two(phrase, scene_nouns)
        elif phrase.text in OF_MANY:
            yield from (phrase.text.format(number) for number in numbers)


def with_one(text: str, slot: Slot, scene_nouns: SceneNouns, taken: set[str]) -> Attempts:
    """A phrase with each thing that fits. `taken`: nouns of what is carried or can be, to which it adds."""
    others = (*scene_nouns.seen, *scene_nouns.mentioned)
    if text in TAKEN_FIRST:
        others = tuple(noun for noun in others if noun in taken or text == "drink {}")
    if slot is Slot.HELD:
        nouns = (*scene_nouns.held, *(others if text in TAKEN_FIRST else ()))
    else:
        nouns = (*scene_nouns.held, *others) if text in HELD_FIRST else (*others, *scene_nouns.held)
    for noun in nouns:
        if (yield text.format(noun)) and text == OF_MANY[0]:
            taken.add(noun)
    if text in OF_MANY and len(nouns) > 1:
        yield text.format(EVERYTHING)


def with_two(phrase: Phrase, scene_nouns: SceneNouns) -> Attempts:
    """A phrase with one held thing and another one.

    First one held thing with each other thing: where that changes the world, all held things follow.
    Then all held things with one other.
    """
    others = (*scene_nouns.seen, *scene_nouns.mentioned, *scene_nouns.held)
    if not scene_nouns.held:
        return
    first = scene_nouns.held[0]
    for other in others:
        mine = first if other != first else scene_nouns.held[-1]
        if mine != other and (yield filled(phrase, mine, other)):
            for each in (*scene_nouns.held, EVERYTHING):
                if each != other:
                    yield filled(phrase, each, other)
    for mine in scene_nouns.held[1:]:
        if others[0] != mine:
            yield filled(phrase, mine, others[0])


def with_any_two(phrase: Phrase, scene_nouns: SceneNouns) -> Attempts:
    """A phrase with two things of which none is held; where the first does something, with all others."""
    things = (*scene_nouns.seen, *scene_nouns.mentioned, *DIRECTIONS[:1])
    if Slot.HELD in phrase.slots or Slot.CREATURE in phrase.slots:
        return
    for thing in scene_nouns.seen:
        worked = False
        for number, other in enumerate(each for each in things if each != thing):
            if number < PAIRS or worked:
                worked = (yield phrase.text.format(thing, other)) or worked


def filled(phrase: Phrase, held: str, other: str) -> str:
    """A phrase filled with a carried thing and another one; a tool comes last."""
    held_last = phrase.slots[0] is not Slot.HELD and phrase.slots[1] is Slot.HELD
    if held_last or WITH_TOOL.search(phrase.text):
        return phrase.text.format(other, held)
    return phrase.text.format(held, other)
