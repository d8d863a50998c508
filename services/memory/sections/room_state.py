"""The section `room_state`: the room as the last step shows it, and everything that was tried in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from folds.attempts import Attempt
from schemas.fragment import SECTION_LENGTH, Section
from schemas.game import StepTaken, Thing
from services.memory.beliefs.beliefs import Beliefs
from services.memory.sections.layout import (
    LIST_LENGTH,
    by_text_mark,
    cut,
    exits_of,
    items_that_fit,
    line,
    section,
)
from services.memory.sections.tried import folded

_ATTEMPTS_LENGTH = 600
"""Reserved for the last attempts in a room, however many actions were tried there."""
_RESULT_LENGTH = 200


def room_state_section(beliefs: Beliefs, near: Iterable[str]) -> Section:
    """The room, what was tried in it, and the map of the `near` rooms other than this one."""
    step = beliefs.last
    if step is None:
        return Section(name="room_state", text="")
    revisits = step.world_seen if step.world else "unknown"
    head = (_room(step), f"STATE_REVISIT_COUNT: {revisits}")
    state = (
        line("VALID_ACTIONS", _valid_actions(step)),
        line("OBJECTS_HERE", _things(step.objects, beliefs)),
        line("INVENTORY", _things(step.inventory, beliefs)),
        line("EXPLORED_MAP", _explored_map(beliefs, near), separator="; "),
    )
    free = SECTION_LENGTH - _length(*head, *state)
    tried = _all_tried(beliefs, free - _ATTEMPTS_LENGTH)
    return section("room_state", (*head, tried, *state, _last_attempts(beliefs, free - _length(tried))))


def _room(step: StepTaken) -> str:
    room = "unknown" if step.room is None else f"{cut(step.room.name)} (id {cut(step.room.id)})"
    return f"ROOM: {room}"


def _valid_actions(step: StepTaken) -> Iterable[str]:
    return ["unknown"] if step.valid_actions is None else step.valid_actions.actions


def _things(things: tuple[Thing, ...] | None, beliefs: Beliefs) -> Iterable[str]:
    """The text alone can name things, but it cannot say that there are none."""
    if things is None or (beliefs.things_by_text and not things):
        return ["unknown"]
    if beliefs.things_by_text:
        return [f"{', '.join(thing.name for thing in things)}{by_text_mark(True)}"]
    names = {thing.id: thing.name for thing in things}
    return (
        f"{thing.name} (in {names[thing.container]})" if thing.container in names else thing.name
        for thing in things
    )


def _explored_map(beliefs: Beliefs, near: Iterable[str]) -> Iterator[str]:
    for room in near:
        exits = ", ".join(exits_of(beliefs, room)) if room != beliefs.map.here else ""
        if exits:
            yield f"{beliefs.rooms.name_of(room)}: {exits}"


def _all_tried(beliefs: Beliefs, length: int) -> str:
    """Every action that was tried here, the one first tried last in front; as many as fit."""
    title = "ALL_TRIED_IN_THIS_ROOM: "
    newest = reversed(tuple(beliefs.attempts.in_room(beliefs.map.here).items()))
    return title + (folded(newest, length - len(title)) or "none")


def _last_attempts(beliefs: Beliefs, length: int) -> str:
    """As many of the attempts in this room as fit, newest first; what had one and the same answer is one."""
    title = "LAST_ACTIONS_HERE (newest first):"
    attempts = reversed(tuple(beliefs.attempts.by_room.get(beliefs.map.here, ())))
    alike: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        led_to = beliefs.rooms.name_of(attempt.moved_to) if attempt.moved_to else ""
        alike.setdefault(_outcome(attempt, led_to), []).append(attempt)
    lines = (_line_of(outcome, tried) for outcome, tried in alike.items())
    fitting, _ = items_that_fit(lines, length - len(title), "\n")
    return "\n".join((title, *fitting)) if fitting else "LAST_ACTIONS_HERE: none"


def _line_of(outcome: str, attempts: Sequence[Attempt]) -> str:
    """Attempts with the same outcome, the newest first."""
    steps = ", ".join(str(attempt.step) for attempt in attempts)
    actions = folded([(action, 1) for action in dict.fromkeys(each.action for each in attempts)], LIST_LENGTH)
    return f"- step{'s' if len(attempts) > 1 else ''} {steps}: {actions} | {outcome}"


@lru_cache(maxsize=512)
def _outcome(attempt: Attempt, led_to: str) -> str:
    """Cached, because the attempts in a room are rendered again at each step in it."""
    parts = []
    if attempt.reward and attempt.score_before is not None and attempt.score_after is not None:
        parts.append(f"score {attempt.score_before} -> {attempt.score_after}")
    elif attempt.reward:
        parts.append(f"reward {attempt.reward:+d}")
    if attempt.gained:
        parts.append(f"gained {', '.join(attempt.gained)}")
    if attempt.lost:
        parts.append(f"lost {', '.join(attempt.lost)}")
    result = f"led to {cut(led_to)}" if led_to else f'"{cut(attempt.result, _RESULT_LENGTH)}"'
    return " | ".join((*parts, result))


def _length(*lines: str) -> int:
    """The characters of some lines, each with its line break."""
    return sum(len(text) + 1 for text in lines)
