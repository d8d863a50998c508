"""What the memory says to the actor: two sections of bounded length, the most useful first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice

from folds.attempts import Attempt
from folds.text.rooms import is_by_text
from schemas.fragment import SECTION_LENGTH, Section
from schemas.game import StepTaken, Thing
from services.memory.beliefs.beliefs import Beliefs
from services.memory.beliefs.facts import AT, PLAYER

_LIST_LENGTH = 500
_RECORD_LENGTH = 600
"""Kept for the record of a room, however many actions were tried there."""
_BELIEF_LENGTH = 1_400
_ITEM_LENGTH = 240
_RESULT_LENGTH = 120
_NEAR = 16
"""Rooms that the sections speak of at most, the nearest first."""


def belief_section(beliefs: Beliefs, near: Iterable[str]) -> Section:
    """Where the player is, what is held, which ways are known, and where things were last seen."""
    room = beliefs.map.here
    return _section("belief", (
        _where(beliefs),
        _line("HELD" + _sureness(beliefs.things_by_text), _held(beliefs), _LIST_LENGTH),
        _line("EXITS_FOUND_HERE", _exits(beliefs, room), _LIST_LENGTH),
        _line("BLOCKED_HERE", _blocked(beliefs, room), _LIST_LENGTH),
        _line("SHUT_HERE", _shut(beliefs, room), _LIST_LENGTH),
        _line("UNEXPLORED_EXITS_HERE", _unexplored(beliefs, room), _LIST_LENGTH),
        _line("LIKELY_EXITS_ELSEWHERE", _likely_elsewhere(beliefs, near), _BELIEF_LENGTH, "; "),
        _line("THINGS_SEEN_ELSEWHERE", _things_elsewhere(beliefs), _BELIEF_LENGTH, "; "),
    ))  # fmt: skip


def room_state_section(beliefs: Beliefs, near: Iterable[str]) -> Section:
    """The room as it is now, and the record of everything tried in it."""
    step = beliefs.last
    if step is None:
        return Section(name="room_state", text="")
    head = (_room(step), f"STATE_REVISIT_COUNT: {step.world_seen if step.world else 'unknown'}")
    now = (
        _line("VALID_ACTIONS", _valid(step), _LIST_LENGTH),
        _line("OBJECTS_HERE", _things(step.objects, beliefs), _LIST_LENGTH),
        _line("INVENTORY", _things(step.inventory, beliefs), _LIST_LENGTH),
        _line("EXPLORED_MAP", _explored(beliefs, near), _LIST_LENGTH, "; "),
    )
    room = SECTION_LENGTH - _length(*head, *now)
    tried = _all_tried(beliefs, room - _RECORD_LENGTH)
    record = _record(beliefs.tried.by_room.get(beliefs.map.here, ()), room - _length(tried))
    return _section("room_state", (*head, tried, *now, record))


def _where(beliefs: Beliefs) -> str:
    step = beliefs.last
    if step is not None and step.done:
        return "YOU_ARE: nowhere, the game is over"
    if beliefs.here is None:
        return "YOU_ARE: in an unknown room"
    since = beliefs.since((PLAYER.id, AT, beliefs.here))
    sureness = "by text, " if is_by_text(beliefs.map.here) else ""
    return f"YOU_ARE: {_cut(beliefs.room_name(beliefs.map.here))} ({sureness}since step {since})"


def _sureness(by_text: bool) -> str:
    """A mark on what no more than the game's text tells."""
    return " (by text)" if by_text else ""


def _held(beliefs: Beliefs) -> Iterator[str]:
    return (_thing(beliefs, thing) for thing in beliefs.things_at(PLAYER.id))


def _thing(beliefs: Beliefs, thing: str) -> str:
    container = beliefs.places[thing].container
    return beliefs.name(thing) + (f" (in {beliefs.name(container)})" if container else "")


def _exits(beliefs: Beliefs, room: str) -> Iterator[str]:
    ways: Mapping[str, str] = beliefs.ways.get(f"room:{room}", {})
    return (f"{way} -> {beliefs.room_name(end.removeprefix('room:'))}" for way, end in ways.items())


def _shut(beliefs: Beliefs, room: str) -> Iterator[str]:
    """The ways that a door is known to shut."""
    for way, door in beliefs.shut_ways(f"room:{room}").items():
        yield f"{way} ({beliefs.name(door)})" if door.startswith("item:") else way


def _unexplored(beliefs: Beliefs, room: str) -> Iterator[str]:
    likely = beliefs.likely.get(room, ())
    untried = _not_known(beliefs, room, beliefs.map.untried(room))
    return (f"{way} (likely)" if way in likely else way for way in untried)


def _blocked(beliefs: Beliefs, room: str) -> Iterator[str]:
    return _not_known(beliefs, room, sorted(beliefs.map.blocked.get(room, ())))


def _not_known(beliefs: Beliefs, room: str, ways: Iterable[str]) -> Iterator[str]:
    """Those that are not known to lead anywhere; a known way that is shut is."""
    return (way for way in ways if way not in beliefs.ways.get(f"room:{room}", {}))


