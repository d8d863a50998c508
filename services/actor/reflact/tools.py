"""The tools that the model can call at a step."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from language_model.model import Tool
from schemas.base import ACTION_LENGTH


class ToolName(StrEnum):
    """The tools; each takes a reflection, an objective and one argument of its own."""

    PLAY_ACTION = "play_action"
    ASK_MEMORY = "ask_memory"
    GO_TO = "go_to"


REFLECTION, OBJECTIVE = "reflection", "objective"
LONGEST = 240
"""The most characters of a text: a small model under a grammar might not stop by itself."""
ARGUMENT: Mapping[ToolName, str] = {
    ToolName.PLAY_ACTION: "action",
    ToolName.ASK_MEMORY: "question",
    ToolName.GO_TO: "room",
}
"""The specific argument of each tool."""

_REFLECTION = (
    "What the last text showed, how far the objective is reached, and why this comes next: "
    "one or two sentences."
)
_OBJECTIVE = (
    "The goal you work for now, in one sentence. Repeat the present one until it is reached or hopeless."
)
_TOOLS: Mapping[ToolName, tuple[str, str]] = {
    ToolName.PLAY_ACTION: (
        "Types one action at the game's prompt. This is how anything is done in the game.",
        "What to type: a verb and what it needs, such as: take lamp, unlock door with key, north.",
    ),
    ToolName.ASK_MEMORY: (
        "Looks something up in what was seen so far. Takes no time in the game. "
        "After three in a row you must act.",
        "One of: where is THING; exits of ROOM; nearest unexplored exit; route from ROOM to ROOM; "
        "what was tried in ROOM; what happened with THING; what did CHARACTER say about TOPIC.",
    ),
    ToolName.GO_TO: (
        "Walks to a room that was visited before, one action a step, by the shortest known way. "
        "You are asked again on arrival, or as soon as something unforeseen happens.",
        "The room's name as it stands under ROOMS KNOWN.",
    ),
}


def tools_offered(may_look_up: bool, may_walk: bool) -> tuple[Tool, ...]:
    """All tools; without `ask_memory` if no look-up is allowed, without `go_to` if no other room is known."""
    allowed = {ToolName.PLAY_ACTION: True, ToolName.ASK_MEMORY: may_look_up, ToolName.GO_TO: may_walk}
    return tuple(_tool(name) for name in ToolName if allowed[name])


def _tool(name: ToolName) -> Tool:
    does, takes = _TOOLS[name]
    descriptions = {REFLECTION: _REFLECTION, OBJECTIVE: _OBJECTIVE, ARGUMENT[name]: takes}
    longest = {ARGUMENT[name]: ACTION_LENGTH}
    return Tool(name=name, description=does, parameters=parameters(descriptions, longest))


def parameters(descriptions: Mapping[str, str], longest: Mapping[str, int] = {}) -> Mapping[str, Any]:
    """The JSON Schema of arguments that are all texts, and all required.

    `longest`: the most characters of an argument, where they are not `LONGEST`.
    """
    return {
        "type": "object",
        "properties": {
            name: {"type": "string", "maxLength": longest.get(name, LONGEST), "description": text}
            for name, text in descriptions.items()
        },
        "required": list(descriptions),
        "additionalProperties": False,
    }
