"""Where a thing is that should show, and does not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from folds.text.rooms import room_of
from folds.vocabulary.verbs import ActionKind, action_kind_of
from folds.vocabulary.words import MANY, words_of
from services.memory.beliefs.facts import Entity
from services.memory.beliefs.things import BelievedPlace, thing_id, things_seen
from services.memory.beliefs.transition import StepTransition

_MAX_NESTING = 8
_PREPOSITIONS = frozenset("in into inside on onto to at under behind through over around".split())
_CLOSING_VERBS = frozenset("close shut lock seal fasten cover wrap".split())
_DROPPING_VERBS = frozenset({"put", "throw", "leave"})
_TRANSFERRING = (
    ActionKind.DROP,
    ActionKind.PLACE,
    ActionKind.GIVE,
    ActionKind.ATTACK,
    ActionKind.USE,
    ActionKind.HANDLE,
    ActionKind.OTHER,
)
"""Kinds of actions that can put a thing into another."""
_CONSUMING = (*_TRANSFERRING, ActionKind.CONSUME, ActionKind.LIGHT)
_DROPPED = re.compile(r"\b(dropped|you (now )?(drop|put down|throw|discard)|done|thrown)\b", re.I)

Places = Mapping[str, BelievedPlace]


class UnseenThings:
    """Infers, after one step, the places of things that the step should show and does not.

    1. The thing was in a container that still shows. It is taken to be shut inside, and goes where the
       container goes; but it is gone if it showed inside a step ago, if the reply names it, or if the action
       has used it up.
    2. The action has put it into a thing in sight: it is in there.
    3. The player had it and has dropped it: it is in the room.
    4. Otherwise it is gone: it has no place until a step shows it again.
    """

    def __init__(
        self,
        places: Places,
        shown: Places,
        transition: StepTransition,
        room: str | None,
        entities: Mapping[str, Entity],
    ) -> None:
        """`places`: before the step; `shown`: by the step; `room`: the player's, None where unknown."""
        self._places, self._shown, self._entities = places, shown, entities
        self._step, self._action, self._room = transition.step, transition.action, room
        self._kind = action_kind_of(transition.step.action or "")
        self._shown_before = _shown_before(transition)

    def place_of(self, thing: str, place: BelievedPlace) -> BelievedPlace | None:
        """The place of a thing that was in `place` before the step; None: it is gone."""
        name = self._entities[thing].name
        container = self._visible_container(place)
        if container is not None:
            if self._has_left(thing, name, place, container):
                return self._put_into(name, place)
            return BelievedPlace(container.holder, place.container)
        if place.is_carried and self._step.inventory is not None:
            return self._put_into(name, place) or self._dropped()
        if place.holder == self._room and self._step.objects is not None:
            return self._put_into(name, place)
        return place

    def _visible_container(self, place: BelievedPlace) -> BelievedPlace | None:
        """The place of the innermost container around a thing that shows."""
        container = place.container
        for _ in range(_MAX_NESTING):
            if container is None or container in self._shown:
                break
            outer = self._places.get(container)
            container = outer.container if outer else None
        return self._shown.get(container) if container else None

    def _has_left(self, thing: str, name: str, place: BelievedPlace, container: BelievedPlace) -> bool:
        return (
            thing in self._shown_before
            or self._is_in_reply(name)
            or (place.holder == container.holder and self._is_used_up(name))
        )

    def _is_in_reply(self, name: str) -> bool:
        """Whether the reply names the thing: then it would show if it were in something in sight."""
        return _is_named(name, words_of(self._step.observation))

    def _is_used_up(self, name: str) -> bool:
        """Whether the action was about the thing itself: `eat the lunch`."""
        return self._kind in _CONSUMING and _is_named(name, words_of(self._step.action or ""))

    def _put_into(self, name: str, place: BelievedPlace) -> BelievedPlace | None:
        """Inside a thing in sight, where the action has put it: `put lamp in sack`, `give lamp to troll`.

        Whatever leaves the hand at such an action has been put, by whichever word the action called it.
        """
        if self._kind not in _TRANSFERRING or self._is_in_reply(name):
            return None
        words = words_of(self._action)[1:]
        at = next((at for at, word in enumerate(words) if word in _PREPOSITIONS and at), None)
        from_hand = place.is_carried and self._kind in (ActionKind.PLACE, ActionKind.GIVE)
        if at is not None:
            moved = from_hand or _is_named(name, words[:at]) or not MANY.isdisjoint(words[:at])
            target = self._find(words[at + 1 :], name) if moved else None
        else:
            moved = self._kind is ActionKind.GIVE and (from_hand or _is_named(name, words))
            target = self._find(words[:1], name) if moved else None
        return BelievedPlace(self._shown[target].holder, target) if target else None

    def _find(self, words: Sequence[str], excluded: str) -> str | None:
        """The thing in sight that words name, best by the last word of its name."""
        named = [thing for thing in self._shown if self._entities[thing].name != excluded]
        last = (thing for thing in named if _is_named(self._entities[thing].name, words))
        any_word = (t for t in named if not set(words_of(self._entities[t].name)).isdisjoint(words))
        return next(last, None) or next(any_word, None)

    def _dropped(self) -> BelievedPlace | None:
        """In the room, if the action dropped it. If the room shows its objects, the text must say so."""
        if self._room is None:
            return None
        if self._kind is ActionKind.DROP:
            is_here = self._step.objects is None or _DROPPED.search(self._step.observation) is not None
        else:
            is_here = self._step.objects is None and self._action.partition(" ")[0] in _DROPPING_VERBS
        return BelievedPlace(self._room) if is_here else None


def _shown_before(transition: StepTransition) -> frozenset[str]:
    """The things that showed a step ago, where only the action can have hidden them since."""
    before, step = transition.before, transition.step
    if before is None or transition.starts_episode or room_of(before) != room_of(step):
        return frozenset()
    if transition.action.partition(" ")[0] in _CLOSING_VERBS:
        return frozenset()
    return frozenset(map(thing_id, things_seen(before)))


def _is_named(name: str, words: Iterable[str]) -> bool:
    """Whether words contain the last word of a thing's name, by which players call it."""
    own = words_of(name)
    return bool(own) and own[-1] in words
