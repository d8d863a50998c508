"""What a text says is closed, locked, off, or fixed in its place, and what was opened, by room."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from enum import StrEnum

from folds.text.phrases import QUOTED, is_fruitless, is_refused
from folds.text.rooms import room_of
from folds.text.things.inventory import object_of
from folds.text.things.take_answers import TakeAnswer, answers_in
from folds.vocabulary.actions import normal
from folds.vocabulary.verbs import ActionKind, action_kind_of
from folds.vocabulary.words import head_of
from schemas.game import RESTART, StepTaken


class Condition(StrEnum):
    """What keeps a thing from being used as it is, that it is off, or that it was opened."""

    OPEN = "open"
    CLOSED = "closed"
    LOCKED = "locked"
    FIXED = "fixed"
    OFF = "off"


_NOUN = r"(?P<noun>[a-z][a-z'-]*)"
_SHUT = r"(?P<how>closed|shut|locked|bolted)"
_SAID = (
    re.compile(
        rf"\b{_NOUN}(?:,? (?:which|that))?,? \(?(?:which )?(?:is|are|seems? to be|appears? to be|looks)"
        rf"(?: (?:now|currently|still|firmly|tightly|also))? {_SHUT}\b",
        re.I,
    ),
    re.compile(
        rf"\b{_SHUT} (?:[a-z-]+ )?(?!here\b|there\b){_NOUN}"
        r"(?=[.,;)]| (?:here|leads|to|in|on|stands|blocks)\b)",
        re.I,
    ),
    re.compile(rf"\b{_NOUN} \({_SHUT}\b", re.I),
)
_IT = re.compile(rf"^\W*(?:it|that|they)(?:'s|'re| is| are| seems? to be| appears? to be) {_SHUT}\b", re.I)
_OFF = re.compile(
    rf"\b{_NOUN}(?:,|,? (?:which|that))?(?: (?:is|are|has been))?(?: (?:now|currently|still))? "
    r"(?:turned|switched) off\b",
    re.I,
)
_STOOD_OPEN = re.compile(r"[\w' -]+ (?:is|are|stands?) (?:already )?open[.!]?", re.I)
"""What is said of what was open before: `The door is open.`"""
_STAYS_SHUT = re.compile(
    r"\b(?:needs?|no|without) power\b|\b(?:is|seems|looks) (?:to be )?dead\b|"
    r"\b(?:won't|will not|doesn't|does not|refuses to|fails to) (?:open|budge|move)\b",
    re.I,
)
"""No answer of what was opened: `The lock is dead. It needs power.`"""
_NO_NOUNS = frozenset(
    """
    it that they which this there he she you and or now today again tight tightly fast open closed shut locked
    bolted unlocked behind off up down for when if while but as so also not
    """.split()
)
_NOTHING: Mapping[str, Condition] = {}


class Conditions:
    """The nouns of each room that were last said to be closed, locked, off or fixed, or that were opened."""

    def __init__(self) -> None:
        self._by_room: dict[str, dict[str, Condition]] = defaultdict(dict)

    def after(self, step: StepTaken) -> Conditions:
        """Fold one step, its room known. A repeat changes nothing."""
        if step.action in (None, RESTART):
            self._by_room.clear()
        here = self._by_room[room_of(step)]
        noun = head_of(object_of(step.action or "").partition(" with ")[0])
        if action_kind_of(step.action or "") is ActionKind.OPEN and not is_fruitless(step.observation):
            was = here.pop(noun, None)
            if normal(step.action or "").startswith("open") and noun:
                text = step.observation.strip()
                if not _STAYS_SHUT.search(text) and not _STOOD_OPEN.fullmatch(text):
                    here[noun] = Condition.OPEN
            elif was is not None:
                here[noun] = Condition.CLOSED
        if action_kind_of(step.action or "") is ActionKind.LIGHT and here.get(noun) is Condition.OFF:
            here.pop(noun)
        for said, condition in _said_by(step, noun):
            if condition is not Condition.FIXED or said not in here:
                here[said] = condition
        return self

    def of(self, room: str) -> Mapping[str, Condition]:
        """The nouns of a room with what was last said of them."""
        return self._by_room.get(room, _NOTHING)


def _said_by(step: StepTaken, noun: str) -> Iterator[tuple[str, Condition]]:
    text = QUOTED.sub("", step.observation)
    if is_refused(text):
        return
    for found in (each for pattern in _SAID for each in pattern.finditer(text)):
        if found["noun"].lower() not in _NO_NOUNS and "'" not in found["noun"]:
            yield found["noun"].lower(), _condition(found["how"])
    for found in _OFF.finditer(text):
        if found["noun"].lower() not in _NO_NOUNS:
            yield found["noun"].lower(), Condition.OFF
    if noun and (said := _IT.search(text)):
        yield noun, _condition(said["how"])
    if action_kind_of(step.action or "") is ActionKind.TAKE:
        each = answers_in(text) or (TakeAnswer(noun, text),)
        yield from ((head_of(a.name), Condition.FIXED) for a in each if a.name and a.fixed and not a.taken)


def _condition(how: str) -> Condition:
    return Condition.LOCKED if how.lower() in ("locked", "bolted") else Condition.CLOSED
