"""Questions in words: what is asked, and how the answer reads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from folds.actions import DIRECTIONS
from schemas.memory import MemoryAnswer
from services.memory.facts import PLAYER, STILL, Entity, EntityKind, Turn
from services.memory.graph import Blocked, Exit, Sighting, Told

_TOLD = 40
_RESULT_LENGTH = 100
_ARTICLES = frozenset({"the", "a", "an", "my"})


@dataclass(frozen=True, slots=True)
class WhereAmI:
    """Where the player is."""


@dataclass(frozen=True, slots=True)
class WhatDoIHave:
    """What the player has."""


@dataclass(frozen=True, slots=True)
class ExitsOf:
    """The ways that were walked from a room; None: from here."""

    room: str | None


@dataclass(frozen=True, slots=True)
class UnexploredExitsOf:
    """The directions not tried yet in a room; None: here."""

    room: str | None


@dataclass(frozen=True, slots=True)
class WhereIs:
    """Where a thing is, or was last."""

    thing: str


@dataclass(frozen=True, slots=True)
class TriedIn:
    """The actions taken in a room; None: here."""

    room: str | None


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """None of the questions above."""

    text: str


Question = WhereAmI | WhatDoIHave | ExitsOf | UnexploredExitsOf | WhereIs | TriedIn | NotUnderstood

KNOWN_QUESTIONS = (
    "where am I",
    "what do I have",
    "exits [of ROOM]",
    "unexplored exits [of ROOM]",
    "where is THING",
    "what was tried here",
    "what was tried in ROOM",
)

_ABOUT_ROOM = r"(?: (?:(?:of|from|in) )?(?P<about>.+))?"
_HERE = frozenset({"here", "this room", "room", "this place"})
_QUESTIONS: tuple[tuple[str, Callable[[str | None], Question]], ...] = (
    (r"where am i(?: now)?", lambda _: WhereAmI()),
    (r"what (?:do i have|am i (?:holding|carrying)|is in inventory)|inventory", lambda _: WhatDoIHave()),
    (rf"(?:what )?(?:are )?unexplored exits{_ABOUT_ROOM}", UnexploredExitsOf),
    (rf"(?:what )?(?:are )?exits{_ABOUT_ROOM}", ExitsOf),
    (rf"(?:what )?(?:was |have i |did i )?(?:tried|try){_ABOUT_ROOM}", TriedIn),
    (r"(?:where (?:is|are|was|were)|find) (?P<about>.+)", lambda thing: WhereIs(thing or "")),
)


def understood(text: str) -> Question:
    """The question that a text asks; `NotUnderstood` where it is none of `KNOWN_QUESTIONS`."""
    words = " ".join(_words(text.replace("?", " ")))
    for pattern, question in _QUESTIONS:
        match = re.fullmatch(pattern, words)
        if match:
            about = match.groupdict().get("about")
            return question(None if about in _HERE else about)
    return NotUnderstood(text)


def named(name: str, entities: Iterable[Entity]) -> tuple[Entity, ...]:
    """The entities of exactly this name; where there are none, those whose name has all its words."""
    known, asked = tuple(entities), _words(name)
    exact = tuple(entity for entity in known if _words(entity.name) == asked)
    return exact or tuple(e for e in known if asked and set(asked) <= set(_words(e.name)))


def not_understood(text: str) -> MemoryAnswer:
    """The answer to what is no question we know."""
    known = "; ".join(KNOWN_QUESTIONS)
    return MemoryAnswer(answer=f"I do not understand {_short(text)!r}. Ask one of: {known}.")


def never_seen(name: str) -> MemoryAnswer:
    """The answer about a name that no step told of."""
    return MemoryAnswer(answer=f"I have never seen {_short(name)!r}.")


def told_room(room: Told | None) -> MemoryAnswer:
    """Where am I."""
    if room is None:
        return MemoryAnswer(answer="I do not know which room you are in.")
    return _answer([f"You are in {_of(room.entity)} since step {room.since}."], [room.since])


def told_inventory(things: Sequence[Told]) -> MemoryAnswer:
    """What do I have."""
    if not things:
        return MemoryAnswer(answer="You have nothing that I know of.")
    listed = ", ".join(f"{thing.entity.name} (since step {thing.since})" for thing in things[:_TOLD])
    return _answer([f"You have: {listed}{_more(things)}."], [thing.since for thing in things])


def told_exits(room: Entity, exits: Sequence[Exit], blocked: Sequence[Blocked]) -> MemoryAnswer:
    """The exits of a room that were found, and the directions found blocked."""
    found = ", ".join(f"{way.action} to {way.room.name} (step {way.since})" for way in exits[:_TOLD])
    shut = ", ".join(f"{way.direction} (step {way.since})" for way in blocked)
    lines = [f"Exits found of {_of(room)}: {found or 'none yet'}{_more(exits)}."]
    lines += [f"Blocked there: {shut}."] if shut else []
    return _answer(lines, _steps(exits, blocked))


def told_unexplored(room: Entity, exits: Sequence[Exit], blocked: Sequence[Blocked]) -> MemoryAnswer:
    """The directions of a room that were neither walked nor found blocked."""
    known = {way.action for way in exits} | {way.direction for way in blocked}
    untried = ", ".join(direction for direction in DIRECTIONS if direction not in known)
    return _answer(
        [f"Not tried yet in {_of(room)}: {untried or 'none, all were tried'}."],
        _steps(exits, blocked),
    )


def told_tried(room: Entity, turns: Sequence[Turn]) -> MemoryAnswer:
    """The actions taken in a room, the newest first."""
    if not turns:
        return MemoryAnswer(answer=f"Nothing was tried in {_of(room)} yet.")
    newest = turns[::-1][:_TOLD]
    lines = (f"step {t.step}: {t.action} ({t.reward:+d}) {_short(t.observation)!r}" for t in newest)
    return _answer([f"Tried in {_of(room)}, newest first:", *lines], [turn.step for turn in newest])


def told_whereabouts(thing: Entity, sightings: Sequence[Sighting], mentioned: Sequence[int]) -> MemoryAnswer:
    """Where a thing is, or where it was last and since when that is not so any more."""
    if not sightings:
        return never_seen(thing.name)
    now = [sighting for sighting in sightings if sighting.until == STILL]
    latest = max(sighting.until for sighting in sightings)
    last = now or [sighting for sighting in sightings if sighting.until == latest]
    ordered = sorted(last, key=lambda sighting: sighting.holder.kind is not EntityKind.ITEM)
    where = ", ".join(_where(sighting) for sighting in ordered)
    since = max(sighting.since for sighting in last)
    if now:
        line = f"The {thing.name} is {where} (known since step {since})."
    else:
        line = f"The {thing.name} was last {where} (steps {since} to {latest}); it is there no longer."
    told = [step for s in last for step in (s.since, s.until) if step != STILL]
    return _answer([line], [*told, *mentioned[-1:]])


def together(answers: Sequence[MemoryAnswer]) -> MemoryAnswer:
    """One answer of several, where a name means several things or rooms."""
    return _answer([answer.answer for answer in answers], [step for a in answers for step in a.steps])


def _where(sighting: Sighting) -> str:
    holder = sighting.holder
    if holder.id == PLAYER.id:
        return "with you"
    return f"in {_of(holder)}" if holder.kind is EntityKind.ROOM else f"in the {holder.name}"


def _of(room: Entity) -> str:
    return f"{room.name} [{room.id.removeprefix('room:')}]"


def _steps(exits: Iterable[Exit], blocked: Iterable[Blocked]) -> list[int]:
    return [*(way.since for way in exits), *(way.since for way in blocked)]


@lru_cache(maxsize=4_096)
def _words(text: str) -> tuple[str, ...]:
    return tuple(word for word in text.casefold().split() if word not in _ARTICLES)


def _more(told: Sequence[object]) -> str:
    return f" and {len(told) - _TOLD} more" if len(told) > _TOLD else ""


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _RESULT_LENGTH else line[: _RESULT_LENGTH - 1] + "…"


def _answer(lines: Iterable[str], steps: Iterable[int]) -> MemoryAnswer:
    return MemoryAnswer(answer="\n".join(lines), steps=tuple(sorted(set(steps))))
