"""The prompt of the hint service, and the parser of the reply."""

from __future__ import annotations

from collections.abc import Iterable

from language_model.model import Prompt, PromptPart, Reply, Role, Tool
from language_model.prompting.attempts import ACTION_SHOWN, effect_of
from language_model.prompting.quoting import DATA, listed, named, place, quoted
from language_model.prompting.replies import UnfitReply, action_in, arguments_of
from schemas.base import ACTION_LENGTH
from services.hint.logic import LEAST, MOST, Attempts, Entrance

TOKENS = 250
"""The most tokens of a reply: five actions of the usual length."""

TEXT_LENGTH = 800
VALID, TRIED = 60, 40
"""The most valid actions, and the most tried ones, in a prompt."""

_SYSTEM = f"""\
You advise the player of a text adventure who has just entered a room. From what the game offers here \
and from what was tried here before, choose the {LEAST} to {MOST} actions that are worth trying first, \
the most promising one first: what takes something useful, opens something up, uses what is held on what \
is here, or leads to somewhere new. Prefer the actions that are known to work. Leave out what came to \
nothing before, unless something has changed since, and what only undoes something. Write each one as it \
is typed at the game's prompt: a verb and nouns, in lower case, no more than one action each. {DATA}"""

_TOOL = Tool(
    name="suggest_actions",
    description="Gives the player the actions worth trying first in this room, the most promising one first.",
    parameters={
        "type": "object",
        "properties": {
            "actions": {
                "type": "array",
                "items": {"type": "string", "minLength": 1, "maxLength": ACTION_LENGTH},
                "minItems": LEAST,
                "maxItems": MOST,
            }
        },
        "required": ["actions"],
        "additionalProperties": False,
    },
)


def prompt_of(entrance: Entrance) -> Prompt:
    """The prompt when a room is entered."""
    step = entrance.step
    lines = (
        f"Room: {place(step.room)}",
        f"The game says: {quoted(step.observation, TEXT_LENGTH)}",
        f"Held: {named(step.inventory)}",
        f"Seen here: {named(step.objects)}",
        f"Known to work here: {_valid(entrance)}",
        *_tried(entrance),
    )
    part = PromptPart(role=Role.USER, text="\n".join(lines))
    return Prompt(system=_SYSTEM, parts=(part,), tools=(_TOOL,), must_call=True, max_tokens=TOKENS)


def actions_in(reply: Reply) -> tuple[str, ...]:
    """The actions that a reply suggests.

    Raises:
        UnfitReply: the reply has no action.
    """
    named = arguments_of(reply, _TOOL.name).get("actions")
    suggested = [action_in(value) for value in named[:MOST]] if isinstance(named, list) else []
    actions = tuple(action for action in suggested if action)
    if not actions:
        raise UnfitReply("The model's reply holds nothing that looks like an action.")
    return actions


def _valid(entrance: Entrance) -> str:
    valid = entrance.step.valid_actions
    return "unknown" if valid is None else listed(valid.actions, VALID, ACTION_SHOWN)


def _tried(entrance: Entrance) -> Iterable[str]:
    if not entrance.tried:
        return ("Tried here before: nothing",)
    names = dict(entrance.rooms)
    more = len(entrance.tried) - TRIED
    return (
        "Tried here before, the last one first:",
        *(_line_of(each, names) for each in entrance.tried[:TRIED]),
        *((f"and {more} more",) if more > 0 else ()),
    )


def _line_of(attempts: Attempts, names: dict[str, str]) -> str:
    times = f" ({attempts.times} times)" if attempts.times > 1 else ""
    effect = effect_of(attempts.latest, names) if attempts.latest else "long ago"
    return f"- {quoted(attempts.action, ACTION_SHOWN)}{times}: {effect}"
