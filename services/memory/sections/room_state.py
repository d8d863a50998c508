"""The section `room_state`: the room as the last step shows it, and everything that was tried in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from folds.attempts import Attempt
from schemas.fragment import SECTION_LENGTH, Section
from schemas.game import StepTaken, Thing
from services.memory.beliefs.beliefs import Beliefs
from services.memory.sections.layout import by_text_mark, cut, exits_of, items_that_fit, line, section

_ATTEMPTS_LENGTH = 600
"""Reserved for the last attempts in a room, however many actions were tried there."""
_RESULT_LENGTH = 120


def room_state_section(beliefs: Beliefs, near: Iterable[str]) -> Section:
    """The room, what was tried in it, and the map of the `near` rooms."""
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
    attempts = beliefs.attempts.by_room.get(beliefs.map.here, ())
    return section("room_state", (*head, tried, *state, _last_attempts(attempts, free - _length(tried))))


def _room(step: StepTaken) -> str:
    room = "unknown" if step.room is None else f"{cut(step.room.name)} (id {cut(step.room.id)})"
    return f"ROOM: {room} | step {step.step} | score {'unknown' if step.score is None else step.score}"


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
        exits = ", ".join(exits_of(beliefs, room))
        if exits:
            yield f"{beliefs.rooms.name_of(room)}: {exits}"


def _all_tried(beliefs: Beliefs, length: int) -> str:
    """Every action that was tried here, in the order of the first attempts; the newest that fit."""
    newest = reversed(tuple(beliefs.attempts.in_room(beliefs.map.here).items()))
    counted = (action if times == 1 else f"{action} (x{times})" for action, times in newest)
    title, older = "ALL_TRIED_IN_THIS_ROOM: ", "older ones, and "
    fitting, more = items_that_fit(counted, length - len(title + older), ", ")
    return title + (older if more else "") + (", ".join(reversed(fitting)) or "none")


def _last_attempts(attempts: Iterable[Attempt], length: int) -> str:
    """As many of the attempts in this room as fit, newest first."""
    title = "LAST_ACTIONS_HERE (newest first):"
    newest = reversed(tuple(attempts))
    fitting, _ = items_that_fit(map(_attempt, newest), length - len(title), "\n")
    return "\n".join((title, *fitting)) if fitting else "LAST_ACTIONS_HERE: none"


@lru_cache(maxsize=512)
def _attempt(attempt: Attempt) -> str:
    """Cached, because the attempts in a room are rendered again at each step in it."""
    parts = [f"- step {attempt.step}: {attempt.action}"]
    if attempt.score_before is not None and attempt.score_after is not None:
        parts.append(f"score {attempt.score_before} -> {attempt.score_after}")
    if attempt.reward or attempt.score_after is not None:
        parts.append(f"reward {attempt.reward:+d}")
    if attempt.gained:
        parts.append(f"gained {', '.join(attempt.gained)}")
    if attempt.lost:
        parts.append(f"lost {', '.join(attempt.lost)}")
    return " | ".join((*parts, f'"{cut(attempt.result, _RESULT_LENGTH)}"'))


def _length(*lines: str) -> int:
    """The characters of some lines, each with its line break."""
    return sum(len(text) + 1 for text in lines)
