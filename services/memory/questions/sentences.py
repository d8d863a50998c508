"""The sentences of answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from schemas.memory import (
    NAME_LENGTH,
    InventoryItem,
    KnownExit,
    MemoryEvent,
    NamedRoom,
    NamedThing,
    RoomExits,
    ThingLocation,
    TriedAction,
)

MAX_LISTED = 40
"""Things and exits that an answer lists, at most."""

UNKNOWN_POSITION = "I do not know which room you are in."
ALL_TRIED = "Every way that I can reach from here was tried."


def never_seen(name: str) -> str:
    """The name occurs in no step."""
    return f"I have never seen {cut(name, 100)!r}."


def unknown_place(name: str) -> str:
    """No step has told where the thing is, though a text may speak of it."""
    return f"I do not know where {cut(name, 100)!r} is."


def no_text(question: str) -> str:
    """No text that was read, heard or seen is about that."""
    return f"I remember no text about {cut(question, 100)!r}."


def position(room: NamedRoom, since: int) -> str:
    """Where the player is."""
    return f"You are in {room_label(room)} since step {since}."


def inventory(things: Sequence[InventoryItem]) -> str:
    """What the player has."""
    if not things:
        return "You have nothing that I know of."
    listed = ", ".join(f"{_item(thing)} (since step {thing.since})" for thing in things[-MAX_LISTED:])
    return f"You have: {listed}{_more(things)}."


def exits(found: RoomExits) -> str:
    """The exits of a room, the blocked directions and the unexplored ones."""
    known = ", ".join(map(_exit, found.exits[:MAX_LISTED]))
    told = ", ".join(map(_exit, found.told[:MAX_LISTED]))
    blocked = ", ".join(
        f"{way.direction} ({_shut_by(way.shut_by)}step {way.since})" for way in found.blocked[:MAX_LISTED]
    )
    lines = [f"Exits found of {room_label(found.room)}: {known or 'none yet'}{_more(found.exits)}."]
    lines += [f"Told by the game, not walked yet: {told}."] if told else []
    lines += [f"Blocked there: {blocked}."] if blocked else []
    return "\n".join((*lines, unexplored(found)))


def unexplored(found: RoomExits) -> str:
    """The directions of a room that were neither walked nor blocked."""
    directions = (f"{way} (likely)" if way in found.likely else way for way in found.unexplored)
    return f"Not tried yet in {room_label(found.room)}: {', '.join(directions) or 'none, all were tried'}."


def tried(room: NamedRoom, actions: Sequence[TriedAction], more: int) -> str:
    """The actions that were tried in a room, each with its last result; the newest first."""
    if not actions:
        return f"Nothing was tried in {room_label(room)} yet."
    lines = (f"step {t.step}: {cut(t.action)} ({t.reward:+d}) {cut(t.result, 100)!r}" for t in actions)
    older = [f"and {more} more"] if more else []
    return "\n".join((f"Tried in {room_label(room)}, newest first:", *lines, *older))


def location(found: ThingLocation) -> str:
    """Where a thing is; or where it was last, and until when."""
    name = f"The {found.thing.name}"
    if found.since is None:
        return f"{name} was told of, but never where it is."
    last_seen = "" if found.last_seen is None or found.carried else f", last seen at step {found.last_seen}"
    if found.until is None:
        return f"{name} is {_place(found)} (known since step {found.since}{last_seen})."
    return f"{name} was last {_place(found)} (steps {found.since} to {found.until}); it is there no longer."


def route(actions: Sequence[str], room: NamedRoom, told: Sequence[str]) -> str:
    """How to get to a room, and which of the ways the game has only told of."""
    if not actions:
        return f"You are in {room_label(room)} already."
    not_walked = f" (told by the game, not walked yet: {', '.join(map(cut, told))})" if told else ""
    return f"To {room_label(room)}: {', then '.join(map(cut, actions))}{not_walked}."


def no_route(start: NamedRoom, goal: NamedRoom, shut: Iterable[str]) -> str:
    """No known exit leads there; which known exits are shut."""
    doors = ", ".join(dict.fromkeys(shut))
    why = f"; shut on the way: {doors}" if doors else ""
    return f"I know no way from {room_label(start)} to {room_label(goal)}{why}."


def nearest(actions: Sequence[str], room: NamedRoom, direction: str, likely: bool) -> str:
    """The nearest unexplored direction."""
    way = f"{direction} of {room_label(room)}{', which likely leads somewhere' if likely else ''}"
    return f"The nearest untried way is {way}" + (
        f": {', then '.join(map(cut, actions))}, then {direction}." if actions else ", which is here."
    )


def events(about: str, happened: Sequence[MemoryEvent], more: int) -> str:
    """What happened with something. Nothing: a character has not spoken about the topic."""
    if not happened:
        return f"Nothing that I know of: {cut(about)} has not said so."
    lines = (f"step {event.step}: {_action(event)}{event.what}" for event in happened)
    older = [f"({more} older ones are left out)"] if more else []
    return "\n".join((f"What happened with {cut(about)}:", *older, *lines))


def no_such_step(at: int, last: int) -> str:
    """The step has not been played yet."""
    return f"There is no step {at}: the last I know of is {last}." if last >= 0 else "I know of no step yet."


def room_label(room: NamedRoom) -> str:
    """A room by name and id: several rooms may share a name."""
    return f"{room.name} [{cut(room.id)}]"


def cut(text: str, length: int = NAME_LENGTH) -> str:
    """A text as one line of limited length."""
    line = text if text.isprintable() else " ".join(_encodable(text[: 4 * length]).split())
    return line if len(line) <= length else line[: length - 1] + "…"


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _item(item: InventoryItem) -> str:
    return item.thing.name + (f" in the {item.container.name}" if item.container else "")


def _exit(way: KnownExit) -> str:
    return f"{cut(way.action)} to {way.room.name} ({_shut_by(way.shut_by)}step {way.since})"


def _shut_by(door: NamedThing | None) -> str:
    return "" if door is None else f"shut by the {door.name}, " if door.name else "shut, "


def _place(found: ThingLocation) -> str:
    container = f"in the {found.container.name}" if found.container else ""
    room = "with you" if found.carried else f"in {room_label(found.room)}" if found.room else ""
    return ", ".join(filter(None, (container, room)))


def _action(event: MemoryEvent) -> str:
    return f"{cut(event.action, 60)}: " if event.action else ""


def _more(listed: Sequence[object]) -> str:
    return f" and {len(listed) - MAX_LISTED} more" if len(listed) > MAX_LISTED else ""
