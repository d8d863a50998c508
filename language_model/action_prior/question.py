"""The question which of the possible actions is promising, and what follows from the answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from pydantic import Field

from language_model.model import Prompt, PromptPart, Reply, Role, Tool
from language_model.prompting.replies import UnfitReply, arguments_of
from schemas.base import Frozen

TEMPERATURE = 5.0
"""Of the softmax over log-probabilities (MC-DML, section 4.1)."""
ABSENT = -10.0
"""The log-probability of an action that a reply does not name (MC-DML, section 4.1)."""
MOST_RANKED = 20
"""Actions that a reply may name (MC-DML reads the 20 likeliest tokens)."""
RANKING_TOKENS = 1_000

_LIKELIEST = "Reply with one of these actions, exactly as it stands there, and nothing else."
_RANKING = (
    f"Call the tool with the most promising actions, the best first, at most {MOST_RANKED}, each with the "
    "probability that it is the one most worth exploring. Leave out those that are not worth it."
)


class ActionQuestion(Frozen):
    """Which of some actions is most worth exploring?"""

    instruction: str = Field(description="What is the same in all questions.")
    situation: str
    actions: tuple[str, ...] = Field(min_length=1)


def likelihood_prompt(question: ActionQuestion) -> Prompt:
    """The prompt to which each action is a possible reply."""
    return Prompt(system=f"{question.instruction} {_LIKELIEST}", parts=(_part(question),))


def ranking_prompt(question: ActionQuestion) -> Prompt:
    """The prompt that asks for a ranking in words."""
    tool = _tool(question.actions)
    return Prompt(
        system=f"{question.instruction} {_RANKING}",
        parts=(_part(question),),
        tools=(tool,),
        must_call=True,
        max_tokens=RANKING_TOKENS,
    )


def ranked_in(reply: Reply, question: ActionQuestion) -> tuple[float, ...]:
    """The log-probability of each action in a reply to `ranking_prompt`; `ABSENT` for one that is left out.

    Raises:
        UnfitReply: the reply names none of the actions.
    """
    found: dict[str, float] = {}
    ranked = arguments_of(reply, _TOOL).get("ranking")
    for entry in ranked[:MOST_RANKED] if isinstance(ranked, list) else ():
        match entry:
            case {"action": str(action), "probability": int(share) | float(share)} if 0 < share <= 1:
                found.setdefault(action, max(ABSENT, math.log(share)))
            case _:
                pass
    if found.keys().isdisjoint(question.actions):
        raise UnfitReply("The model's reply ranks none of the actions.")
    return tuple(found.get(action, ABSENT) for action in question.actions)


def policy_of(log_probabilities: Sequence[float], temperature: float = TEMPERATURE) -> tuple[float, ...]:
    """The softmax of log-probabilities: a probability for each action, together 1."""
    highest = max(log_probabilities)
    weights = [math.exp((each - highest) / temperature) for each in log_probabilities]
    total = sum(weights)
    return tuple(weight / total for weight in weights)


def normalised(log_probabilities: Sequence[float]) -> tuple[float, ...]:
    """Likelihoods of whole replies as log-probabilities over these actions alone, none below `ABSENT`."""
    highest = max(log_probabilities)
    total = highest + math.log(sum(math.exp(each - highest) for each in log_probabilities))
    return tuple(max(ABSENT, each - total) for each in log_probabilities)


_TOOL = "rank_actions"


def _part(question: ActionQuestion) -> PromptPart:
    listed = "\n".join(f"- {action}" for action in question.actions)
    return PromptPart(role=Role.USER, text=f"{question.situation}\n\nPossible actions:\n{listed}")


def _tool(actions: Sequence[str]) -> Tool:
    entry: dict[str, Any] = {
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": list(actions)},
            "probability": {"type": "number", "minimum": 0, "maximum": 1},
        },
        "required": ["action", "probability"],
        "additionalProperties": False,
    }
    return Tool(
        name=_TOOL,
        description="Ranks the actions that are most worth exploring, the best first.",
        parameters={
            "type": "object",
            "properties": {
                "ranking": {"type": "array", "items": entry, "minItems": 1, "maxItems": MOST_RANKED}
            },
            "required": ["ranking"],
            "additionalProperties": False,
        },
    )
