"""What to do in the dark."""

from __future__ import annotations

from collections.abc import Iterator

from folds.vocabulary.words import head_of, words_of
from services.actor.heuristic.behaviours.idea import URGENT, Idea
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.experience.experience import Experience
from services.actor.knowledge.kinds import LIGHTS

_SWITCH = "turn on light"
"""What is tried where nothing is held that gives light."""
_WAITS, _WAITING = 3, 9.0
"""How often one waits for light, where nothing else is known that brings it."""
_SPENT = 2
"""Times that lighting a thing in the dark must have failed until it counts as none that gives light."""


def light(context: OptionContext) -> Iterator[Idea]:
    """In the dark: light what is held, else go back, else try the room's own light, and wait a while."""
    known, room = context.known, context.room
    dark = known.rooms.dark
    if room not in dark:
        return
    for noun in lights(known):
        for action in (f"turn on {noun}", f"light {noun}"):
            if not context.has_failed(action) and context.ineffective.get(action, 0) < 2:
                yield Idea(action, "it is dark", URGENT + 2)
                return
    words = (action for word in known.instructions.lighting for action in (f"say {word}", word))
    unsaid = next((each for each in words if each not in context.done), None)
    if context.blind and unsaid is not None:
        yield Idea(unsaid, "it is dark, and the word may give light", URGENT + 2)
        return
    exits = {**known.map.presumed(room), **known.map.exits.get(room, {})}
    way = next((w for w, end in exits.items() if end not in dark and not known.is_deadly(room, w)), None)
    if way:
        yield Idea(way, "it is dark, and there is no light at hand", URGENT + 1, insists=True)
    elif context.blind and not context.has_failed(_SWITCH) and not context.ineffective.get(_SWITCH):
        yield Idea(_SWITCH, "it is dark, and no way back is known", URGENT + 1)
    elif context.done.get("wait", 0) < _WAITS:
        yield Idea("wait", "it is dark, and it may grow light again", _WAITING, insists=True)


def has_light(known: Experience) -> bool:
    """Whether something is at hand that gives light, or may do so."""
    words = known.instructions.lighting
    unsaid = (f"say {word}" not in known.history.done_in(room) for word in words for room in known.rooms.dark)
    return bool(lights(known)) or any(unsaid)


def lights(known: Experience) -> tuple[str, ...]:
    """Things held that probably give light, but for what has failed to do so."""
    giving = LIGHTS | known.rooms.shining
    held = (head_of(name) for name in known.belongings.names if not giving.isdisjoint(words_of(name)))
    return tuple(noun for noun in held if known.rooms.failed_lights[noun] < _SPENT)
