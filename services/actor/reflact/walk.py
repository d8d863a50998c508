"""Walks to a known room, one action a step; a walk ends as soon as anything unexpected happens."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from folds.text.rooms import UNKNOWN_ROOM
from folds.vocabulary.actions import normal
from language_model.prompting.quoting import plain_line
from schemas.actor import ActionProposed
from schemas.sources import TextKind
from services.actor.heuristic.behaviours.places.travel import avoided
from services.actor.knowledge.situation import Situation
from services.actor.reflact.reply import UnusableReply

_NAME_LENGTH = 60
_KNOWN = 8
"""The most rooms that a correction names."""

_WORD = re.compile(r"\w+")
_ARTICLES = frozenset({"the", "a", "an"})


@dataclass(frozen=True, slots=True)
class Walk:
    """The rest of the way to a room."""

    goal: str
    name: str
    actions: tuple[str, ...]


def walk_to(wanted: str, situation: Situation) -> Walk:
    """The way to the nearest room with a name (or to the room with an id in brackets).

    Case and articles do not count, and a part of a name will do where it means one name only.

    Raises:
        UnusableReply: no room of that name can be walked to, it is this one, or several are meant.
    """
    here, ahead = label_of(situation.room, situation), tuple(rooms_ahead(situation))
    known = f" Known are {_listed([label for _, label in ahead], 'and')}." if ahead else ""
    if _is_called(wanted, situation.room, here, situation):
        raise UnusableReply(f"You are in {here} already.{known}")
    exact = [room for room, label in ahead if _is_called(wanted, room, label, situation)]
    meant = exact or [room for room, _ in ahead if _is_part(wanted, _name(room, situation))]
    names = {_words(_name(room, situation)): label_of(room, situation) for room in reversed(meant)}
    walk = _way(meant[0], situation) if len(names) == 1 else None
    if walk is not None:
        return walk
    asked = repr(plain_line(wanted, _NAME_LENGTH))
    if len(names) > 1:
        raise UnusableReply(f"{asked} may be {_listed([*names.values()][::-1], 'or')}. Name one of them.")
    if _is_part(wanted, _name(situation.room, situation)):
        raise UnusableReply(f"You are in {here} already.{known}")
    raise UnusableReply(f"No room {asked} is known.{known}")


def continued_walk(before: ActionProposed, situation: Situation) -> Walk | str:
    """The rest of the walk in progress at the step before; a text: the reason why it has ended."""
    goal = before.mind.heading if before.mind else ""
    name = label_of(goal, situation)
    if situation.room == goal and not situation.step.done:
        return f"You have arrived in {name}."
    if why := _unforeseen(before, situation):
        return f"The walk to {name} was given up: {why}."
    return _way(goal, situation) or f"The walk to {name} was given up: no way there is known from here."


def rooms_ahead(situation: Situation) -> Iterator[tuple[str, str]]:
    """The rooms other than this one that can be walked to, the nearest first, each with its label."""
    return ((room, label) for room, label, _ in _ahead(situation))


def rooms_ahead_with_distance(situation: Situation, most: int) -> Iterator[tuple[str, int]]:
    """The labels of the nearest of these rooms, and the steps to each."""
    return ((label, steps) for _, label, steps in islice(_ahead(situation), most))


def _ahead(situation: Situation) -> Iterator[tuple[str, str, int]]:
    names = situation.map.names
    shared = Counter(names.values())
    for route in situation.map.reachable(situation.room, avoided(situation.experience)):
        if route.actions and route.room != UNKNOWN_ROOM:
            label = _label(route.room, names.get(route.room, route.room), shared)
            yield route.room, label, len(route.actions)


def label_of(room: str, situation: Situation) -> str:
    """The label of a room: its name, with its id if another room has the same name."""
    names = situation.map.names
    return _label(room, names.get(room, room), Counter(names.values()))


def _label(room: str, name: str, shared: Counter[str]) -> str:
    label = plain_line(name, _NAME_LENGTH)
    return f"{label} [{plain_line(room, _NAME_LENGTH)}]" if shared[name] > 1 else label


def _is_called(wanted: str, room: str, label: str, situation: Situation) -> bool:
    known = (label, _name(room, situation), room, f"[{room}]")
    return _words(wanted) in map(_words, known)


def _is_part(wanted: str, name: str) -> bool:
    """Whether all words of what is wanted stand in a name."""
    return set(_words(wanted)) <= set(_words(name))


def _name(room: str, situation: Situation) -> str:
    return situation.map.names.get(room, room)


def _words(name: str) -> tuple[str, ...]:
    """The words of a name, without an article before them."""
    words = tuple(_WORD.findall(name.casefold())) or (name.casefold().strip(),)
    return words[1:] if len(words) > 1 and words[0] in _ARTICLES else words


def _listed(labels: Sequence[str], joined: str) -> str:
    """The first labels, in words."""
    shown = [*labels[:_KNOWN], *([f"{len(labels) - _KNOWN} more"] if len(labels) > _KNOWN else [])]
    return f" {joined} ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


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
