"""How answers read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from schemas.memory import (
    NAME_LENGTH,
    HeldThing,
    KnownExit,
    MemoryEvent,
    NamedRoom,
    NamedThing,
    RoomExits,
    TriedAction,
    Whereabouts,
)

LISTED = 40
"""Things, ways and actions that an answer lists at most."""

NOWHERE = "I do not know which room you are in."


def never_seen(name: str) -> str:
    """About a name that no step told of."""
    return f"I have never seen {cut(name, 100)!r}."


def standing(room: NamedRoom, since: int) -> str:
    """Where am I."""
    return f"You are in {of(room)} since step {since}."


def inventory(things: Sequence[HeldThing]) -> str:
    """What do I have."""
    if not things:
        return "You have nothing that I know of."
    listed = ", ".join(f"{_held(thing)} (since step {thing.since})" for thing in things[-LISTED:])
    return f"You have: {listed}{_more(things)}."


def exits(ways: RoomExits) -> str:
    """The ways out of a room, what is blocked there and what was not tried."""
    found = ", ".join(map(_exit, ways.exits[:LISTED]))
    blocked = ", ".join(
        f"{way.direction} ({_shut(way.shut_by)}step {way.since})" for way in ways.blocked[:LISTED]
    )
    lines = [f"Exits found of {of(ways.room)}: {found or 'none yet'}{_more(ways.exits)}."]
    lines += [f"Blocked there: {blocked}."] if blocked else []
    return "\n".join((*lines, unexplored(ways)))


def unexplored(ways: RoomExits) -> str:
    """The directions of a room that were neither walked nor found blocked."""
    untried = (f"{way} (likely)" if way in ways.likely else way for way in ways.unexplored)
    return f"Not tried yet in {of(ways.room)}: {', '.join(untried) or 'none, all were tried'}."


def tried(room: NamedRoom, actions: Sequence[TriedAction], more: int) -> str:
    """The actions tried in a room, each with what came of it last; the newest first."""
    if not actions:
        return f"Nothing was tried in {of(room)} yet."
    lines = (f"step {t.step}: {cut(t.action)} ({t.reward:+d}) {cut(t.result, 100)!r}" for t in actions)
    older = [f"and {more} more"] if more else []
    return "\n".join((f"Tried in {of(room)}, newest first:", *lines, *older))


def whereabouts(found: Whereabouts) -> str:
    """Where a thing is; or where it was last, and since when that is not so any more."""
    name = f"The {found.thing.name}"
    if found.since is None:
        return f"{name} was told of, but never where it is."
    seen = "" if found.seen is None or found.held else f", last seen at step {found.seen}"
    if found.until is None:
        return f"{name} is {_place(found)} (known since step {found.since}{seen})."
    return f"{name} was last {_place(found)} (steps {found.since} to {found.until}); it is there no longer."


def route(actions: Sequence[str], room: NamedRoom) -> str:
    """How to get to a room."""
    if not actions:
        return f"You are in {of(room)} already."
    return f"To {of(room)}: {', then '.join(map(cut, actions))}."


def no_route(start: NamedRoom, goal: NamedRoom, shut: Iterable[str]) -> str:
    """That no walked way leads there, and which known ways are shut."""
    doors = ", ".join(dict.fromkeys(shut))
    why = f"; shut on the way: {doors}" if doors else ""
    return f"I know no way from {of(start)} to {of(goal)}{why}."


def nearest(actions: Sequence[str], room: NamedRoom, then: str, likely: bool) -> str:
    """The nearest untried way."""
    way = f"{then} of {of(room)}{', which likely leads somewhere' if likely else ''}"
    return f"The nearest untried way is {way}" + (
        f": {', then '.join(map(cut, actions))}, then {then}." if actions else ", which is here."
    )


def events(about: str, happened: Sequence[MemoryEvent], more: int) -> str:
    """What happened with something."""
    lines = (f"step {event.step}: {_done(event)}{event.what}" for event in happened)
    older = [f"({more} older ones are left out)"] if more else []
    return "\n".join((f"What happened with {cut(about)}:", *older, *lines))


def no_such_step(at: int, last: int) -> str:
    """About a step that has not been."""
    return f"There is no step {at}: the last I know of is {last}." if last >= 0 else "I know of no step yet."


def of(room: NamedRoom) -> str:
    """A room by name and id: several rooms may share a name."""
    return f"{room.name} [{cut(room.id)}]"


def cut(text: str, length: int = NAME_LENGTH) -> str:
    """A text as one line of bounded length."""
    line = text if text.isprintable() else " ".join(_encodable(text[: 4 * length]).split())
    return line if len(line) <= length else line[: length - 1] + "…"


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _held(held: HeldThing) -> str:
    return held.thing.name + (f" in the {held.container.name}" if held.container else "")


def _exit(way: KnownExit) -> str:
    return f"{cut(way.action)} to {way.room.name} ({_shut(way.shut_by)}step {way.since})"


def _shut(door: NamedThing | None) -> str:
    return "" if door is None else f"shut by the {door.name}, " if door.name else "shut, "


def _place(found: Whereabouts) -> str:
    container = f"in the {found.container.name}" if found.container else ""
    room = "with you" if found.held else f"in {of(found.room)}" if found.room else ""
    return ", ".join(filter(None, (container, room)))


def _done(event: MemoryEvent) -> str:
    return f"{cut(event.action, 60)}: " if event.action else ""


def _more(told: Sequence[object]) -> str:
    return f" and {len(told) - LISTED} more" if len(told) > LISTED else ""
