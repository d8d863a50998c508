"""What could be done here: what the game offers, and what things, texts and people suggest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from folds.text.rooms import room_of
from folds.vocabulary.actions import direction_of, normal
from folds.vocabulary.words import called, head_of, words_of
from schemas.game import StepTaken
from services.actor.knowledge.experience import Experience
from services.actor.knowledge.kinds import FIXED, KEYS, LIGHTS, MOVABLE, OPENABLE
from services.actor.knowledge.texts import LOCKED

_HANDLED = ("open", "push", "pull", "turn", "move", "search", "enter", "climb", "read")
IDLE = ("look", "listen", "smell", "inventory", "wait")
"""What leaves the world as it is: done where the game may yet find more valid actions in it."""

TOPICS, MANY = 12, 6
"""Topics offered of each source; things held from which on a burden is likely."""


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
        _under_a_burden(step, known),
        IDLE if step.valid_actions and not step.valid_actions.complete else (),
    ):
        for action in source:
            if action:
                found.setdefault(normal(action))
    return tuple(found)


def lights(known: Experience) -> tuple[str, ...]:
    """Things held that probably give light."""
    return tuple(head_of(name) for name in known.held if not LIGHTS.isdisjoint(words_of(name)))


def keys(known: Experience) -> tuple[str, ...]:
    """Things held that probably unlock something."""
    return tuple(head_of(name) for name in known.held if head_of(name) in KEYS)


def _with_things(step: StepTaken, known: Experience) -> Iterator[str]:
    nouns = called((*(thing.name for thing in step.objects or ()), *known.held))
    for thing in step.objects or ():
        yield from _with_a_visible_thing(nouns[thing.name], step, known)
    for name in known.held:
        noun = nouns[name]
        yield f"examine {noun}"
        yield f"read {noun}"
        if step.valid_actions is None:
            yield from (f"{verb} {noun}" for verb in ("open", "turn on", "wear", "rub", "wave", "eat"))
    inside = {thing.id for thing in step.inventory or ()}
    yield from (f"take {head_of(thing.name)}" for thing in step.inventory or () if thing.container in inside)


def _with_a_visible_thing(noun: str, step: StepTaken, known: Experience) -> Iterator[str]:
    """Where valid actions are known, only what their search may have missed is added."""
    head, valid = head_of(noun), step.valid_actions
    yield f"examine {noun}"
    if head not in FIXED and (valid is None or len(known.held) >= MANY):
        yield f"take {noun}"
    if valid is None:
        yield from (f"{verb} {noun}" for verb in _HANDLED)
    elif " " in noun or head in OPENABLE:
        yield f"open {noun}"
    if valid is not None and not valid.complete and head in MOVABLE:
        yield from (f"{verb} {noun}" for verb in ("move", "push"))


def _with_texts(step: StepTaken, known: Experience) -> Iterator[str]:
    """Scenery is looked at first; only what proved to be there (or is made to be opened) is handled."""
    room = room_of(step)
    for noun in known.mentions.told(room):
        yield f"examine {noun}"
        if step.valid_actions is None and noun in OPENABLE:
            yield f"open {noun}"
        looked = f"examine {noun}" in known.tried.in_room(room)
        if step.valid_actions is None and looked and not known.refusals.of_word(noun, room):
            yield f"take {noun}"
            yield from (f"{verb} {noun}" for verb in _HANDLED)
    if not step.world:
        yield "take all"


def _with_keys(step: StepTaken, known: Experience) -> Iterator[str]:
    """What was found locked here is tried with the keys held."""
    if not keys(known):
        return
    for attempt in known.tried.by_room.get(room_of(step), ()):
        if LOCKED.search(attempt.result):
            noun = "door" if direction_of(attempt.action) else attempt.action.rpartition(" ")[2]
            yield from (f"unlock {noun} with {key}" for key in keys(known))


def _with_people(step: StepTaken, known: Experience) -> Iterator[str]:
    people = [head_of(t.name) for t in step.objects or () if known.mentions.is_person(t.name)]
    for person in people[:2]:
        yield f"talk to {person}"
        yield from (f"ask {person} about {topic}" for topic in _topics(step, known) if topic != person)
        if step.valid_actions is None:
            yield from (f"give {head_of(name)} to {person}" for name in known.held)


def _topics(step: StepTaken, known: Experience) -> tuple[str, ...]:
    held = (head_of(name) for name in known.held)
    seen = (head_of(thing.name) for thing in step.objects or ())
    mentions = (*known.mentions.names[-TOPICS:], *known.mentions.topics[-TOPICS:])
    return tuple(dict.fromkeys((*mentions, *held, *seen)))[: 3 * TOPICS]


def _under_a_burden(step: StepTaken, known: Experience) -> Iterator[str]:
    """Room is made for what could not be carried."""
    if known.burdened_at == step.step:
        yield from (f"drop {head_of(name)}" for name in known.held)
