"""What lies (or who stands) in a room when the game says it in words only."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache

from folds.actions import normal
from folds.belongings import thing_named
from folds.rooms import room_of
from folds.texts import REFUSED
from folds.verbs import Deed, deed_of
from folds.words import head_of, is_person, nouns_in
from schemas.game import RESTART, StepTaken, Thing

_REST = r"(?P<things>[^.!?\n]+)"
_LISTS = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"\bthere (?:is|are) {_REST}",
        rf"\byou (?:can |also |can also )?(?:see|notice|find|spot) {_REST}",
        rf"\b(?:reveal(?:s|ing)|contain(?:s|ing)|exposing) {_REST}",
        r"(?:^|[.!?\n])(?P<things>[^.!?\n]+?) (?:is|are|lies|lie|sits|stands) here\b",
        rf"\b[io]n the [\w' -]+?,? (?:is|are|lies|lie|sits|stands) (?=an? |the |some ){_REST}",
    )
)
_ABOUT_ELSEWHERE = (Deed.READ, Deed.TALK)
MOST = 12
"""Things kept for a room."""


class Lying:
    """Nouns of things by room, as its texts list them; what is taken or laid down moves."""

    def __init__(self) -> None:
        self._here: dict[str, dict[str, None]] = defaultdict(dict)
        self._room = ""
        self._held: frozenset[str] = frozenset()

    def things(self, step: StepTaken) -> tuple[Thing, ...]:
        """What is known to lie in the room of a step whose inventory is known. A repeat changes nothing."""
        held = frozenset(head_of(thing.name) for thing in step.inventory or ())
        if step.action in (None, RESTART):
            self._here.clear()
        here = self._here[room_of(step)]
        if room_of(step) != self._room or normal(step.action or "") == "look":
            here.clear()
        if deed_of(step.action or "") not in _ABOUT_ELSEWHERE:
            here.update(dict.fromkeys(lying_in(step.observation)))
        if deed_of(step.action or "") is Deed.DROP:
            here.update(dict.fromkeys(sorted(self._held - held)))
        self._here[room_of(step)] = here = {name: None for name in [*here][:MOST] if name not in held}
        self._room, self._held = room_of(step), held
        return tuple(map(thing_named, here))


@lru_cache(maxsize=128)
def lying_in(text: str) -> tuple[str, ...]:
    """The nouns of sentences like `There is a lamp here`, and of people."""
    return () if REFUSED.search(text) else tuple(_lying(text))


def _lying(text: str) -> Iterator[str]:
    for listed in _LISTS:
        for things in listed.findall(text):
            yield from nouns_in(things)
    yield from (noun for noun in nouns_in(text) if is_person(noun))
