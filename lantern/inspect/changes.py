"""What changed from one step of a session to the next, field by field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from lantern.inspect.breakpoint_names import text_of
from lantern.inspect.plain_values import apart
from lantern.views.text_view import printable
from mesh.printable import counted
from schemas.fragment import FragmentGiven
from schemas.game import StepTaken, Thing

PLAIN = ("score", "moves", "episode", "done", "victory", "text_kind", "world")
"""Fields of a step that are told as before and after; `room`, things and actions are told in words."""

THINGS = 5
"""Things, or actions, of a list that came or went, which are named unless all is told."""


@dataclass(frozen=True, slots=True)
class SceneChange:
    """A step, and what each sub-agent held then."""

    step: StepTaken | None = None
    said: Mapping[str, FragmentGiven] = field(default_factory=dict)


def changes(before: SceneChange, now: SceneChange, *, in_full: bool = False) -> Iterator[str]:
    """The changes, a line each; `in_full` with every thing, action and line of a fragment."""
    if before.step is not None and now.step is not None:
        yield from _step_changes(before.step, now.step, in_full)
    for service in sorted({*before.said, *now.said}):
        yield from _fragment_changes(service, before.said.get(service), now.said.get(service), in_full)


def _step_changes(before: StepTaken, now: StepTaken, in_full: bool) -> Iterator[str]:
    rooms = [printable(step.room.name) if step.room else "unknown" for step in (before, now)]
    if before.room != now.room:
        yield f"room: {rooms[0]} -> {rooms[1]}"
    for name in PLAIN:
        one, other = getattr(before, name), getattr(now, name)
        if one != other:
            yield f"{name}: {' -> '.join(apart(one, other))}"
    yield from _list_changes("inventory", _names(before.inventory), _names(now.inventory), in_full)
    yield from _list_changes("objects", _names(before.objects), _names(now.objects), in_full)
    yield from _list_changes("valid_actions", _valid(before), _valid(now), in_full)


def _fragment_changes(
    service: str, before: FragmentGiven | None, now: FragmentGiven | None, in_full: bool
) -> Iterator[str]:
    one, other = (text_of(given).splitlines() if given else [] for given in (before, now))
    if one == other:
        return
    gone, come = _only_in(one, other), _only_in(other, one)
    if not (gone or come):
        yield f"fragment {service}: the same lines in another order"
    elif in_full:
        yield f"fragment {service}:"
        yield from (printable(f"  - {line}") for line in gone)
        yield from (printable(f"  + {line}") for line in come)
    else:
        yield f"fragment {service}: {counted(len(gone), 'line')} gone, {len(come)} new (d all)"


def _list_changes(name: str, before: list[str] | None, now: list[str] | None, in_full: bool) -> Iterator[str]:
    if before is None or now is None:
        if before is not now:
            yield f"{name}: {'known' if before is None else 'unknown'} from here on"
        return
    gone, come = _only_in(before, now), _only_in(now, before)
    told = [*(f"- {each}" for each in gone), *(f"+ {each}" for each in come)]
    if told:
        named = told if in_full else told[:THINGS]
        more = f", and {len(told) - len(named)} more (d all)" if len(told) > len(named) else ""
        yield f"{name}: {printable(', '.join(named))}{more}"


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
