"""The part of the prompt that changes from step to step: named sections, whole as long as all fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from folds.text.phrases import is_fruitless
from folds.text.things.inventory import object_of
from folds.vocabulary.verbs import ActionKind, action_kind_of
from language_model.prompting.fitting import shares, shortened
from language_model.prompting.quoting import plain_line
from language_model.prompting.tokens import plain, tokens
from schemas.actor import Mind
from schemas.experience import EARLIER, MOST_REFLECTIONS
from schemas.fragment import Fragment
from services.actor.knowledge.situation import Situation
from services.actor.plan.by_rule import is_planned
from services.actor.plan.notes import own_puzzles
from services.actor.reflact.scene import PromptScene
from services.actor.reflact.told_once import told_once
from services.actor.reflact.walk import rooms_ahead_with_distance

WEIGHTS: Mapping[str, int] = {
    "notices": 20,
    "objective": 10,
    "plan": 15,
    "open_puzzles": 15,
    "clues": 15,
    "advice": 15,
    "earlier_sessions": 15,
    "last_text_goes_on": 30,
    "room_state": 40,
    "belief": 30,
    "hints": 10,
    "npc": 15,
    "narrative": 25,
    "scored": 10,
    "texts_read": 5,
    "words_not_known": 5,
    "rooms_known": 10,
}
"""The sections in their order, and how the room is shared where not all fit; another's weight is `OTHER`."""
OTHER = 10

_TITLE = "== {} ==\n"
_LEAST = 6
"""Tokens below which a section is left out rather than cut."""
_ROOM_STATE = "room_state"
_ROOMS = 40
_LISTED = 400
_SCORED, _READ, _WORDS = 12, 12, 24


def now(scene: PromptScene, available: int) -> str:
    """All sections and the question in `available` tokens; where they do not fit, each gets a share."""
    sections, ask = _sections(scene), _question(scene.situation)
    names = [name for name in (*WEIGHTS, *sorted(sections.keys() - WEIGHTS.keys())) if sections.get(name)]
    titles = [_TITLE.format(name.upper().replace("_", " ")) for name in names]
    needs = [tokens(title + sections[name]) + 2 for title, name in zip(titles, names, strict=True)]
    got = shares(needs, [WEIGHTS.get(name, OTHER) for name in names], available - tokens(ask))
    shown = []
    for name, title, need, share in zip(names, titles, needs, got, strict=True):
        room = share - tokens(title) - 2
        text = sections[name] if share == need else shortened(sections[name], room) if room > _LEAST else ""
        if text:
            shown.append(title + text)
    return "\n\n".join((*shown, ask))


def _sections(scene: PromptScene) -> dict[str, str]:
    """The sections of the sub-agents and of the actor itself, whose names take precedence."""
    situation, mind = scene.situation, scene.mind
    sections = dict(_of(scene.fragments))
    if _ROOM_STATE not in sections:
        sections[_ROOM_STATE] = "\n".join(_room(situation))
    transcript = scene.steps
    notices = _items(scene.notes)
    steps = range(transcript[0].number if transcript else 0, situation.step.step + 1)
    planned = [step.goal for step in mind.plan]
    told = told_once(sections, steps, notices, _done_in_vain(situation), planned)
    own = {
        "notices": notices,
        "objective": mind.objective,
        "plan": "\n".join(
            f"{rank}. {step.goal}{f' ({step.reason})' if step.reason else ''}"
            for rank, step in enumerate(mind.plan, start=1)
        ),
        "open_puzzles": "\n".join(_puzzles(scene)),
        "clues": "\n".join(f"C{number}: {clue}" for number, clue in enumerate(mind.clues, start=1)),
        "advice": _items(reversed(mind.advice)),
        "failures": _failures(told.get("failures", ""), mind),
        "earlier_sessions": "\n".join(_earlier_sessions(situation)),
        "last_text_goes_on": situation.transcript.rest,
        "scored": "; ".join(_scored(situation)),
        "texts_read": "; ".join(_read(situation)) if "memory" in scene.fragments else "",
        "words_not_known": ", ".join(situation.experience.refusals.unknown_words[-_WORDS:]),
        "rooms_known": "; ".join(_rooms_known(situation)),
    }
    return told | own


def _of(fragments: Mapping[str, Fragment]) -> Iterator[tuple[str, str]]:
    """Sections by name; if two have one name, that of the first service by name counts."""
    for service in sorted(fragments, reverse=True):
        for section in reversed(fragments[service].sections):
            if text := plain(section.text):
                yield section.name, text


def _items(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _failures(told: str, mind: Mind) -> str:
    """The failures of which the model has not advised itself, so that it reads of three at most."""
    if not mind.advice:
        return told
    earlier = [line for line in told.splitlines() if line.startswith(f"- {EARLIER}")]
    return "\n".join(earlier[::-1][: MOST_REFLECTIONS - len(mind.advice)])


def _puzzles(scene: PromptScene) -> Iterator[str]:
    """Those of the model have numbers, by which it strikes them off; the plan tells of others already."""
    for number, own in enumerate(own_puzzles(scene.mind), start=1):
        yield f"P{number}: {own.puzzle}"
    plan = scene.mind.plan
    found = (each for each in scene.mind.puzzles if each.by_rule and not is_planned(each, plan))
    yield from (f"- {puzzle.puzzle}" for puzzle in found)


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
        if listed := plain_line(", ".join(names), _LISTED):
            yield f"{title}: {listed}"


def _scored(situation: Situation) -> Iterator[str]:
    """What has earned points in this session, and where; the latest rooms first."""
    names, count = situation.map.names, 0
    for room in reversed(names):
        for action, points in situation.attempts.earned_in(room).items():
            if (count := count + 1) > _SCORED:
                return
            yield f"{plain_line(action, _LISTED)} in {plain_line(names[room], _LISTED)} ({points:+d})"


def _read(situation: Situation) -> Iterator[str]:
    """What was read, and where; the latest rooms first. The memory has the texts."""
    names, count = situation.map.names, 0
    for room in reversed(names):
        vain = {each.action for each in situation.attempts.by_room.get(room, ()) if is_fruitless(each.result)}
        for action in situation.attempts.in_room(room):
            is_read = action_kind_of(action) is ActionKind.READ and action not in vain
            if is_read and (count := count + 1) <= _READ:
                read = object_of(action) or action
                yield f"{plain_line(read, _LISTED)} in {plain_line(names[room], _LISTED)}"


def _done_in_vain(situation: Situation) -> frozenset[str]:
    """Actions that have changed nothing in the world as it is now."""
    attempts = situation.attempts
    return frozenset(attempts.in_world(attempts.world))


def _rooms_known(situation: Situation) -> Iterator[str]:
    """The rooms that can be walked to, the nearest first, with the steps that each takes."""
    for label, steps in rooms_ahead_with_distance(situation, _ROOMS):
        yield f"{label} ({steps} step{'s' if steps > 1 else ''})"


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
        if listed := plain_line(", ".join(actions), _LISTED):
            yield f"{what}: {listed}"


def _question(situation: Situation) -> str:
    step, started = situation.step, situation.started
    most = f" of {started.max_score}" if started.max_score else ""
    score = "not known" if step.score is None else f"{step.score}{most}"
    return f"This is step {step.step} of {started.steps}; the score is {score}. Reflect, then call one tool."
