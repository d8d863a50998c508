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
    tried = situation.attempts.in_world(situation.attempts.world)
    if action is None or action in tried or situation.experience.is_deadly(situation.room, action):
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
    dark = known.rooms.dark
    if room not in dark:
        return None
    tried, ineffective = known.attempts.in_world(known.attempts.world), known.history.ineffective_in(room)
    for noun in lights(known):
        for action in (f"turn on {noun}", f"light {noun}"):
            if action not in tried and ineffective.get(action, 0) < 2:
                return action, "it is dark"
    exits = {**known.map.presumed(room), **known.map.exits.get(room, {})}
    way = next((w for w, end in exits.items() if end not in dark and not known.is_deadly(room, w)), None)
    return (way, "it is dark, and there is no light at hand") if way else None
