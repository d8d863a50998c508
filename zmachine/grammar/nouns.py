"""The words by which a player can name a thing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from zmachine.dictionary import Dictionary
from zmachine.grammar.candidates import DIRECTIONS, NO_NAMES
from zmachine.reading.surroundings import WORD, words_in
from zmachine.story_tables import StoryTables

FORMS = 8
"""Names of one thing, at most."""


def forms_of(name: str, own: Sequence[str], dictionary: Dictionary) -> tuple[str, ...]:
    """The names of a thing, the plainest first: single words, the last of its printed name first, then pairs.

    `own`: the words that the parser takes for the thing. None: the parser has no word for it.
    """
    named = [word for word in words_in(name.replace("_", " ")) if dictionary.known(word)]
    fitting = [word for word in named if not own or dictionary.known(word) in own]
    known = {dictionary.known(word) for word in fitting}
    others = [word for word in own if WORD.fullmatch(word) and word not in known]
    singles = sorted((*reversed(fitting), *others), key=str.isdigit)
    if not singles:
        return ()
    pairs = (f"{one} {singles[0]}" for one in (*reversed(fitting), *others) if one != singles[0])
    return tuple(dict.fromkeys((singles[0], *pairs, *singles[1:])))[:FORMS]


def named_in(printed: Iterable[str], covered: Iterable[str], tables: StoryTables) -> tuple[str, ...]:
    """Printed words that may name a thing, but none that the covered words name."""
    dictionary = tables.dictionary
    known = {dictionary.known(word) for word in (*covered, *DIRECTIONS, *NO_NAMES)}
    found: dict[str | None, str] = {}
    for word in printed:
        entry = dictionary.known(word)
        named = entry in tables.things or not tables.things
        if entry not in known and named and dictionary.is_noun(word):
            found.setdefault(entry, word)
    return tuple(found.values())
