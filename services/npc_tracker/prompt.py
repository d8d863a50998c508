"""The prompt of the NPC tracker, and the parser of the reply."""

from __future__ import annotations

from dataclasses import dataclass

from folds.vocabulary.actions import normal
from language_model.model import Prompt, PromptPart, Reply, Role, Tool
from language_model.prompting.quoting import DATA, listed, named, place, plain_line, quoted
from language_model.prompting.replies import UnfitReply, action_in, arguments_of
from schemas.base import ACTION_LENGTH
from services.npc_tracker.logic import Stall

TOKENS = 200
"""The most tokens of a reply: two lines."""

REPLY_LENGTH, ACTION_SHOWN, NEEDS_LENGTH = 700, 80, 240
"""The most characters of an NPC's reply, of an action, and of the statement of what the NPC needs."""

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
    """A model's analysis of a stalled conversation."""

    needs: str
    following: str
    """The action to try next."""


def prompt_of(stall: Stall) -> Prompt:
    """The prompt when a conversation has stalled."""
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
    part = PromptPart(role=Role.USER, text="\n".join(lines))
    return Prompt(system=_SYSTEM, parts=(part,), tools=(_TOOL,), must_call=True, max_tokens=TOKENS)


def report_in(reply: Reply, barred: frozenset[str]) -> ConversationReport:
    """The report in a reply.

    Raises:
        UnfitReply: the reply has no report, or its action is barred.
    """
    arguments = arguments_of(reply, _TOOL.name)
    needs, following = arguments.get("needs"), action_in(arguments.get("next"))
    needed = plain_line(needs, NEEDS_LENGTH) if isinstance(needs, str) else ""
    if not needed or following is None:
        raise UnfitReply("The model's reply does not say what is needed and what is next.")
    if normal(following) in barred:
        raise UnfitReply("The model's next action was done just before.")
    return ConversationReport(needed.replace("|", "/"), following)
