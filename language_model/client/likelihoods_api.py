"""Requests for likelihoods to Lantern's own model server, and its answers; an answer is untrusted data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field, ValidationError

from language_model.client.call_error import CallError
from language_model.client.messages_api import request_for
from language_model.likelihoods import Likelihoods
from language_model.model import Prompt, Usage
from schemas.base import Frozen
from schemas.language_model import Fault

UNSUPPORTED = frozenset({404, 405, 501})
"""Statuses of a server that has no such page."""

_NOT_SENT = ("max_tokens", "extra_body")


def likelihoods_request(prompt: Prompt, name: str, replies: Sequence[str]) -> dict[str, Any]:
    """The body of the request."""
    asked = {key: value for key, value in request_for(prompt, name).items() if key not in _NOT_SENT}
    return {**asked, "replies": list(replies)}


def likelihoods_in(body: bytes, number: int) -> Likelihoods:
    """The likelihoods in an answer about so many replies.

    Raises:
        CallError: it holds none.
    """
    try:
        answer = _LikelihoodsAnswer.model_validate_json(body)
    except ValidationError:
        raise _unreadable() from None
    if len(answer.log_probabilities) != number:
        raise _unreadable()
    usage = Usage(
        input_tokens=answer.usage.input_tokens + answer.usage.cache_read_input_tokens,
        cached_tokens=answer.usage.cache_read_input_tokens,
        output_tokens=answer.usage.output_tokens,
    )
    return Likelihoods(answer.log_probabilities, usage)


def _unreadable() -> CallError:
    return CallError("The model's server sent likelihoods that cannot be read.", Fault.INVALID_REPLY)


_Count = Annotated[int, Field(ge=0, le=10**9)]


class _LikelihoodsUsage(Frozen):
    input_tokens: _Count = 0
    cache_read_input_tokens: _Count = 0
    output_tokens: _Count = 0


class _LikelihoodsAnswer(Frozen):
    log_probabilities: tuple[Annotated[float, Field(le=0, allow_inf_nan=False)], ...]
    usage: _LikelihoodsUsage = _LikelihoodsUsage()
