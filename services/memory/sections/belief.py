"""The section `belief`: where the player and the things are, and which exits are known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from folds.text.rooms import is_by_text
from schemas.fragment import Section
from services.memory.beliefs.beliefs import Beliefs
from services.memory.beliefs.facts import PLAYER
from services.memory.sections.layout import by_text_mark, cut, exits_of, line, section

_BELIEF_LENGTH = 1_400


def belief_section(beliefs: Beliefs, near: Iterable[str]) -> Section:
    """The beliefs about this room, then about the `near` rooms and all things elsewhere."""
    room = beliefs.map.here
    return section("belief", (
        _position(beliefs),
        line("HELD" + by_text_mark(beliefs.things_by_text), _inventory(beliefs)),
        line("EXITS_FOUND_HERE", exits_of(beliefs, room)),
        line("BLOCKED_HERE", _without_known(beliefs, room, sorted(beliefs.map.blocked.get(room, ())))),
        line("SHUT_HERE", _shut(beliefs, room)),
        line("UNEXPLORED_EXITS_HERE", _unexplored(beliefs, room)),
        line("LIKELY_EXITS_ELSEWHERE", _likely_elsewhere(beliefs, near), _BELIEF_LENGTH, "; "),
        line("THINGS_SEEN_ELSEWHERE", _things_elsewhere(beliefs), _BELIEF_LENGTH, "; "),
    ))  # fmt: skip


def _position(beliefs: Beliefs) -> str:
    if beliefs.last is not None and beliefs.last.done:
        return "YOU_ARE: nowhere, the game is over"
    if beliefs.player.room is None:
        return "YOU_ARE: in an unknown room"
    name, by_text = cut(beliefs.rooms.name_of(beliefs.map.here)), is_by_text(beliefs.map.here)
    return f"YOU_ARE: {name} ({'by text, ' if by_text else ''}since step {beliefs.player.since})"


def _inventory(beliefs: Beliefs) -> Iterator[str]:
    return (_thing(beliefs, thing) for thing in beliefs.things.at(PLAYER.id))


def _thing(beliefs: Beliefs, thing: str) -> str:
    container = beliefs.things.places[thing].container
    return beliefs.name(thing) + (f" (in {beliefs.name(container)})" if container else "")


def _shut(beliefs: Beliefs, room: str) -> Iterator[str]:
    """The exits that a door is known to shut."""
    for action, door in beliefs.doors.locked_in(f"room:{room}").items():
        yield f"{action} ({beliefs.name(door)})" if door.startswith("item:") else action


def _unexplored(beliefs: Beliefs, room: str) -> Iterator[str]:
    """What the game offers or mentions; where it names no way at all, every direction that was not tried."""
    likely, names_ways = beliefs.exits.likely(room), beliefs.map.offers(room) or beliefs.map.hinted(room)
    return _without_known(beliefs, room, likely if names_ways else beliefs.map.untried(room))


def _without_known(beliefs: Beliefs, room: str, directions: Iterable[str]) -> Iterator[str]:
    """The directions that are no known exits; a known exit that is shut stays one."""
    return (direction for direction in directions if direction not in beliefs.exits.of(room))


def _likely_elsewhere(beliefs: Beliefs, near: Iterable[str]) -> Iterator[str]:
    for room in near:
        likely = beliefs.exits.likely(room)
        if likely and room != beliefs.map.here:
            yield f"{beliefs.rooms.name_of(room)}: {', '.join(likely)}"


def _things_elsewhere(beliefs: Beliefs) -> Iterator[str]:
    """The things in every other room, with the last step there; the room that was left last comes first."""
    visited = beliefs.player.visited
    for room in reversed(tuple(visited)):
        things = beliefs.things.at(room) if room != beliefs.player.room else ()
        if things:
            listed = ", ".join(_thing(beliefs, thing) for thing in things)
            yield f"{beliefs.rooms.name_of(room.removeprefix('room:'))} (step {visited[room]}): {listed}"
