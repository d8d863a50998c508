"""What is believed of one session's world, as a fold over its steps."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

from folds.playthrough import Playthrough
from folds.text.rooms import UNKNOWN_ROOM, room_of
from folds.vocabulary.actions import GOING_BACK, direction_of, normal
from folds.vocabulary.verbs import ActionKind, action_kind_of
from schemas.game import RESTART, StepTaken
from services.memory.beliefs.doors import Doors, says_shut
from services.memory.beliefs.facts import (
    AT,
    BLOCKED,
    EXIT,
    LASTING,
    LED,
    PLAYER,
    TRIED,
    Changes,
    FactLog,
    Triple,
    Turn,
    direction_entity,
    room_entity,
)
from services.memory.beliefs.natures import Natures
from services.memory.beliefs.places import (
    BelievedPlace,
    moves_of,
    thing_entity,
    thing_id,
    things_seen,
    triples_of,
)
from services.memory.beliefs.returns import Returns

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
        self._playthrough = Playthrough()
        self.map, self.tried = self._playthrough.map, self._playthrough.attempts
        self.places: dict[str, BelievedPlace] = {}
        self.changes: Changes | None = None
        self.here: str | None = None
        self.things_by_text = False
        self.visited: dict[str, int] = {}
        self.likely: dict[str, tuple[str, ...]] = {}
        self.in_sight: tuple[str, ...] = ()
        self.told: dict[str, int] = {}
        """The step at which each thing was seen last, or put where it is by an action."""
        self._facts = FactLog()
        self._doors, self._natures, self._returns = Doors(self._facts), Natures(self._facts), Returns()
        self._namesakes: Counter[str] = Counter()
        self.ways: dict[str, dict[str, str]] = {}
        """By room and action, the room that a walked way leads to; all are ids of entities."""
        self._behind: dict[str, dict[str, str]] = defaultdict(dict)
        """By room and direction, the room that a walked way led to that was found shut since."""
        self._room_facts: dict[str, dict[Triple, None]] = {}

    def after(self, step: StepTaken) -> Beliefs:
        """Fold one step; `changes` then says what it changed. A step folded before changes nothing."""
        before = self.last
        if before is not None and step.step <= before.step:
            return self
        self.things_by_text = step.inventory is None and step.objects is None
        if before is not None and step.step != before.step + 1:
            self.map.lose_track()
        step = self._playthrough.after(step).last or step
        self._facts.turn_to(step.step)
        self._facts.meet(PLAYER)
        if before is not None and before.episode != step.episode:
            self._forget_the_episode()
        self._go_back(step)
        self._remember_what_is_behind(before, step)
        self._believe(before, step)
        self._returns.after(step, self.places)
        self.last = step
        self.changes = self._facts.changes(self._turn(before, step), self._mentions(step))
        return self

    def since(self, triple: Triple) -> int | None:
        """From which step on a fact has been believed; None: it is not."""
        return self._facts.since.get(triple)

    def name(self, entity: str) -> str:
        """The name of an entity that facts are about."""
        return self._facts.entities[entity].name

    def room_name(self, room: str) -> str:
        """The name of a room by its id in the messages, with that id where several rooms share the name."""
        entity = self._facts.entities.get(f"room:{room}")
        name = entity.name if entity else "an unknown room"
        return f"{name} [{room}]" if self._namesakes[name] > 1 else name

    def shut_ways(self, room: str) -> dict[str, str]:
        """By way out of a room, the door (or the direction) that is known to shut it."""
        return self._doors.shut_in(room)

    def things_at(self, holder: str) -> tuple[str, ...]:
        """The ids of the things that a room (or the player) is believed to hold."""
        return tuple(thing for thing, place in self.places.items() if place.holder == holder)

    def _believe(self, before: StepTaken | None, step: StepTaken) -> None:
        self._place(before, step, self._stand(step))
        self._natures.after(step, by_text=self.things_by_text)
        for room in dict.fromkeys((room_of(before or step), room_of(step))):
            self._learn_ways(room)
        if before is not None and _follows(before, step):
            self._learn_from_trying(before, step)

    def _remember_what_is_behind(self, before: StepTaken | None, step: StepTaken) -> None:
        """A known way that is found shut still leads where it led; what else does not lead on does not."""
        way = direction_of(step.action or "")
        if way is None or before is None or not _follows(before, step):
            return
        room = room_of(before)
        behind = self.ways.get(f"room:{room}", {}).get(way)
        if behind and room == room_of(step) and says_shut(step.observation):
            self._behind[room][way] = behind.removeprefix("room:")
        else:
            self._behind[room].pop(way, None)

    def _go_back(self, step: StepTaken) -> None:
        """After `undo` and `restore` things are where they were then, as far as that was believed."""
        then = self._returns.places_at(step)
        if then is not None:
            for thing in self.places.keys() | then.keys():
                self._move(thing, then.get(thing))

    def _learn_from_trying(self, before: StepTaken, step: StepTaken) -> None:
        way = direction_of(step.action or "")
        if before.room is None or normal(step.action or "") in GOING_BACK:
            return
        start = self._meet_room(before.room.id)
        if way is not None:
            self._facts.begin((start, TRIED + way, self._facts.meet(direction_entity(way))))
        self._doors.after(before, step, start, self.here, self.ways)

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

    def _place(self, before: StepTaken | None, step: StepTaken, here: str | None) -> None:
        self.in_sight = tuple(self._facts.meet(thing_entity(seen)) for seen in things_seen(step))
        for thing, place in moves_of(self.places, before, step, here, self._facts.entities).items():
            self._move(thing, place)
        self.told.update(dict.fromkeys(self.in_sight, step.step))

    def _move(self, thing: str, place: BelievedPlace | None) -> None:
        old = self.places.pop(thing, None)
        self._replace(triples_of(thing, old), triples_of(thing, place))
        if place is not None:
            self.places[thing] = place
            if old is None or old.container != place.container or old.container is None:
                self.told[thing] = self._facts.step

    def _replace(self, old: Iterable[Triple], new: Iterable[Triple]) -> None:
        kept = tuple(new)
        for triple in old:
            if triple not in kept:
                self._facts.end(triple)
        for triple in kept:
            self._facts.begin(triple)

    def _learn_ways(self, room: str) -> None:
        """Take over what the map knows of the ways out of a room; a step can change those of two rooms."""
        self.likely[room] = self.map.likely(room)
        facts = dict.fromkeys(self._ways_of(room))
        self._replace(self._room_facts.get(room, {}), facts)
        self._room_facts[room] = facts

    def _ways_of(self, room: str) -> Iterable[Triple]:
        if room == UNKNOWN_ROOM:
            return
        start = self._meet_room(room)
        self.ways[start] = {}
        behind = self._behind.get(room, {})
        for action, end in {**behind, **self.map.exits.get(room, {})}.items():
            if end != UNKNOWN_ROOM:
                self.ways[start][action] = self._meet_room(end)
                yield (start, _relation(action), self.ways[start][action])
        for direction in sorted(self.map.blocked.get(room, set()) - behind.keys()):
            yield (start, BLOCKED + direction, self._facts.meet(direction_entity(direction)))

    def _meet_room(self, room: str) -> str:
        entity = room_entity(room, self.map.names.get(room, room))
        if entity.id not in self._facts.entities:
            self._namesakes[entity.name] += 1
        return self._facts.meet(entity)

    def _forget_the_episode(self) -> None:
        for triple in [t for t in self._facts.since if not t[1].startswith(LASTING)]:
            self._facts.end(triple)
        self.places, self.here = {}, None
        self._doors.forget()

    def _turn(self, before: StepTaken | None, step: StepTaken) -> Turn:
        where: StepTaken | None = step
        if before is not None and before.episode == step.episode:
            where = before if _follows(before, step) else None
        room = f"room:{where.room.id}" if where and where.room else None
        return Turn(step.step, step.episode, room, step.action, step.observation, step.score, step.reward)

    def _mentions(self, step: StepTaken) -> tuple[str, ...]:
        """The room, the direction of the action, and the things in sight that the words name."""
        direction = direction_of(step.action or "")
        words = frozenset(_WORD.findall(f"{step.action or ''} {step.observation}".lower()))
        named = (t for t in things_seen(step) if words.intersection(t.name.lower().split()[-1:]))
        rooms = [f"room:{step.room.id}"] if step.room else []
        directions = [self._facts.meet(direction_entity(direction))] if direction else []
        return tuple(dict.fromkeys((*rooms, *directions, *map(thing_id, named))))


def _standing(room: str | None) -> tuple[Triple, ...]:
    return () if room is None else ((PLAYER.id, AT, room),)


def _follows(before: StepTaken, step: StepTaken) -> bool:
    """Whether a step is what came of its action where the one before it was: none is missing between."""
    return step.step == before.step + 1 and before.episode == step.episode and step.action != RESTART


def _relation(action: str) -> str:
    """A walk is an exit; what else changed the room has led there."""
    return (EXIT if action_kind_of(action) is ActionKind.MOVE else LED) + action
