"""What is done before any weighing: answer a question of the parser, light the dark, break a loop."""

from __future__ import annotations

import re

from folds.actions import direction_of
from services.actor.appraisal import candidates_offered
from services.actor.candidates import lights
from services.actor.situation import Situation

_WHICH = re.compile(r"which (?:one )?do you mean,? (?:the |your )?(.+?)(?:,| or |\?)", re.I)
_YES_NO = re.compile(r"\(y(es)?/n(o)?\)|\(y or n\)|answer yes or no|please answer", re.I)
_BACK = {
    "north": "south", "south": "north", "east": "west", "west": "east", "up": "down", "down": "up",
    "northeast": "southwest", "southwest": "northeast", "northwest": "southeast", "southeast": "northwest",
    "in": "out", "out": "in",
}  # fmt: skip


def reflex(situation: Situation) -> tuple[str, str] | None:
    """An action and its reason, where one must come first."""
    return _answer(situation) or _light(situation)


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
    known = situation.experience
    if situation.room not in known.dark:
        return None
    world = known.tried.in_world(known.tried.world)
    for noun in lights(known):
        for action in (f"turn on {noun}", f"light {noun}"):
            if action not in world and not known.fruitless[situation.room][action]:
                return action, "it is dark"
    if situation.came_from and known.visited.get(situation.came_from) is not None:
        back = _BACK.get(direction_of(situation.step.action or "") or "")
        known_back = [a for a, room in known.map.exits.get(situation.room, {}).items() if room == situation.came_from]
        for action in (*known_back, *filter(None, (back,)), *candidates_offered(situation.step)):
            if direction_of(action) and action not in known.tried.deadly_in(situation.room) and action not in world:
                return action, "it is dark, and there is no light at hand"
    return None
