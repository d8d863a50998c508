"""The map as it was walked: an exit is what was found; the way back is presumed until it is tried."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Set
from typing import NamedTuple

from folds.blocked_ways import BlockedWays
from folds.text.phrases import DIED
from folds.text.questions import asks_for_a_word
from folds.text.rooms import UNKNOWN_ROOM, room_of
from folds.text.ways import lists_ways, tells_other_ways, ways_named_by
from folds.vocabulary.actions import (
    DIRECTIONS,
    OPPOSITE,
    direction_of,
    gets_into_something,
    goes_back,
    normal,
)
from schemas.game import RESTART, StepTaken

Avoid = Callable[[str, str], bool]
"""Whether a way out of a room must not be walked: of the room's id and the action."""


_SEVERAL = 2
"""Ways that lead to a room that looks the same, from which on a room is part of a maze."""
_NONE: Set[str] = frozenset()
_NO_WALKS: Mapping[str, int] = {}


class MapRoute(NamedTuple):
    """Actions that lead from a room to another, and what to try there."""

    actions: tuple[str, ...]
    room: str
    then: str | None = None


def nothing(room: str, action: str) -> bool:
    """Avoids nothing."""
    return False


class Map:
    """Rooms, exits and blocked ways of one session, from steps that a `TextReader` has read."""

    def __init__(self) -> None:
        self.last: StepTaken | None = None
        self.names: dict[str, str] = {}
        self.exits: dict[str, dict[str, str]] = defaultdict(dict)
        self._led: dict[str, dict[str, str]] = defaultdict(dict)
        """By room, every way that has ever led somewhere, and where."""
        self.entered_by = ""
        """The action by which the player last came into another room."""
        self._blocks = BlockedWays()
        self._alike: dict[str, set[str]] = defaultdict(set)
        """By room, the ways that have led to a room that looks the same."""
        self._came_by = ""
        """The way by which the player last came into a room, which may look like the one before."""
        self._walks: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        """By room, and the way by which it was entered, how often each way was tried there."""
        self._openers: dict[str, set[str]] = defaultdict(set)
        self._presumed: dict[str, dict[str, str]] = defaultdict(dict)
        self._offering: set[str] = set()
        self._listing: set[str] = set()
        self._hinted: dict[str, tuple[str, ...]] = {}
        self._named: dict[str, tuple[str, ...]] = {}
        self._ways_of: dict[str, tuple[tuple[str, str], ...]] = {}
        """By room, its ways out; a room whose ways have changed is taken out."""

    def after(self, step: StepTaken) -> Map:
        """Fold one step; a step that was folded before changes nothing."""
        if self.last is not None and step.step <= self.last.step:
            return self
        if step.action == RESTART:
            self._forget_refusals()
        if self.last is not None and _may_be_a_walk(step):
            self._walked(self.last, step)
            self._reopened(room_of(self.last), step)
            self._blocks.hear(step)
            self._ways_of.pop(room_of(self.last), None)
            self._ways_of.pop(room_of(step), None)
        self._seen(step)
        self.last = step
        return self

    def learn(self, room: str, names: Mapping[str, str], exits: Mapping[str, str]) -> None:
        """Take over what earlier sessions know of a room."""
        self.names.setdefault(room, names.get(room, room))
        for way, end in exits.items():
            self.names.setdefault(end, names.get(end, end))
            self._led_to(end, room, way)

    def lose_track(self) -> None:
        """A step is missing: the next one does not tell where its action led."""
        self.last = None

    @property
    def blocked(self) -> Mapping[str, set[str]]:
        """The ways that led nowhere, by room."""
        return self._blocks.by_room

    @property
    def freed(self) -> Mapping[str, set[str]]:
        """Ways that led nowhere, and that an action may have opened since, by room."""
        return self._blocks.freed

    @property
    def opened_at(self) -> Mapping[str, int]:
        """By room, the step whose text told of something that opens, and had refused a way there before."""
        return self._blocks.opened_at

    def reopened_by(self, room: str) -> Mapping[str, str]:
        """By blocked way, what opened it before it led somewhere: `put card in slot`."""
        openers, blocked = self.freed_by(room), self.blocked.get(room, set())
        return {way: openers[way] for way in sorted(blocked & openers.keys())}

    def freed_by(self, room: str) -> Mapping[str, str]:
        """By way that has led somewhere, the action that had freed it."""
        return self._blocks.openers.get(room, {})

    def openers(self, room: str) -> Set[str]:
        """The actions after which valid ways were found in a room that had not been there before."""
        return self._openers.get(room, _NONE)

    def barred(self, room: str) -> Mapping[str, str]:
        """The blocked ways that were refused for a reason of their own (`The gate is closed.`), with it.

        A way that has led somewhere before is one of them, whatever was said.
        """
        closed = self.blocked.get(room, set()) & self._led.get(room, {}).keys()
        return {**dict.fromkeys(sorted(closed), ""), **self._blocks.barred(room, self.hinted(room))}

    @property
    def here(self) -> str:
        """The id of the room where the player is."""
        return room_of(self.last) if self.last else UNKNOWN_ROOM

    def is_maze(self, room: str) -> bool:
        """Whether several ways out of a room have led to rooms that look the same; a single one only leads
        back."""
        return len(self._alike.get(room, _NONE)) >= _SEVERAL

    def untried(self, room: str) -> tuple[str, ...]:
        """Directions neither walked nor blocked: known to lead somewhere, then others, then back."""
        known = self.exits.get(room, {}).keys() | self.blocked.get(room, set())
        hinted, back = self._hinted.get(room, ()), self._presumed.get(room, {})
        ordered = (*hinted, *(d for d in DIRECTIONS if d not in hinted))
        free = [d for d in ordered if d not in known]
        return tuple(sorted(free, key=lambda d: d in back))

    def likely(self, room: str) -> tuple[str, ...]:
        """The untried directions that lead somewhere new, as far as is known."""
        hinted, back = self._hinted.get(room, ()), self._presumed.get(room, {})
        return tuple(d for d in self.untried(room) if d in hinted and d not in back)

    def hinted(self, room: str) -> tuple[str, ...]:
        """The directions that the game offers in a room, or that its texts mention."""
        return self._hinted.get(room, ())

    def shut(self, room: str) -> Set[str]:
        """The directions that the room's text names although no search has found them valid."""
        return frozenset(self._named.get(room, ())).difference(self.hinted(room))

    def offers(self, room: str) -> bool:
        """Whether valid actions have been looked for in a room, so that its ways out are mostly known."""
        return room in self._offering

    def lists(self, room: str) -> bool:
        """Whether a room's text has listed its ways out."""
        return room in self._listing

    def presumed(self, room: str) -> Mapping[str, str]:
        """The untried directions that probably lead back to where the room was entered from."""
        known = self.exits.get(room, {}).keys() | self.blocked.get(room, set())
        known |= self.freed.get(room, set())
        return {d: origin for d, origin in self._presumed.get(room, {}).items() if d not in known}

    def walks_from(self, room: str) -> Mapping[str, int]:
        """How often each way was tried in a room that was entered by the way by which the player last walked:
        of rooms that look alike that tells one from another."""
        return self._walks.get((room, self._came_by), _NO_WALKS)

    def route(self, start: str, goal: str) -> MapRoute | None:
        """The shortest way over known exits, or None."""
        return next((r for r in self.reachable(start) if r.room == goal), None)

    def nearest_unexplored(self, start: str, *, avoid: Avoid = nothing) -> MapRoute | None:
        """The way to the nearest room with an untried exit: likely ones anywhere first, then any."""
        for candidates in (self.likely, self.untried):
            for route in self.reachable(start, avoid):
                exits = [d for d in candidates(route.room) if not avoid(route.room, d)]
                if exits:
                    return MapRoute(route.actions, route.room, exits[0])
        return None

    def reachable(self, start: str, avoid: Avoid = nothing) -> Iterator[MapRoute]:
        """Every room that can be reached, nearest first."""
        seen, queue = {start}, deque([MapRoute((), start)])
        while queue:
            route = queue.popleft()
            yield route
            for action, room in self._ways(route.room):
                if room not in seen and not avoid(route.room, action):
                    seen.add(room)
                    queue.append(MapRoute((*route.actions, action), room))

    def beyond(self, room: str, action: str) -> str | None:
        """The room to which a way is known or presumed to lead."""
        return self.exits.get(room, {}).get(action) or self._presumed.get(room, {}).get(action)

    def _ways(self, room: str) -> tuple[tuple[str, str], ...]:
        if room not in self._ways_of:
            self._ways_of[room] = (*self.exits.get(room, {}).items(), *self.presumed(room).items())
        return self._ways_of[room]

    def _walked(self, before: StepTaken, now: StepTaken) -> None:
        start, action = room_of(before), normal(now.action or "")
        has_moved = start != room_of(now)
        is_alike = not has_moved and leads_back(now)
        self._walks[start, self._came_by][action] += 1
        if has_moved or is_alike:
            self._came_by = action
        if has_moved:
            self._led_to(room_of(now), start, action)
            if gets_into_something(action) and not ways_named_by(now):
                self._presumed[room_of(now)].setdefault("out", start)
        elif not asks_for_a_word(before.observation):
            self.exits[start].pop(action, None)
            if direction_of(action):
                if is_alike:
                    self._alike[start].add(action)
                self._blocks.note(start, action, "" if is_alike else now.observation)

    def _led_to(self, end: str, start: str, action: str) -> None:
        self.entered_by = action
        self.exits[start][action] = self._led[start][action] = end
        self._blocks.open(start, action)
        if action in OPPOSITE:
            self._presumed[end].setdefault(OPPOSITE[action], start)

    def _forget_refusals(self) -> None:
        """In a new episode what has led somewhere may lead there again."""
        for room, ways in self._led.items():
            for way, end in ways.items():
                self.exits[room].setdefault(way, end)
                self._blocks.open(room, way)
        self._ways_of.clear()

    def _reopened(self, room: str, step: StepTaken) -> None:
        """What opened or moved something here, or went away, may have freed a way that was blocked."""
        if room_of(step) != room:
            return
        self._blocks.reopen(room, step, self.hinted(room))
        if direction_of(step.action or ""):
            return
        if self.last is not None and self.last.valid_actions is not None:
            new = set(self._open(step)) - set(self._hinted.get(room, ())) - self.exits[room].keys()
            self._blocks.free(room, new)
            if step.changed and new - {"out"}:
                self._openers[room].add(normal(step.action or ""))

    def _seen(self, step: StepTaken) -> None:
        room = room_of(step)
        self.names[room] = step.room.name if step.room else room
        self._hinted[room] = self._directions_of(step, room)
        tells = lists_ways if self._arrived_in(room) else tells_other_ways
        is_told = self._arrived_in(room) or direction_of(step.action or "") is not None
        if is_told and tells(step.observation):
            self._listing.add(room)

    def _directions_of(self, step: StepTaken, room: str) -> tuple[str, ...]:
        if step.valid_actions is not None:
            self._offering.add(room)
            if self._arrived_in(room) or step.action == RESTART:
                self._named[room] = ways_named_by(step)
            return self._open(step)
        tried = direction_of(step.action or "")
        named = (way for way in ways_named_by(step) if way != tried or self._arrived_in(room))
        return tuple(dict.fromkeys((*self._hinted.get(room, ()), *named)))

    def _arrived_in(self, room: str) -> bool:
        return self.last is None or room_of(self.last) != room

    @staticmethod
    def _open(step: StepTaken) -> tuple[str, ...]:
        found = step.valid_actions.actions if step.valid_actions else ()
        return tuple(d for d in map(direction_of, found) if d)


def leads_back(now: StepTaken) -> bool:
    """Whether a way that left no room is answered by the room's own heading: it leads back, for good, or to
    a room that looks the same."""
    heading = now.observation.strip().partition("\n")[0]
    return now.room is not None and heading.strip().lower() == now.room.name.lower()


def _may_be_a_walk(step: StepTaken) -> bool:
    """Whether the player may be where they are by the action, not by death, a restart, or back in time."""
    action = normal(step.action or "")
    by_action = action not in ("", RESTART) and not goes_back(action)
    return by_action and not step.done and DIED.search(step.observation) is None
