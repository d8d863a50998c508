"""What a breakpoint's expression may name, and what the names stand for at a step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from lantern.inspect.expression import ANY, ITSELF, Known
from lantern.inspect.plain_values import plain
from mesh.record.step_messages import StepMessages
from schemas.base import Kind
from schemas.catalogue import MESSAGE_OF
from schemas.fragment import FragmentGiven
from schemas.game import SessionStarted, StepTaken, Thing

OF_STEP = ("action", "observation", "score", "reward", "moves", "done", "victory", "episode", "changed")
"""Fields of a step that need no `step.` before them."""

SHORT = ("room", "inventory", "objects", "valid_actions", "policy", *OF_STEP)


@cache
def known_names() -> Known:
    """The short names, and every message by its kind; a fragment by its service: `fragment.narrator.text`."""
    messages = {str(kind): _parts(MESSAGE_OF[kind]) for kind in Kind}
    fragment = {**(messages[Kind.FRAGMENT] or {}), "text": None}
    return {**dict.fromkeys(SHORT), **messages, str(Kind.FRAGMENT): {ANY: fragment}}


def values_at(
    moment: StepMessages, step: StepTaken | None, started: SessionStarted | None
) -> Mapping[str, Any]:
    """The values of the names at a step.

    `step` is the moment's own, with what its text alone tells filled in; `started` holds there.
    """
    told = {str(message.kind): plain(message.body) for message in moment.messages}
    told[Kind.STEP] = {**told.get(Kind.STEP, {}), ITSELF: moment.number}
    told[Kind.FRAGMENT] = {
        message.service.name: {**plain(message.body), "text": text_of(message.body)}
        for message in moment.messages
        if isinstance(message.body, FragmentGiven)
    }
    if started is not None:
        told |= {str(Kind.STARTED): plain(started), "policy": started.policy}
    return told | (_short(step) if step else {})


def text_of(fragment: FragmentGiven) -> str:
    """All that a fragment says, its suggestions in lines of their own."""
    return "\n".join((*(section.text for section in fragment.sections), *fragment.suggestions))


def _short(step: StepTaken) -> dict[str, Any]:
    valid = step.valid_actions
    return {
        **{name: getattr(step, name) for name in OF_STEP},
        "room": step.room.name if step.room else None,
        "inventory": _names(step.inventory),
        "objects": _names(step.objects),
        "valid_actions": None if valid is None else list(valid.actions),
    }


def _names(things: Iterable[Thing] | None) -> list[str] | None:
    return None if things is None else [thing.name for thing in things]


def _parts(annotation: Any) -> Known | None:
    """The fields of a message, and of the messages in them."""
    if get_origin(annotation) is Annotated:
        return _parts(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return next(filter(None, map(_parts, get_args(annotation))), None)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return {name: _parts(field.annotation) for name, field in annotation.model_fields.items()}
    return None
