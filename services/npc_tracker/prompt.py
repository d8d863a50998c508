"""What the NPC tracker asks a language model, and what it takes from the reply."""

from __future__ import annotations

from dataclasses import dataclass

from folds.vocabulary.actions import normal
from language_model.model import Prompt, PromptPart, Reply, Role, Tool
from language_model.prompting.quoting import DATA, listed, named, place, plain_line, quoted
from language_model.prompting.replies import UnfitReply, action_in, arguments_of
from schemas.base import ACTION_LENGTH
from services.npc_tracker.logic import Stall

TOKENS = 200
"""Of the reply, at most: two lines."""

REPLY_LENGTH, ACTION_SHOWN, NEEDS_LENGTH = 700, 80, 240
"""Characters of a character's reply, of an action, and of what the character is said to need."""

TOPICS = 24

_SYSTEM = f"""\
You read what the player of a text adventure said to a character, and what came of it. The talk has \
brought nothing for a while. From the pattern of the replies conclude what the character is waiting for: \
a topic not yet raised, a thing to be given or shown, something to be done first, or nothing at all, so \
that the player had better leave. Topics that always get the same reply are exhausted. Then name one \
action to try next, as it is typed at the game's prompt, which the player has not tried here. {DATA}"""

_TOOL = Tool(
    name="report",
    description="Tells the player what the character still needs, and the one action to try next.",
    parameters={
        "type": "object",
        "properties": {
            "needs": {
                "type": "string",
                "minLength": 1,
                "maxLength": NEEDS_LENGTH,
                "description": "Who still needs what, in one sentence.",
            },
            "next": {
                "type": "string",
                "minLength": 1,
                "maxLength": ACTION_LENGTH,
                "description": "The action to try next: a verb and nouns, in lower case.",
            },
        },
        "required": ["needs", "next"],
        "additionalProperties": False,
    },
)


@dataclass(frozen=True, slots=True)
class ConversationReport:
    """What a model makes of a stalled talk."""

    needs: str
    following: str
    """The action to try next."""


def prompt_of(stall: Stall) -> Prompt:
    """What is asked when talk has stalled."""
    step = stall.step
    lines = (
        f"Room: {place(step.room)}",
        f"Spoken to: {quoted(stall.person, ACTION_SHOWN)}",
        f"The player holds: {named(step.inventory)}",
        f"Seen here: {named(step.objects)}",
        f"Topics raised: {listed(stall.exhausted, TOPICS)}",
        f"Topics mentioned and not raised: {listed(stall.untried, TOPICS)}",
        f"The last {len(stall.exchanges)} actions in this room, oldest first:",
        *(f"> {quoted(e.action, ACTION_SHOWN)}\n{quoted(e.reply, REPLY_LENGTH)}" for e in stall.exchanges),
    )
    said = PromptPart(role=Role.USER, text="\n".join(lines))
    return Prompt(system=_SYSTEM, parts=(said,), tools=(_TOOL,), must_call=True, max_tokens=TOKENS)


def report_in(reply: Reply, barred: frozenset[str]) -> ConversationReport:
    """What a reply reports.

    Raises:
        UnfitReply: it is not what was asked for, or its action is barred.
    """
    told = arguments_of(reply, _TOOL.name)
    needs, following = told.get("needs"), action_in(told.get("next"))
    needed = plain_line(needs, NEEDS_LENGTH) if isinstance(needs, str) else ""
    if not needed or following is None:
        raise UnfitReply("The model's reply does not say what is needed and what is next.")
    if normal(following) in barred:
        raise UnfitReply("The model's next action was done just before.")
    return ConversationReport(needed.replace("|", "/"), following)
