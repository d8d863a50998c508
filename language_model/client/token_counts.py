"""What a server says that a call took, as far as it can be true."""

from __future__ import annotations

from language_model.client.call_error import CallError
from language_model.known_models import KnownModel
from language_model.model import Usage
from schemas.language_model import Fault

HIDDEN_TOKENS = 2_000
"""Input tokens that a server may add to a request: what it tells a model about tools takes a few hundred."""


def most_tokens(request_bytes: int, max_tokens: int) -> Usage:
    """The most tokens that a call can take: a token has at least a byte, and some servers count loosely."""
    return Usage(input_tokens=request_bytes + HIDDEN_TOKENS, output_tokens=2 * max_tokens + HIDDEN_TOKENS)


def check_usage(usage: Usage, most: Usage, model: KnownModel | None) -> None:
    """Refuse a count of tokens that cannot be; the call is then counted with the most that it can have taken.

    Raises:
        CallError: it cannot be.
    """
    counts = {name: getattr(usage, name) for name in ("input_tokens", "output_tokens")}
    wrong = [name for name, count in counts.items() if count > getattr(most, name)]
    if not wrong:
        return
    possible = {name: min(count, getattr(most, name)) for name, count in counts.items()}
    counted = usage.model_copy(update={**possible, "cached_tokens": 0, "cost_usd": 0.0})
    if model is not None:
        counted = counted.model_copy(update={"cost_usd": model.cost(counted, 0)})
    name = wrong[0]
    raise CallError(
        f"The model's server reports {counts[name]:,} {name.replace('_', ' ')} for a call, "
        f"where at most {possible[name]:,} are possible.",
        Fault.INVALID_REPLY,
        usage=counted,
    )
