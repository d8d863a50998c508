"""Which actions to try for an effect here, the likeliest first.

The list is a function of what is held, seen and printed alone, so it is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from services.game.dictionary import Dictionary
from services.game.object_table import Words
from services.game.story_tables import StoryTables
from services.game.surroundings import WORD, Item, words_in

DIRECTIONS = (
    "north",
    "south",
    "east",
    "west",
    "northeast",
    "northwest",
    "southeast",
    "southwest",
    "up",
    "down",
    "in",
    "out",
)

SEEN_FIRST = ("take {}", "open {}", "enter {}")
"""For each thing in the room."""
HELD_FIRST = ("turn on {}", "light {}", "wear {}", "open {}", "eat {}", "drink {}", "read {}")
"""For each thing held."""
PAIRS_FIRST = ("unlock {seen} with {held}", "put {held} in {seen}", "give {held} to {seen}")
SEEN_NEXT = ("push {}", "pull {}", "turn on {}", "climb {}", "move {}", "turn {}", "close {}", "read {}")
HELD_NEXT = ("drop {}", "turn off {}", "take off {}", "close {}", "put down {}")
SEEN_LAST = ("examine {}", "search {}", "look under {}", "eat {}", "drink {}", "turn off {}", "talk to {}")
HELD_LAST = ("examine {}", "push {}", "turn {}", "wave {}", "rub {}", "blow {}", "throw {}")
PAIRS_LAST = (
    "put {held} on {seen}",
    "attack {seen} with {held}",
    "tie {held} to {seen}",
    "throw {held} at {seen}",
    "show {held} to {seen}",
    "ask {seen} about {held}",
)
ALONE = ("jump", "pray", "listen", "sit", "stand", "sleep", "dig", "swim")
MENTIONED = 8
"""Words printed in the room that no listed object answers to, at most."""


@dataclass(frozen=True, slots=True)
class Around:
    """The words by which things here are called."""

    seen: tuple[str, ...]
    held: tuple[str, ...]
    mentioned: tuple[str, ...] = ()


def candidates(around: Around, dictionary: Dictionary) -> tuple[str, ...]:
    """Every action worth a try, best first, each once; only such whose words the game knows."""
    return tuple(
        dict.fromkeys(phrases(around, lambda forms: tuple(f for f in forms if sayable(f, dictionary))))
    )


def phrases(around: Around, known: Callable[[Sequence[str]], Sequence[str]]) -> Iterator[str]:
    """Every known form with every noun that fits it, best first."""
    things = around.seen + around.mentioned
    yield from known(DIRECTIONS)
    yield from each(known(SEEN_FIRST), around.seen)
    yield from each(known(HELD_FIRST), around.held)
    yield from each(known(SEEN_FIRST), around.mentioned)
    yield from pairs(known(PAIRS_FIRST), around.seen, around.held)
    yield from each(known(SEEN_NEXT), things)
    yield from each(known(HELD_NEXT), around.held)
    yield from pairs(known(PAIRS_FIRST), around.mentioned, around.held)
    yield from each(known(SEEN_LAST), things)
    yield from each(known(HELD_LAST), around.held)
    yield from known(ALONE)
    yield from pairs(known(PAIRS_LAST), things, around.held)


def each(forms: Sequence[str], nouns: Iterable[str]) -> Iterator[str]:
    """All forms of one noun, then of the next."""
    return (form.format(noun) for noun in nouns for form in forms)


def pairs(forms: Sequence[str], seen: Sequence[str], held: Sequence[str]) -> Iterator[str]:
    """One form with every two things, then the next."""
    return (form.format(seen=s, held=h) for form in forms for s in seen for h in held if s != h)


def sayable(form: str, dictionary: Dictionary) -> bool:
    """Whether the game knows the words around the nouns."""
    return all(word.startswith("{") or dictionary.known(word) for word in form.split())


def nouns_for(items: Sequence[Item], words: Words, dictionary: Dictionary) -> tuple[str, ...]:
    """What to call each thing: the last known word of its name, with one more where two share it."""
    taken: dict[str, str] = {}
    for item in items:
        short, long = spoken(item, words, dictionary)
        if short:
            taken.setdefault(long if short in taken else short, "")
    return tuple(taken)


def spoken(item: Item, words: Words, dictionary: Dictionary) -> tuple[str, str]:
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
        if entry and entry not in covered and entry in tables.things and dictionary.is_noun(entry):
            covered.add(entry)
            found[word] = None
    return tuple(found)[:MENTIONED]
