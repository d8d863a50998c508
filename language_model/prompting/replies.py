"""What a model replied, read as untrusted data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from language_model.model import ModelError, Reply
from language_model.prompting.quoting import plain_line
from schemas.base import ACTION_LENGTH

CUT_OFF = "The model's reply was cut off at its maximum of tokens."

REASON_LENGTH = 200
"""Characters of the reason why a fragment is made by rules."""


class UnfitReply(ModelError):
    """The model's reply is not what it was asked for; the caller does without."""


def arguments_of(reply: Reply, tool: str) -> Mapping[str, Any]:
    """The arguments of the reply's first call of a tool, as the model wrote them.

    Raises:
        UnfitReply: it calls no such tool, or was cut off: what is left of a call may say something else.
    """
    if reply.truncated:
        raise UnfitReply(CUT_OFF)
    for call in reply.calls:
        if call.name == tool:
            return call.arguments
    raise UnfitReply(f"The model's reply does not call {tool}.")


def action_in(value: object) -> str | None:
    """A value as an action; None where it does not look like one: a line of words that fits a prompt."""
    action = value.strip() if isinstance(value, str) else ""
    fits = 0 < len(action) <= ACTION_LENGTH and action.isprintable()
    return action if fits and any(map(str.isalpha, action)) else None


def reason_in(error: ModelError) -> str:
    """The reason why a fragment is made by rules, in one bounded line."""
    return plain_line(str(error), REASON_LENGTH)
