"""What is believed of one session's world, as a fold over its steps."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from folds.actions import direction_of
from folds.by_text import ByText
from folds.map import Map
from folds.rooms import UNKNOWN_ROOM, room_of
from folds.tried import Tried
from schemas.game import StepTaken
from services.memory.facts import (
    AT,
    EXIT,
    PLAYER,
    TRIED,
    Changes,
    Ledger,
    Triple,
    Turn,
    direction_entity,
    room_entity,
)
from services.memory.places import Place, moves_of, thing_entity, thing_id, things_seen, triples_of

_WORD = re.compile(r"\w+")


class Beliefs:
    """What is believed now: where the player is, where things are, where ways lead. Pure; holds no history.

    What a step does not say (`None`) changes nothing, but for the room: where neither the step nor its
    text tells that, or the game is over, the player is believed to be nowhere. What the text alone tells is
    less sure: the ids of such rooms begin with `name:`, and `things_by_text` says it of things.

    A restart ends what was believed of the player and of things, for the world is as it was at the opening;
    ways found and ways blocked stay, as they do on the `Map`, because rooms do not move.
    """

    def __init__(self) -> None:
        self.last: StepTaken | None = None
        self.map = Map()
        self.tried = Tried()
        self.places: dict[str, Place] = {}
        self.changes: Changes | None = None
        self.here: str | None = None
        self.things_by_text = False
        self.visited: dict[str, int] = {}
        self.likely: dict[str, tuple[str, ...]] = {}
        self._ledger = Ledger()
        self._by_text = ByText()
        self._namesakes: Counter[str] = Counter()
        self._ways: dict[str, dict[Triple, None]] = {}

    def after(self, step: StepTaken) -> Beliefs:
        """Fold one step; `changes` then says what it changed. A step folded before changes nothing."""
        before = self.last
        if before is not None and step.step <= before.step:
            return self
        self.things_by_text = step.inventory is None and step.objects is None
        step = self._by_text.read(step)
        self._ledger.turn_to(step.step)
        self._ledger.meet(PLAYER)
        self.map.after(step)
        self.tried.after(step)
        if before is not None and before.episode != step.episode:
            self._forget_the_episode()
        self._believe(before, step)
        self.last = step
        self.changes = self._ledger.changes(self._turn(before, step), self._mentions(step))
        return self

    def since(self, triple: Triple) -> int | None:
        """From which step on a fact has been believed; None: it is not."""
        return self._ledger.since.get(triple)

    def name(self, entity: str) -> str:
        """The name of an entity that facts are about."""
        return self._ledger.entities[entity].name

    def room_name(self, room: str) -> str:
        """The name of a room by its id in the messages, with that id where several rooms share the name."""
        entity = self._ledger.entities.get(f"room:{room}")
        name = entity.name if entity else "an unknown room"
        return f"{name} [{room}]" if self._namesakes[name] > 1 else name

    def things_at(self, holder: str) -> tuple[str, ...]:
        """The ids of the things that a room (or the player) is believed to hold."""
        return tuple(thing for thing, place in self.places.items() if place.holder == holder)

    def _believe(self, before: StepTaken | None, step: StepTaken) -> None:
        self._place(step, self._stand(step))
        for room in dict.fromkeys((room_of(before or step), room_of(step))):
            self._learn_ways(room)

    def _stand(self, step: StepTaken) -> str | None:
        """Put the player where the step says; None: nowhere."""
        here = None
        if step.room is not None and not step.done:
            here = self._meet_room(step.room.id)
            self.visited.pop(here, None)
            self.visited[here] = step.step
        self._replace(_standing(self.here), _standing(here))
        self.here = here
        return here

    def _place(self, step: StepTaken, here: str | None) -> None:
        for seen in things_seen(step):
            self._ledger.meet(thing_entity(seen))
        for thing, place in moves_of(self.places, step, here, self._ledger.entities).items():
            self._replace(triples_of(thing, self.places.pop(thing, None)), triples_of(thing, place))
            if place is not None:
                self.places[thing] = place

    def _replace(self, old: Iterable[Triple], new: Iterable[Triple]) -> None:
        kept = tuple(new)
        for triple in old:
            if triple not in kept:
                self._ledger.end(triple)
        for triple in kept:
            self._ledger.begin(triple)

    def _learn_ways(self, room: str) -> None:
        """Take over what the map knows of the ways out of a room; a step can change those of two rooms."""
        self.likely[room] = self.map.likely(room)
        ways = dict.fromkeys(self._ways_of(room))
        self._replace(self._ways.get(room, {}), ways)
        self._ways[room] = ways

    def _ways_of(self, room: str) -> Iterable[Triple]:
        if room == UNKNOWN_ROOM:
            return
        start = self._meet_room(room)
        for action, end in self.map.exits.get(room, {}).items():
            if end != UNKNOWN_ROOM:
                yield (start, EXIT + action, self._meet_room(end))
        for direction in sorted(self.map.blocked.get(room, ())):
            yield (start, TRIED + direction, self._ledger.meet(direction_entity(direction)))

    def _meet_room(self, room: str) -> str:
        entity = room_entity(room, self.map.names.get(room, room))
        if entity.id not in self._ledger.entities:
            self._namesakes[entity.name] += 1
        return self._ledger.meet(entity)

    def _forget_the_episode(self) -> None:
        for triple in [t for t in self._ledger.since if not t[1].startswith((EXIT, TRIED))]:
            self._ledger.end(triple)
        self.places, self.here = {}, None

    def _turn(self, before: StepTaken | None, step: StepTaken) -> Turn:
        where = before if before is not None and before.episode == step.episode else step
        room = f"room:{where.room.id}" if where.room else None
        return Turn(step.step, step.episode, room, step.action, step.observation, step.score, step.reward)

    def _mentions(self, step: StepTaken) -> tuple[str, ...]:
        """The room, the direction of the action, and the things in sight that the words name."""
        direction = direction_of(step.action or "")
        words = frozenset(_WORD.findall(f"{step.action or ''} {step.observation}".lower()))
        named = (t for t in things_seen(step) if words.intersection(t.name.lower().split()[-1:]))
        rooms = [f"room:{step.room.id}"] if step.room else []
        directions = [self._ledger.meet(direction_entity(direction))] if direction else []
        return tuple(dict.fromkeys((*rooms, *directions, *map(thing_id, named))))


def _standing(room: str | None) -> tuple[Triple, ...]:
    return () if room is None else ((PLAYER.id, AT, room),)
