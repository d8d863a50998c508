"""Tracks the things and people in each room by the game's text."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from folds.text.headings import described_in
from folds.text.phrases import is_fruitless, is_refused
from folds.text.things.inventory import gone_in, object_of, thing_named
from folds.text.things.listings import things_in
from folds.vocabulary.actions import normal
from folds.vocabulary.verbs import ActionKind, action_kind_of
from folds.vocabulary.words import MANY, head_of, words_of
from schemas.game import RESTART, StepTaken, Thing

_ABOUT_ELSEWHERE = (ActionKind.READ, ActionKind.TALK)
MOST = 12
"""The most things of a room."""


class Sightings:
    """The nouns of things by room, as its texts list them; taken and dropped things move."""

    def __init__(self) -> None:
        self._here: dict[str, dict[str, None]] = defaultdict(dict)
        self._room = ""
        self._held: frozenset[str] = frozenset()

    def things(self, step: StepTaken, room: str, inventory: Iterable[Thing]) -> tuple[Thing, ...]:
        """The things in the room of a step that are not carried. A repeat changes nothing."""
        held = frozenset(thing.name for thing in inventory)
        if step.action in (None, RESTART):
            self._here.clear()
        here = self._here[room]
        if room != self._room or normal(step.action or "") == "look":
            here.clear()
        if action_kind_of(step.action or "") not in _ABOUT_ELSEWHERE:
            here.update(dict.fromkeys(things_here_in(_text_about_here(step))))
            here.update(dict.fromkeys(_namesakes_in(_text_about_here(step), here, held)))
        if action_kind_of(step.action or "") is ActionKind.DROP:
            here.update(dict.fromkeys(sorted(map(head_of, self._held - held))))
            here.update(dict.fromkeys(_dropped_by(step)))
        away = gone_in(step.observation).union(*map(_nouns, held))
        left = [name for name in here if _is_left(name, held, away)]
        self._here[room] = here = dict.fromkeys(left[:MOST])
        self._room, self._held = room, held
        return tuple(map(thing_named, here))


def _namesakes_in(text: str, here: Iterable[str], held: Iterable[str]) -> Iterator[str]:
    """The whole names of things of one noun: `a red box and a blue box`, or of one such as is held."""
    if is_refused(text) or is_fruitless(text):
        return
    names = sorted(name for name in held if " " in name)
    for noun in dict.fromkeys(map(head_of, (*here, *names))):
        found = re.findall(rf"\b(?:an?|some|another) ((?:[a-z-]+ ){{1,2}}{re.escape(noun)})\b", text, re.I)
        said = dict.fromkeys(" ".join(words_of(each)) for each in found)
        others = {*names, *said}
        yield from (each for each in said if any(_differ(each, other, noun) for other in others))


def _differ(name: str, other: str, noun: str) -> bool:
    """Whether two names of one noun cannot be of one thing: a `lamp`, also a `shiny lamp`, is no other."""
    words, more = set(words_of(name)), set(words_of(other))
    return noun in more and not (words <= more or more <= words)


def _is_left(name: str, held: frozenset[str], away: frozenset[str]) -> bool:
    """Whether a thing is still here: one that has its whole name is not gone with another of its noun."""
    if " " in name and " of " not in name:
        return name not in held
    return away.isdisjoint((name, *_nouns(name)))


def _nouns(name: str) -> tuple[str, ...]:
    """The nouns for a thing: a `coil of rope` is a coil, and rope."""
    return (head_of(name), *words_of(name)[-1:])


def _dropped_by(step: StepTaken) -> tuple[str, ...]:
    """The thing that an action has dropped, even if it was not known to be carried."""
    name = object_of(step.action or "")
    several = not name or not MANY.isdisjoint(words_of(name))
    return () if several or is_fruitless(step.observation) else (head_of(name),)


def _text_about_here(step: StepTaken) -> str:
    """The part of a text about this room: the preface of an opening is about others."""
    opening = described_in(step.observation) if step.action in (None, RESTART) else None
    return opening.below if opening else step.observation


def things_here_in(text: str) -> tuple[str, ...]:
    """The names of the things here by a text; none if the text refuses the action."""
    return () if is_refused(text) else things_in(text)