def _likely_elsewhere(beliefs: Beliefs, near: Iterable[str]) -> Iterator[str]:
    for room in near:
        likely = beliefs.likely.get(room)
        if likely and room != beliefs.map.here:
            yield f"{beliefs.room_name(room)}: {', '.join(likely)}"


def _things_elsewhere(beliefs: Beliefs) -> Iterator[str]:
    """The things of every other room, the room that was left last first, with the last step there."""
    there: dict[str, list[str]] = {}
    for thing, place in beliefs.places.items():
        if not place.held and place.holder != beliefs.here:
            there.setdefault(place.holder, []).append(thing)
    for room in reversed(beliefs.visited):
        if room in there:
            things = (_thing(beliefs, thing) for thing in there[room])
            name, last = beliefs.room_name(room.removeprefix("room:")), beliefs.visited[room]
            yield f"{name} (step {last}): {', '.join(things)}"


def nearest_rooms(beliefs: Beliefs) -> tuple[str, ...]:
    """The rooms that can be walked to, the nearest first, up to a bound; the room the player is in leads."""
    return tuple(route.room for route in islice(beliefs.map.reachable(beliefs.map.here), _NEAR))


def _room(step: StepTaken) -> str:
    room = "unknown" if step.room is None else f"{_cut(step.room.name)} (id {_cut(step.room.id)})"
    return f"ROOM: {room} | step {step.step} | score {'unknown' if step.score is None else step.score}"


def _all_tried(beliefs: Beliefs, room: int) -> str:
    """Every action ever tried here, in the order of the first try; the oldest go where there is no room."""
    tried = reversed(tuple(beliefs.tried.in_room(beliefs.map.here).items()))
    counted = (action if times == 1 else f"{action} (x{times})" for action, times in tried)
    title, older = "ALL_TRIED_IN_THIS_ROOM: ", "older ones, and "
    kept, more = _fitting(counted, room - len(title + older), ", ")
    return title + (older if more else "") + (", ".join(reversed(kept)) or "none")


def _valid(step: StepTaken) -> Iterable[str]:
    return ["unknown"] if step.valid_actions is None else step.valid_actions.actions


def _things(things: tuple[Thing, ...] | None, beliefs: Beliefs) -> Iterable[str]:
    """The text alone can tell of things, but not that there are none."""
    if things is None or (beliefs.things_by_text and not things):
        return ["unknown"]
    if beliefs.things_by_text:
        return [f"{', '.join(thing.name for thing in things)}{_sureness(True)}"]
    names = {thing.id: thing.name for thing in things}
    return (
        f"{thing.name} (in {names[thing.container]})" if thing.container in names else thing.name
        for thing in things
    )


def _explored(beliefs: Beliefs, near: Iterable[str]) -> Iterator[str]:
    for room in near:
        exits = ", ".join(_exits(beliefs, room))
        if exits:
            yield f"{beliefs.room_name(room)}: {exits}"


def _record(attempts: Iterable[Attempt], room: int) -> str:
    """The attempts in this room, newest first, as many as there is room for."""
    title = "LAST_ACTIONS_HERE (newest first):"
    newest = reversed(tuple(attempts))
    kept, _ = _fitting(map(_attempt, newest), room - len(title), "\n")
    return "\n".join((title, *kept)) if kept else "LAST_ACTIONS_HERE: none"


@lru_cache(maxsize=2_048)
def _attempt(attempt: Attempt) -> str:
    """Kept, because a room's record is said again at each step in it."""
    parts = [f"- step {attempt.step}: {attempt.action}"]
    if attempt.score_before is not None and attempt.score_after is not None:
        parts.append(f"score {attempt.score_before} -> {attempt.score_after}")
    if attempt.reward or attempt.score_after is not None:
        parts.append(f"reward {attempt.reward:+d}")
    if attempt.gained:
        parts.append(f"gained {', '.join(attempt.gained)}")
    if attempt.lost:
        parts.append(f"lost {', '.join(attempt.lost)}")
    return " | ".join((*parts, f'"{_cut(attempt.result, _RESULT_LENGTH)}"'))


def _line(title: str, items: Iterable[str], room: int, separator: str = ", ") -> str:
    """A titled list of as many items as fit, saying whether there are more."""
    kept, more = _fitting(map(_cut, items), room, separator)
    return f"{title}: {separator.join(kept) or 'none'}{separator + 'and more' if more else ''}"


def _fitting(items: Iterable[str], room: int, separator: str) -> tuple[list[str], bool]:
    """The first items that fit into `room` characters, and whether any is left out."""
    kept: list[str] = []
    for item in items:
        room -= len(item) + len(separator)
        if room < 0:
            return kept, True
        kept.append(item)
    return kept, False


def _cut(text: str, length: int = _ITEM_LENGTH) -> str:
    if len(text) <= length and "\n" not in text:
        return text
    line = " ".join(text[: 2 * length].split())
    return line if len(line) <= length else line[: length - 1] + "…"


def _length(*lines: str) -> int:
    """Of lines, each with its end."""
    return sum(len(line) + 1 for line in lines)


def _section(name: str, lines: Iterable[str]) -> Section:
    return Section(name=name, text="\n".join(lines)[:SECTION_LENGTH])
