"""What could be done here: what the game offers, and what things, texts and people suggest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from folds.actions import direction_of, normal
from folds.rooms import room_of
from folds.words import head_of, is_person, nouns_in
from schemas.game import StepTaken
from services.actor.experience import Experience

_LYING_HERE = re.compile(
    r"[^.!?\n]*\b(?:(?:is|are|lies|lie) here|there (?:is|are)|(?:can |also )see)\b[^.!?\n]*", re.I
)
_LOCKED = re.compile(r"\block(ed)?\b", re.I)
_LIGHTS = ("lamp", "lantern", "torch", "candle", "flashlight", "match", "lighter", "light")
_KEYS = ("key", "keys", "lockpick", "card", "keycard", "pass")
_HANDLED = ("open", "push", "pull", "turn", "move", "search", "enter", "climb", "read")
TOPICS = 8


def candidates(step: StepTaken, known: Experience, hints: Iterable[str] = ()) -> tuple[str, ...]:
    """Every action worth a thought here, each once, in a fixed order."""
    found: dict[str, None] = {}
    for source in (
        step.valid_actions.actions if step.valid_actions else (),
        hints,
        known.unclaimed(room_of(step)),
        _with_things(step, known),
        _with_texts(step, known),
        _with_keys(step, known),
        _with_people(step, known),
    ):
        for action in source:
            found.setdefault(normal(action))
    return tuple(found)


def lights(known: Experience) -> tuple[str, ...]:
    """Things held that probably give light."""
    return tuple(head_of(name) for name in known.held if any(word in name.lower() for word in _LIGHTS))


def _with_things(step: StepTaken, known: Experience) -> Iterator[str]:
    for thing in step.objects or ():
        noun = head_of(thing.name)
        yield f"examine {noun}"
        if step.valid_actions is None:
            yield f"take {noun}"
            yield from (f"{verb} {noun}" for verb in _HANDLED)
    for name in known.held:
        noun = head_of(name)
        yield f"examine {noun}"
        yield f"read {noun}"
        if step.valid_actions is None:
            yield from (f"{verb} {noun}" for verb in ("open", "turn on", "wear", "rub", "wave", "eat"))


def _with_texts(step: StepTaken, known: Experience) -> Iterator[str]:
    """Scenery is looked at first; only what proved to be there is handled."""
    room = room_of(step)
    for noun in known.told(room):
        yield f"examine {noun}"
        if step.valid_actions is None and known.tried.in_room(room).get(f"examine {noun}"):
            yield f"take {noun}"
            yield from (f"{verb} {noun}" for verb in _HANDLED)
    if step.objects is None:
        yield "take all"
        for sentence in _LYING_HERE.findall(step.observation):
            yield from (f"take {noun}" for noun in nouns_in(sentence))


def _with_keys(step: StepTaken, known: Experience) -> Iterator[str]:
    """What was found locked here is tried with the keys held."""
    keys = [head_of(name) for name in known.held if head_of(name) in _KEYS]
    if not keys:
        return
    for attempt in known.tried.attempts.get(room_of(step), ()):
        if _LOCKED.search(attempt.result):
            noun = "door" if direction_of(attempt.action) else attempt.action.rpartition(" ")[2]
            yield from (f"unlock {noun} with {key}" for key in keys)


def _with_people(step: StepTaken, known: Experience) -> Iterator[str]:
    people = [head_of(t.name) for t in step.objects or () if is_person(t.name) or head_of(t.name) in known.people]
    if step.objects is None:
        people = [noun for noun in known.told(room_of(step)) if is_person(noun)]
    for person in people[:2]:
        yield f"talk to {person}"
        yield from (f"ask {person} about {topic}" for topic in _topics(step, known) if topic != person)
        if step.valid_actions is None:
            yield from (f"give {head_of(name)} to {person}" for name in known.held)


def _topics(step: StepTaken, known: Experience) -> tuple[str, ...]:
    held = (head_of(name) for name in known.held)
    seen = (head_of(thing.name) for thing in step.objects or ())
    return tuple(dict.fromkeys((*known.heard[-TOPICS:], *held, *seen)))[: 2 * TOPICS]
