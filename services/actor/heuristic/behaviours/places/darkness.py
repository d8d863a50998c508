"""What to do in the dark."""

from __future__ import annotations

from collections.abc import Iterator

from folds.vocabulary.words import head_of, words_of
from services.actor.heuristic.behaviours.idea import URGENT, Idea
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.experience.experience import Experience
from services.actor.knowledge.kinds import LIGHTS
from services.actor.knowledge.situation import Situation

_SWITCH = "turn on light"
"""What is tried where nothing is held that gives light."""
_WAITS, _WAITING = 3, 9.0
"""How often one waits for light, where nothing else is known that brings it."""
_LOST, _WORTH, _DEATHS = 100, 60, 3
"""Steps without a new room or a point, from which on one gropes in the dark; those that must be left for
it; and the ways that have killed there after which it is given up."""
_INTO_THE_DARK = 9.0
_LONG, _MANY = 30, 20
"""Steps in the dark, and dark rooms, after which one gropes no more."""
_KINDLING = ("turn on", "light", "rub", "wave")
"""What may make a thing shine that does not look like it."""
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


def grope(situation: Situation, context: OptionContext) -> Iterator[Idea]:
    """Where nothing new was found for long: into the dark without a light, and on from there.

    What is held may shine. In a dark room without a known way back one gropes at once.
    """
    known, room = context.known, context.room
    if not known.rooms.dark or lights(known) or context.step.step - known.rooms.lit_at > _LONG:
        return
    nothing_new = min(situation.without_score, context.step.step - known.rooms.new_at)
    is_lost = nothing_new >= _LOST and situation.steps_left >= _WORTH
    if not context.is_dark:
        yield from _into_the_dark(room, known, _INTO_THE_DARK) if is_lost else ()
        return
    for action in (f"{verb} {noun}" for noun in context.held_nouns for verb in _KINDLING if is_lost):
        yield Idea(action, "it is dark, and this may shine", URGENT + 3)
    unfelt = _unfelt(room, known)
    if is_lost and not unfelt:
        yield from _into_the_dark(room, known, URGENT + 2)
    for way in unfelt[:1] if is_lost or known.rooms.entered_dark else ():
        yield Idea(way, "it is dark, and may be light there", URGENT + 2 if is_lost else URGENT, insists=True)


def _into_the_dark(room: str, known: Experience, utility: float) -> Iterator[Idea]:
    """The first action towards the nearest dark room with a way out that was never tried."""
    for route in known.map.reachable(room, known.is_deadly):
        for way, end in known.map.exits.get(route.room, {}).items():
            if end in known.rooms.dark and not known.is_deadly(route.room, way) and _unfelt(end, known):
                first = (*route.actions, way)[0]
                yield Idea(first, "nothing else is known: into the dark", utility, insists=True)
                return


def _unfelt(room: str, known: Experience) -> list[str]:
    """The ways out of a dark room that were never tried; none where it has killed too often, or one has been
    in so many dark rooms that one goes in circles: they are known apart by the ways into them alone."""
    if len(known.attempts.deadly_in(room)) >= _DEATHS or len(known.rooms.dark) > _MANY:
        return []
    return [way for way in known.map.untried(room) if not known.is_deadly(room, way)]


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
