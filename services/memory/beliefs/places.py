"""Where things are believed to be, and how a step changes that."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from folds.text.rooms import room_of
from folds.vocabulary.actions import normal
from folds.vocabulary.verbs import ActionKind, action_kind_of
from folds.vocabulary.words import MANY, words_of
from schemas.game import StepTaken, Thing
from services.memory.beliefs.facts import HAS, INSIDE, LOCATED_IN, PLAYER, Entity, EntityKind, Triple

_NESTING = 8
_INTO = frozenset("in into inside on onto to at under behind through over around".split())
_SHUTTING = frozenset("close shut lock seal fasten cover wrap".split())
_HANDING = (
    ActionKind.DROP,
    ActionKind.PLACE,
    ActionKind.GIVE,
    ActionKind.ATTACK,
    ActionKind.USE,
    ActionKind.HANDLE,
    ActionKind.OTHER,
)
"""Deeds by which a thing may go into another."""
_USING_UP = (*_HANDING, ActionKind.CONSUME, ActionKind.LIGHT)
_PARTED = re.compile(r"\b(dropped|you (now )?(drop|put down|throw|discard)|done|thrown)\b", re.I)


@dataclass(frozen=True, slots=True)
class BelievedPlace:
    """Who has a thing: the player or a room, and the thing that it is in or on."""

    holder: str
    container: str | None = None

    @property
    def held(self) -> bool:
        """Whether the player has it, in hand or inside something in hand."""
        return self.holder == PLAYER.id


Places = Mapping[str, BelievedPlace]


def thing_id(thing: Thing) -> str:
    """A thing's number, its name where it has none."""
    return f"item:{thing.id or thing.name}"


def thing_entity(thing: Thing) -> Entity:
    """The entity of a thing."""
    return Entity(thing_id(thing), EntityKind.ITEM, thing.name)


def things_seen(step: StepTaken) -> tuple[Thing, ...]:
    """All that a step shows: what is held, then what is here."""
    return (*(step.inventory or ()), *(step.objects or ()))


def moves_of(
    places: Places,
    before: StepTaken | None,
    step: StepTaken,
    here: str | None,
    entities: Mapping[str, Entity],
) -> dict[str, BelievedPlace | None]:
    """The things that a step finds in another place than they were believed in, and where; None: gone.

    What is not seen any more, though it would be, has gone: it has no place until it is seen again. But
    what the action has put into a thing in sight is in there; and what was in a thing that is still in
    sight is taken to be shut inside, and goes where that thing goes, unless it was seen in there just now.
    `here` is None where the player's room is unknown.
    """
    seen = _seen(step, here)
    moves: dict[str, BelievedPlace | None] = {
        thing: place for thing, place in seen.items() if places.get(thing) != place
    }
    glance = _Glance(places, seen, _shown_before(before, step), step, here, entities)
    for thing, place in places.items():
        if thing not in seen and (place.holder in (here, PLAYER.id) or place.container is not None):
            now = glance.unseen(thing, place)
            if now != place:
                moves[thing] = now
    return moves


def _shown_before(before: StepTaken | None, step: StepTaken) -> frozenset[str]:
    """What showed a step ago, where it should still show if nothing but the action has happened to it."""
    action = normal(step.action or "")
    apart = before is None or before.episode != step.episode or room_of(before) != room_of(step)
    if before is None or apart or action.partition(" ")[0] in _SHUTTING:
        return frozenset()
    return frozenset(map(thing_id, things_seen(before)))


def triples_of(thing: str, place: BelievedPlace | None) -> tuple[Triple, ...]:
    """The facts that say where a thing is."""
    if place is None:
        return ()
    whose: Triple = (PLAYER.id, HAS, thing) if place.held else (thing, LOCATED_IN, place.holder)
    return (whose,) if place.container is None else (whose, (thing, INSIDE, place.container))


def _seen(step: StepTaken, here: str | None) -> dict[str, BelievedPlace]:
    """The places that a step shows; the hand wins where a thing shows in both."""
    ids = {thing.id: thing_id(thing) for thing in things_seen(step)}
    visible = step.objects if here is not None else None
    places: dict[str, BelievedPlace] = {}
    for holder, things in ((PLAYER.id, step.inventory), (here, visible)):
        for thing in things or ():
            container = ids.get(thing.container) if thing.container not in (None, thing.id) else None
            places.setdefault(thing_id(thing), BelievedPlace(str(holder), container))
    return places


