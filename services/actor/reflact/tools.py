"""The tools that the model can call at a step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
PLAN, NEW_PUZZLE, NEW_CLUE, SETTLED = "plan", "new_puzzle", "new_clue", "settled"
"""What `play_action` may note beside the action."""
GOAL, REASON = "goal", "reason"
"""The parts of a sub-goal."""
LONGEST, LONGEST_NOTE, SUB_GOALS = 240, 160, 5
"""The most characters of a text and of a note, because a small model under a grammar might not stop by
itself; and the most sub-goals."""
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
_OBJECTIVE = "A new goal to work for, in one sentence. Leave it out as long as the present one holds."
_TOOLS: Mapping[ToolName, tuple[str, str]] = {
    ToolName.PLAY_ACTION: (
        "Types one action at the game's prompt. This is how anything is done in the game.",
        "What to type: a verb, and the nouns that it needs.",
    ),
    ToolName.ASK_MEMORY: (
        "Looks something up in what was seen so far. Takes no time in the game. "
        "After three in a row you must act.",
        "One of: where is THING; exits of ROOM; nearest unexplored exit; route from ROOM to ROOM; "
        "what was tried in ROOM; what happened with THING; what does THING say; what did CHARACTER say about "
        "TOPIC; or any question in words.",
    ),
    ToolName.GO_TO: (
        "Walks to a room that was visited before, one action a step, by the shortest known way. "
        "You are asked again on arrival, or as soon as something unforeseen happens.",
        "The room's name as it stands under ROOMS KNOWN: never the room where you are.",
    ),
}
_NOTES: Mapping[str, Mapping[str, Any]] = {
    PLAN: {
        "type": "array",
        "maxItems": SUB_GOALS,
        "description": "Only where the plan changes: all sub-goals still to be reached, the next first.",
        "items": {
            "type": "object",
            "properties": {
                GOAL: {"type": "string", "maxLength": LONGEST_NOTE},
                REASON: {"type": "string", "maxLength": LONGEST_NOTE},
            },
            "required": [GOAL, REASON],
            "additionalProperties": False,
        },
    },
    NEW_PUZZLE: {
        "type": "string",
        "maxLength": LONGEST_NOTE,
        "description": "Only where one came up: what stands in the way, and where.",
    },
    NEW_CLUE: {
        "type": "string",
        "maxLength": LONGEST_NOTE,
        "description": "Only where one came up: what was learned that will be of use later.",
    },
    SETTLED: {
        "type": "array",
        "maxItems": SUB_GOALS,
        "description": "Numbers of puzzles and clues that are done with, such as P1.",
        "items": {"type": "string", "pattern": "^[PC][0-9]{1,2}$"},
    },
}


def tools_offered(may_look_up: bool, rooms: Sequence[str]) -> tuple[Tool, ...]:
    """The tools that can be used now.

    `ask_memory` needs a memory that has answered and look-ups that are left; `go_to`, rooms to walk to.
    """
    allowed = {ToolName.PLAY_ACTION: True, ToolName.ASK_MEMORY: may_look_up, ToolName.GO_TO: bool(rooms)}
    choices = {ToolName.GO_TO: {ARGUMENT[ToolName.GO_TO]: tuple(rooms)}}
    return tuple(_tool(name, choices.get(name, {})) for name in ToolName if allowed[name])


def _tool(name: ToolName, choices: Mapping[str, tuple[str, ...]]) -> Tool:
    does, takes = _TOOLS[name]
    texts = {
        REFLECTION: _text(_REFLECTION),
        OBJECTIVE: _text(_OBJECTIVE),
        ARGUMENT[name]: _text(takes, ACTION_LENGTH),
    }
    notes = _NOTES if name is ToolName.PLAY_ACTION else {}
    required = (REFLECTION, ARGUMENT[name])
    return Tool(
        name=name, description=does, parameters=_parameters({**texts, **notes}, required), choices=choices
    )


def parameters(descriptions: Mapping[str, str]) -> Mapping[str, Any]:
    """The JSON Schema of arguments that are all texts, and all required."""
    return _parameters({name: _text(text) for name, text in descriptions.items()}, tuple(descriptions))


def _parameters(properties: Mapping[str, Mapping[str, Any]], required: Sequence[str]) -> Mapping[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def _text(description: str, longest: int = LONGEST) -> Mapping[str, Any]:
    return {"type": "string", "maxLength": longest, "description": description}
