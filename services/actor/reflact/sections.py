"""The part of the prompt that changes from step to step: named sections of bounded length."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from language_model.prompting.quoting import plain_line
from language_model.prompting.tokens import cut_lines, plain, tokens
from schemas.fragment import Fragment
from services.actor.knowledge.situation import Situation
from services.actor.reflact.scene import PromptScene
from services.actor.reflact.walk import rooms_ahead

NOW_TOKENS = 1_040
"""The most tokens of all sections."""

LINE_TOKENS: Mapping[str, int] = {"room_state": 90, "belief": 70}
"""The most tokens of a line in these sections: each line is a list, and none crowds out the others."""

LENGTHS: Mapping[str, int] = {
    "notices": 150,
    "objective": 70,
    "advice": 160,
    "going_back": 60,
    "earlier_sessions": 120,
    "last_text_goes_on": 300,
    "room_state": 400,
    "belief": 250,
    "hints": 80,
    "npc": 120,
    "narrative": 200,
    "rooms_known": 100,
}
"""The most tokens of each section, the most useful first; for a section of another name, `OTHER`."""
OTHER = 80

_ROOM_STATE = "room_state"
_GOING_BACK = (
    "save keeps this position, restore returns to it, restore N returns to the position after step N, "
    "also when the game is over. Each takes a step."
)
_ROOMS = 16
_LISTED = 400


def now(scene: PromptScene) -> str:
    """The sections in the order of `LENGTHS`, as many as fit, and the question."""
    sections = _sections(scene)
    ask, shown = _question(scene.situation), []
    left = NOW_TOKENS - tokens(ask)
    for name in (*LENGTHS, *sorted(sections.keys() - LENGTHS.keys())):
        text = sections.get(name, "")
        title = f"== {name.upper().replace('_', ' ')} ==\n"
        room = min(LENGTHS.get(name, OTHER), left) - tokens(title) - 2
        if lines := cut_lines(text, LINE_TOKENS.get(name, room), room):
            shown.append(title + lines)
            left -= tokens(shown[-1]) + 2
    return "\n\n".join((*shown, ask))


def _sections(scene: PromptScene) -> dict[str, str]:
    """The sections of the sub-agents and of the actor itself, whose names take precedence."""
    sections = dict(_of(scene.fragments))
    if _ROOM_STATE not in sections:
        sections[_ROOM_STATE] = "\n".join(_room(scene.situation))
    own = {
        "notices": "\n".join(f"- {note}" for note in scene.notes),
        "objective": scene.mind.objective or "none yet: choose one",
        "advice": "\n".join(f"- {sentence}" for sentence in reversed(scene.mind.advice)),
        "going_back": _GOING_BACK if scene.situation.started.restore else "",
        "earlier_sessions": "\n".join(_earlier_sessions(scene.situation)),
        "last_text_goes_on": scene.situation.transcript.rest,
        "rooms_known": "; ".join(_rooms_known(scene.situation)),
    }
    return sections | own


def _of(fragments: Mapping[str, Fragment]) -> Iterator[tuple[str, str]]:
    """Sections by name; if two have one name, that of the first service by name counts."""
    for service in sorted(fragments, reverse=True):
        for section in reversed(fragments[service].sections):
            if text := plain(section.text):
                yield section.name, text


def _room(situation: Situation) -> Iterator[str]:
    """The room by the step itself, if the memory has no section about it."""
    step = situation.step
    if step.room is not None:
        yield f"ROOM: {plain_line(step.room.name, _LISTED)}"
    for title, names in (
        ("VALID_ACTIONS", step.valid_actions.actions if step.valid_actions else ()),
        ("OBJECTS_HERE", [thing.name for thing in step.objects or ()]),
        ("INVENTORY", [thing.name for thing in step.inventory or ()]),
    ):
        yield f"{title}: {plain_line(_listed(names), _LISTED) or 'unknown or none'}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


def _rooms_known(situation: Situation) -> Iterator[str]:
    """The rooms that can be walked to, the nearest first."""
    return (label for _, label in islice(rooms_ahead(situation), _ROOMS))


def _earlier_sessions(situation: Situation) -> Iterator[str]:
    """What earlier sessions have found out about this room, where the session uses their experience."""
    if situation.started.experience is None:
        return
    known, room = situation.experience, situation.room
    told = {
        "The best route goes on with": filter(None, [situation.best_route.next(room)]),
        "Earned points here": known.unclaimed(room),
        "Deadly here": sorted(known.deadly(room)),
    }
    for what, actions in told.items():
        if listed := plain_line(_listed(actions), _LISTED):
            yield f"{what}: {listed}"


def _question(situation: Situation) -> str:
    step, started = situation.step, situation.started
    most = f" of {started.max_score}" if started.max_score else ""
    score = "unknown" if step.score is None else f"{step.score}{most}"
    return f"This is step {step.step} of {started.steps}; the score is {score}. Reflect, then call one tool."
