"""Walks to a known room, one action a step; a walk ends as soon as anything unexpected happens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from folds.vocabulary.actions import normal
from language_model.prompting.quoting import plain_line
from schemas.actor import ActionProposed
from schemas.sources import TextKind
from services.actor.heuristic.travel import avoided
from services.actor.knowledge.situation import Situation
from services.actor.reflact.reply import UnusableReply

_NAME_LENGTH = 60


@dataclass(frozen=True, slots=True)
class Walk:
    """The rest of the way to a room."""

    goal: str
    name: str
    actions: tuple[str, ...]


def walk_to(wanted: str, situation: Situation) -> Walk:
    """The way to the nearest room with a name (or to the room with an id in brackets).

    Raises:
        UnusableReply: no room of that name can be walked to, or it is this one.
    """
    names = situation.map.names
    named = [
        (room, label)
        for room, label in labels(situation)
        if _is_called(wanted, room, label, names.get(room, room))
    ]
    if not named:
        raise UnusableReply(f"No room {plain_line(wanted, _NAME_LENGTH)!r} is known that could be walked to.")
    room, label = named[0]
    walk = _way(room, situation)
    if walk is None:
        raise UnusableReply(f"You are in {label} already.")
    return walk


def continued_walk(before: ActionProposed, situation: Situation) -> Walk | str:
    """The rest of the walk in progress at the step before; a text: the reason why it has ended."""
    goal = before.mind.heading if before.mind else ""
    name = label_of(goal, situation)
    if situation.room == goal and not situation.step.done:
        return f"You have arrived in {name}."
    if why := _unforeseen(before, situation):
        return f"The walk to {name} was given up: {why}."
    return _way(goal, situation) or f"The walk to {name} was given up: no way there is known from here."


def labels(situation: Situation) -> Iterator[tuple[str, str]]:
    """The rooms that can be walked to, this one first, each with its label."""
    names = situation.map.names
    shared = Counter(names.values())
    for route in situation.map.reachable(situation.room, avoided(situation.experience)):
        yield route.room, _label(route.room, names.get(route.room, route.room), shared)


def label_of(room: str, situation: Situation) -> str:
    """The label of a room: its name, with its id if another room has the same name."""
    names = situation.map.names
    return _label(room, names.get(room, room), Counter(names.values()))


def _label(room: str, name: str, shared: Counter[str]) -> str:
    label = plain_line(name, _NAME_LENGTH)
    return f"{label} [{plain_line(room, _NAME_LENGTH)}]" if shared[name] > 1 else label


def _is_called(wanted: str, room: str, label: str, name: str) -> bool:
    known = (label, name, room, f"[{room}]")
    return wanted.casefold().strip() in map(str.casefold, known)


def _way(goal: str, situation: Situation) -> Walk | None:
    """The shortest way; None: there is none, or it is this room."""
    routes = situation.map.reachable(situation.room, avoided(situation.experience))
    route = next((route for route in routes if route.room == goal), None)
    return Walk(goal, label_of(goal, situation), route.actions) if route and route.actions else None


def _unforeseen(before: ActionProposed, situation: Situation) -> str:
    step, known = situation.step, situation.experience
    if step.done:
        return "the game is over"
    if normal(step.action or "") != normal(before.action):
        return f"the critic had {plain_line(step.action or '', _NAME_LENGTH)!r} done instead"
    if step.reward:
        return "the score has changed"
    if step.text_kind in (TextKind.QUESTION, TextKind.MENU):
        return "the game asks something"
    if known.dangers.attacked:
        return "somebody attacks"
    if situation.room in known.rooms.dark:
        return "it is dark here"
    if situation.expected not in (None, situation.room):
        return f"{before.action!r} did not lead where it had led before"
    return ""
