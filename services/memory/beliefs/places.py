"""Where each thing is believed to be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from schemas.game import StepTaken
from services.memory.beliefs.facts import PLAYER, FactLog
from services.memory.beliefs.things import BelievedPlace, place_facts, thing_entity, thing_id, things_seen
from services.memory.beliefs.transition import StepTransition
from services.memory.beliefs.unseen_things import UnseenThings


class ThingPlaces:
    """A fold that writes `has`, `located_in` and `inside` facts.

    A step shows things in the inventory and in the room: they are where they are shown. A thing that should
    show there and does not is judged by `UnseenThings`. All other things stay where they were.
    """

    def __init__(self, log: FactLog) -> None:
        self._log = log
        self._places: dict[str, BelievedPlace] = {}
        self._by_holder: dict[str, dict[str, None]] = defaultdict(dict)
        self._in_sight: tuple[str, ...] = ()
        self._confirmed: dict[str, int] = {}

    @property
    def places(self) -> Mapping[str, BelievedPlace]:
        """By thing, its place; the thing that moved last stands last. Things in no known place are absent."""
        return self._places

    @property
    def in_sight(self) -> tuple[str, ...]:
        """The things that the last step shows."""
        return self._in_sight

    @property
    def confirmed(self) -> Mapping[str, int]:
        """By thing, the last step that showed it or moved it."""
        return self._confirmed

    def at(self, holder: str) -> tuple[str, ...]:
        """The things that a room or the player holds; the thing that moved last stands last."""
        return tuple(self._by_holder.get(holder, ()))

    def after(self, transition: StepTransition, room: str | None) -> None:
        """Fold one step; `room` is the room of the player, None where that is unknown."""
        step = transition.step
        self._in_sight = tuple(self._log.add(thing_entity(thing)) for thing in things_seen(step))
        for thing, place in self._moves(transition, room).items():
            self._move(thing, place)
        self._confirmed.update(dict.fromkeys(self._in_sight, step.step))

    def restore(self, places: Mapping[str, BelievedPlace]) -> None:
        """Put all things where they were at an earlier state of the game."""
        for thing in dict.fromkeys((*self._places, *places)):
            self._move(thing, places.get(thing))

    def end_episode(self) -> None:
        """Forget where things are: the world is as it was at the opening."""
        self._places.clear()
        self._by_holder.clear()

    def _moves(self, transition: StepTransition, room: str | None) -> dict[str, BelievedPlace | None]:
        """The things that are in another place than before the step, and that place; None: nowhere."""
        shown = shown_places(transition.step, room)
        unseen = UnseenThings(self._places, shown, transition, room, self._log.entities)
        moves: dict[str, BelievedPlace | None] = {
            thing: place for thing, place in shown.items() if self._places.get(thing) != place
        }
        for thing, place in self._places.items():
            should_show = place.holder in (room, PLAYER.id) or place.container is not None
            if should_show and thing not in shown and (now := unseen.place_of(thing, place)) != place:
                moves[thing] = now
        return moves

    def _move(self, thing: str, place: BelievedPlace | None) -> None:
        old = self._places.pop(thing, None)
        self._log.replace(place_facts(thing, old), place_facts(thing, place))
        if old is not None:
            del self._by_holder[old.holder][thing]
        if place is not None:
            self._places[thing] = place
            self._by_holder[place.holder][thing] = None
            if old is None or old.container != place.container or old.container is None:
                self._confirmed[thing] = self._log.step


def shown_places(step: StepTaken, room: str | None) -> dict[str, BelievedPlace]:
    """The places of the things that a step shows; the inventory wins where a thing shows in both."""
    ids = {thing.id: thing_id(thing) for thing in things_seen(step)}
    visible = step.objects if room is not None else None
    places: dict[str, BelievedPlace] = {}
    for holder, things in ((PLAYER.id, step.inventory), (room, visible)):
        for thing in things or ():
            container = ids.get(thing.container) if thing.container not in (None, thing.id) else None
            places.setdefault(thing_id(thing), BelievedPlace(str(holder), container))
    return places
