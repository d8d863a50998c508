"""Lists the candidates for valid actions, the likeliest first.

The list depends only on the story's tables and on the things carried, seen and mentioned: it is the same on
every machine.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass

from zmachine.dictionary import Dictionary
from zmachine.grammar.phrases import Phrase
from zmachine.grammar.sentence import Slot
from zmachine.object_table import Words
from zmachine.reading.surroundings import WORD, Item, words_in
from zmachine.story_tables import StoryTables

DIRECTIONS = (
    *("north", "south", "east", "west", "northeast", "southeast", "southwest", "northwest"),
    *("up", "down", "in", "out", "fore", "aft", "port", "starboard"),
)
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
MENTIONED = 8
"""The most words printed in the room that are not names of listed objects."""


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
        if dictionary.known(direction):
            yield direction
    for phrase in phrases:
        match phrase.slots:
            case ():
                yield phrase.text
            case (slot,):
                yield from with_one(phrase.text, slot, scene_nouns)
            case _ if phrase.text == OUT_OF:
                yield from (
                    phrase.text.format(EVERYTHING, other) for other in (*scene_nouns.held, *scene_nouns.seen)
                )
            case _:
                yield from with_two(phrase, scene_nouns)


def with_one(text: str, slot: Slot, scene_nouns: SceneNouns) -> Attempts:
    """A phrase with each thing that fits."""
    others = (*scene_nouns.seen, *scene_nouns.mentioned)
    if slot is Slot.HELD:
        nouns = (*scene_nouns.held, *(others if text in TAKEN_FIRST else ()))
    else:
        nouns = (*scene_nouns.held, *others) if text in HELD_FIRST else (*others, *scene_nouns.held)
    for noun in nouns:
        yield text.format(noun)
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


def filled(phrase: Phrase, held: str, other: str) -> str:
    """A phrase filled with a carried thing and another one; a tool comes last."""
    held_last = phrase.slots[0] is not Slot.HELD and phrase.slots[1] is Slot.HELD
    if held_last or WITH_TOOL.search(phrase.text):
        return phrase.text.format(other, held)
    return phrase.text.format(held, other)


def nouns_for(items: Sequence[Item], words: Words, dictionary: Dictionary) -> tuple[str, ...]:
    """The noun for each thing: the last known word of its name, with the one before if two share it."""
    names = [noun_forms(item, words, dictionary) for item in items]
    shared = Counter(short for short, _ in names)
    return tuple(dict.fromkeys(long if shared[short] > 1 else short for short, long in names if short))


def noun_forms(item: Item, words: Words, dictionary: Dictionary) -> tuple[str, str]:
    """A thing's noun, and the noun with the word before it; empty: the parser has no word for it."""
    own = words.get(item.number, ())
    named = [w for w in words_in(item.name) if dictionary.known(w)]
    fitting = [w for w in named if not own or dictionary.known(w) in own]
    fitting = fitting or [w for w in own if WORD.fullmatch(w)][:1]
    if not fitting:
        return "", ""
    return fitting[-1], " ".join(fitting[-2:])


def mentioned_in(printed: Iterable[str], items: Sequence[Item], tables: StoryTables) -> tuple[str, ...]:
    """Printed words that name some thing of this story, but none of the listed ones."""
    words, dictionary = tables.words, tables.dictionary
    covered = {word for item in items for word in words.get(item.number, ())}
    covered |= {dictionary.known(word) or "" for item in items for word in words_in(item.name)}
    covered |= {direction[: dictionary.length] for direction in DIRECTIONS}
    found: dict[str, None] = {}
    for word in printed:
        entry = dictionary.known(word)
        if (
            entry
            and word not in NO_NAMES
            and entry not in covered
            and entry in tables.things
            and dictionary.is_noun(entry)
        ):
            covered.add(entry)
            found[word] = None
    return tuple(found)[:MENTIONED]
