"""Parses the model's reply into a decision; its text is data, used only as an action or a text."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from language_model.model import Reply, ToolCall
from language_model.prompting.quoting import plain_line
from schemas.actor import SubGoal
from schemas.base import ACTION_LENGTH
from services.actor.plan.notes import NO_NOTES, NewNotes
from services.actor.reflact.tools import (
    ARGUMENT,
    GOAL,
    LONGEST_NOTE,
    NEW_CLUE,
    NEW_PUZZLE,
    OBJECTIVE,
    PLAN,
    REASON,
    REFLECTION,
    SETTLED,
    SUB_GOALS,
    ToolName,
)

REFLECTION_LENGTH, OBJECTIVE_LENGTH = 240, 200
"""The most characters of a reflection and of an objective."""

_QUOTED = 40
_NOTHING = re.compile(r"none(?: yet\b.*)?|null|nil|n/?a|unknown|[-.]+", re.I)
"""What small models write where they have nothing to say."""


class UnusableReply(Exception):
    """The reply is not a decision; the message explains the fault in one sentence."""


@dataclass(frozen=True, slots=True)
class ModelDecision:
    """The tool that the model calls, with its arguments."""

    tool: ToolName
    argument: str
    reflection: str
    objective: str
    """Empty: the previous one still holds."""
    notes: NewNotes = NO_NOTES


def decision_in(reply: Reply, offered: Collection[ToolName]) -> ModelDecision:
    """The first call of a reply, with checked arguments.

    A reflection and an objective are only read: they are cut to one line of bounded length. An action, a
    question and a room are used, so they are taken whole or not at all.

    Raises:
        UnusableReply: the reply has no call, calls a tool not offered, has wrong arguments, or was cut
            off, so that an action may be incomplete.
    """
    names = ", ".join(offered)
    if reply.truncated:
        raise UnusableReply("The reply was too long and was cut off. Reflect in fewer words.")
    if not reply.calls:
        raise UnusableReply(f"No tool was called. Call one of {names}.")
    call = reply.calls[0]
    tool = next((name for name in offered if name == call.name), None)
    if tool is None:
        raise UnusableReply(f"There is no tool {plain_line(call.name, _QUOTED)!r} now. Call one of {names}.")
    return ModelDecision(
        tool=tool,
        argument=_whole_line(call, ARGUMENT[tool]),
        reflection=_words(call, REFLECTION, REFLECTION_LENGTH),
        objective=_unless_nothing(call, OBJECTIVE, OBJECTIVE_LENGTH),
        notes=_notes(call),
    )


def _whole_line(call: ToolCall, name: str) -> str:
    """An argument as the model wrote it, which must be one line that can be typed."""
    lines = [line for line in _text(call, name).splitlines() if line.strip()]
    if not lines:
        raise UnusableReply(f"The argument {name!r} of {call.name} is empty.")
    if len(lines) > 1:
        raise UnusableReply(
            f"The argument {name!r} of {call.name} has {len(lines)} lines. Give one line, for one thing."
        )
    line = " ".join(lines[0].split())
    if _NOTHING.fullmatch(line):
        raise UnusableReply(f"The argument {name!r} of {call.name} is {line!r}, which is nothing. Name one.")
    if len(line) > ACTION_LENGTH:
        raise UnusableReply(
            f"The argument {name!r} of {call.name} has {len(line)} characters. At most {ACTION_LENGTH} fit."
        )
    if not line.isprintable():
        raise UnusableReply(f"The argument {name!r} of {call.name} has characters that cannot be typed.")
    return line


def _notes(call: ToolCall) -> NewNotes:
    """What a call notes beside its action; it need not note anything."""
    return NewNotes(
        plan=tuple(_sub_goal(each, call) for each in _list(call, PLAN)),
        puzzle=_unless_nothing(call, NEW_PUZZLE, LONGEST_NOTE),
        clue=_unless_nothing(call, NEW_CLUE, LONGEST_NOTE),
        settled=tuple(str(each) for each in _list(call, SETTLED)),
    )


def _sub_goal(value: Any, call: ToolCall) -> SubGoal:
    goal, reason = (value.get(GOAL), value.get(REASON)) if isinstance(value, dict) else (None, None)
    if not isinstance(goal, str) or not isinstance(reason, str) or not goal.strip():
        raise UnusableReply(f"Each part of {PLAN!r} of {call.name} needs a {GOAL} and a {REASON} in words.")
    return SubGoal(goal=plain_line(goal, LONGEST_NOTE), reason=plain_line(reason, LONGEST_NOTE))


def _list(call: ToolCall, name: str) -> list[Any]:
    value = call.arguments.get(name, [])
    if not isinstance(value, list):
        raise UnusableReply(f"The argument {name!r} of {call.name} is no list.")
    return value[:SUB_GOALS]


def _unless_nothing(call: ToolCall, name: str, most: int) -> str:
    """An argument that may be left out; empty also where a word for nothing stands in its place."""
    words = _words(call, name, most) if name in call.arguments else ""
    return "" if _NOTHING.fullmatch(words) else words


def _words(call: ToolCall, name: str, most: int) -> str:
    return plain_line(_text(call, name), most)


def _text(call: ToolCall, name: str) -> str:
    if name not in call.arguments:
        raise UnusableReply(f"The argument {name!r} of {call.name} is missing.")
    value: Any = call.arguments[name]
    if not isinstance(value, str):
        raise UnusableReply(f"The argument {name!r} of {call.name} is no text.")
    return value