@dataclass(frozen=True, slots=True)
class _Glance:
    """What one step shows, to judge by where the things are that it does not show."""

    places: Places
    seen: Places
    shown_before: frozenset[str]
    step: StepTaken
    here: str | None
    entities: Mapping[str, Entity]

    def unseen(self, thing: str, place: BelievedPlace) -> BelievedPlace | None:
        """The place of a thing that does not show; None where it has gone."""
        name = self.entities[thing].name
        box = self._box_in_sight(place)
        if box is not None:
            gone = thing in self.shown_before or self._is_told(name) or self._used_up(name, place, box)
            return self._put(name, place) if gone else BelievedPlace(box.holder, place.container)
        if place.held and self.step.inventory is not None:
            return self._put(name, place) or self._dropped()
        if place.holder == self.here and self.step.objects is not None:
            return self._put(name, place)
        return place

    def _box_in_sight(self, place: BelievedPlace) -> BelievedPlace | None:
        """The place of the nearest thing around it that shows."""
        container = place.container
        for _ in range(_NESTING):
            if container is None or container in self.seen:
                break
            outer = self.places.get(container)
            container = outer.container if outer else None
        return self.seen.get(container) if container else None

    def _is_told(self, name: str) -> bool:
        """Whether the reply names it: then it would show if it were in what is in sight."""
        return _named(name, words_of(self.step.observation))

    def _used_up(self, name: str, place: BelievedPlace, box: BelievedPlace) -> bool:
        """Whether the action was about this thing (`eat the lunch`), and not about a box being carried."""
        action = self.step.action or ""
        return (
            place.holder == box.holder
            and action_kind_of(action) in _USING_UP
            and _named(name, _words(action))
        )

    def _put(self, name: str, place: BelievedPlace) -> BelievedPlace | None:
        """Inside what is in sight, where the action has put it there: `put lamp in sack`.

        Whatever leaves the hand at such an action has been put, by whichever word it was called.
        """
        action = normal(self.step.action or "")
        if action_kind_of(action) not in _HANDING or self._is_told(name):
            return None
        words = _words(action)[1:]
        from_hand = place.held and action_kind_of(action) in (ActionKind.PLACE, ActionKind.GIVE)
        at = next((at for at, word in enumerate(words) if word in _INTO and at), None)
        if at is None:
            given = action_kind_of(action) is ActionKind.GIVE and (from_hand or _named(name, words))
            target = self._in_sight(words[:1], name) if given else None
        else:
            moved = from_hand or _named(name, words[:at]) or not MANY.isdisjoint(words[:at])
            target = self._in_sight(words[at + 1 :], name) if moved else None
        return BelievedPlace(self.seen[target].holder, target) if target else None

    def _in_sight(self, words: list[str], without: str) -> str | None:
        """The thing in sight that words name, best by its last word."""
        named = [thing for thing in self.seen if self.entities[thing].name != without]
        last = (thing for thing in named if _named(self.entities[thing].name, words))
        any_word = (t for t in named if not set(words_of(self.entities[t].name)).isdisjoint(words))
        return next(last, None) or next(any_word, None)

    def _dropped(self) -> BelievedPlace | None:
        """What left the hand lies here, if it was dropped: out of sight, as in a boat, where that is told."""
        if self.here is None or action_kind_of(self.step.action or "") is not ActionKind.DROP:
            thrown = normal(self.step.action or "").partition(" ")[0] in {"put", "throw", "leave"}
            return BelievedPlace(str(self.here)) if thrown and self._lies_unseen() else None
        told = self.step.objects is None or _PARTED.search(self.step.observation)
        return BelievedPlace(self.here) if told else None

    def _lies_unseen(self) -> bool:
        return self.here is not None and self.step.objects is None


def _named(name: str, words: Iterable[str]) -> bool:
    """Whether words have a thing's name, or its last word as players write it."""
    own = words_of(name)
    return bool(own) and own[-1] in words


def _words(text: str) -> list[str]:
    return list(words_of(text))
