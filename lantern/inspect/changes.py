"""What changed from one step of a session to the next, field by field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from lantern.inspect.breakpoint_names import text_of
from lantern.inspect.plain_values import apart
from lantern.views.text_view import printable
from schemas.fragment import FragmentGiven
from schemas.game import StepTaken, Thing

PLAIN = ("score", "moves", "episode", "done", "victory", "text_kind", "world")
"""Fields of a step that are told as before and after; `room`, things and actions are told in words."""

LINES = 20
"""Lines of a fragment's change that are told."""


@dataclass(frozen=True, slots=True)
class SceneChange:
    """A step, and what each sub-agent held then."""

    step: StepTaken | None = None
    said: Mapping[str, FragmentGiven] = field(default_factory=dict)


def changes(before: SceneChange, now: SceneChange) -> Iterator[str]:
    """The changes, a line each."""
    if before.step is not None and now.step is not None:
        yield from _of_the_step(before.step, now.step)
    for service in sorted({*before.said, *now.said}):
        yield from _of_the_words(service, before.said.get(service), now.said.get(service))


def _of_the_step(before: StepTaken, now: StepTaken) -> Iterator[str]:
    rooms = [printable(step.room.name) if step.room else "unknown" for step in (before, now)]
    if before.room != now.room:
        yield f"room: {rooms[0]} -> {rooms[1]}"
    for name in PLAIN:
        one, other = getattr(before, name), getattr(now, name)
        if one != other:
            yield f"{name}: {' -> '.join(apart(one, other))}"
    yield from _of_a_list("inventory", _names(before.inventory), _names(now.inventory))
    yield from _of_a_list("objects", _names(before.objects), _names(now.objects))
    yield from _of_a_list("valid_actions", _valid(before), _valid(now))


def _of_the_words(service: str, before: FragmentGiven | None, now: FragmentGiven | None) -> Iterator[str]:
    one, other = (text_of(given).splitlines() if given else [] for given in (before, now))
    if one == other:
        return
    lines = [
        *(f"  - {line}" for line in _only_in(one, other)),
        *(f"  + {line}" for line in _only_in(other, one)),
    ]
    yield f"fragment {service}:" if lines else f"fragment {service}: the same lines in another order"
    yield from (printable(line) for line in lines[:LINES])
    if len(lines) > LINES:
        yield f"  and {len(lines) - LINES} lines more"


def _of_a_list(name: str, before: list[str] | None, now: list[str] | None) -> Iterator[str]:
    if before is None or now is None:
        if before is not now:
            yield f"{name}: {'known' if before is None else 'unknown'} from here on"
        return
    gone, come = _only_in(before, now), _only_in(now, before)
    told = [*(f"- {each}" for each in gone), *(f"+ {each}" for each in come)]
    if told:
        yield f"{name}: {printable(', '.join(told))}"


def _only_in(one: Iterable[str], other: Iterable[str]) -> list[str]:
    """Of several alike, as many as the other has not."""
    left = list(other)
    found = []
    for each in one:
        if each in left:
            left.remove(each)
        else:
            found.append(each)
    return found


def _names(things: Iterable[Thing] | None) -> list[str] | None:
    return None if things is None else [thing.name for thing in things]


def _valid(step: StepTaken) -> list[str] | None:
    return None if step.valid_actions is None else list(step.valid_actions.actions)
