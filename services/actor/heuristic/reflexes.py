"""What is done before any weighing: answer a question of the parser, light the dark, break a loop."""

from __future__ import annotations

import re

from folds.text.rooms import UNKNOWN_ROOM
from services.actor.heuristic.candidates import lights
from services.actor.knowledge.situation import Situation

_WHICH = re.compile(r"which (?:one )?do you mean,? (?:the |your )?(.+?)(?:,| or |\?)", re.I)
_YES_NO = re.compile(r"\(y(es)?/n(o)?\)|\(y or n\)|answer yes or no|please answer", re.I)


def reflex(situation: Situation) -> tuple[str, str] | None:
    """An action and its reason, where one must come first."""
    return _verbose(situation) or _again(situation) or _answer(situation) or _light(situation)


def _again(situation: Situation) -> tuple[str, str] | None:
    """After a restart, the way to the best score so far is gone again."""
    action = situation.best_route.next(situation.room)
    tried = situation.tried.in_world(situation.tried.world)
    if action is None or action in situation.experience.deadly(situation.room) or action in tried:
        return None
    return action, "it led to the best score so far"


def _verbose(situation: Situation) -> tuple[str, str] | None:
    """Where rooms are known by their texts alone, they are wanted in full each time."""
    textual = situation.room == UNKNOWN_ROOM or situation.room.startswith("name:")
    first = situation.step.action is None and situation.step.step == 0
    return ("verbose", "rooms are known by their texts alone") if textual and first else None


def _answer(situation: Situation) -> tuple[str, str] | None:
    text = situation.step.observation[-400:]
    which = _WHICH.search(text)
    if which and not situation.repeated(which.group(1).strip().lower()):
        return which.group(1).strip().lower(), "the parser asks which"
    if _YES_NO.search(text) and not situation.repeated("yes"):
        return "yes", "the game asks yes or no"
    return None


def _light(situation: Situation) -> tuple[str, str] | None:
    """In the dark: light what is held, else go back the way one came."""
    known, room = situation.experience, situation.room
    if room not in known.dark:
        return None
    world = known.tried.in_world(known.tried.world)
    for noun in lights(known):
        for action in (f"turn on {noun}", f"light {noun}"):
            if action not in world and known.fruitless[room][action] < 2:
                return action, "it is dark"
    exits = {**known.map.presumed(room), **known.map.exits.get(room, {})}
    back = (
        way for way, beyond in exits.items() if beyond not in known.dark and way not in known.deadly(room)
    )
    way = next(back, None)
    return (way, "it is dark, and there is no light at hand") if way else None
