"""What calls of models cost, and whether a budget is spent."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from language_model.known_models import known
from language_model.model import Prompt, Usage
from language_model.prompting.tokens import tokens
from schemas.language_model import ModelAsked, ModelBudget


@dataclass(frozen=True, slots=True)
class Spending:
    """What some calls cost together."""

    usd: float = 0.0
    tokens: int = 0
    calls: int = 0

    def after(self, asked: ModelAsked) -> Spending:
        """Add one call; a call that did not reach a model costs nothing."""
        if asked.fault is not None and not asked.fault.was_asked:
            return self
        return self.plus(Spending(asked.cost_usd, asked.input_tokens + asked.output_tokens, 1))

    def plus(self, other: Spending) -> Spending:
        """The sum of both."""
        return Spending(self.usd + other.usd, self.tokens + other.tokens, self.calls + other.calls)

    def limit_reached(self, budget: ModelBudget) -> str:
        """The limit of a budget that is reached, in words; empty: none."""
        if budget.usd is not None and self.usd >= budget.usd:
            return f"{self.usd:.4f} of {budget.usd:g} USD"
        if budget.tokens is not None and self.tokens >= budget.tokens:
            return f"{self.tokens:,} of {budget.tokens:,} tokens"
        if budget.calls is not None and self.calls >= budget.calls:
            return f"{self.calls:,} of {budget.calls:,} calls"
        return ""


class CallsInFlight:
    """Calls of one process that are not recorded yet, each with the maximum that it may cost."""

    def __init__(self) -> None:
        self._spending: dict[tuple[str, str, str, str], Spending] = {}
        """By cell, session, service and digest of the prompt."""

    def add(self, cell: str, session: str, service: str, prompt: Prompt, model: str) -> None:
        """A call starts."""
        self._spending[cell, session, service, prompt.sha256] = maximum_of(prompt, model)

    def remove(self, cell: str, session: str, service: str, prompt_sha256: str) -> None:
        """A call is recorded."""
        self._spending.pop((cell, session, service, prompt_sha256), None)

    def spending(self, cell: str, session: str) -> Spending:
        """The maximum that the calls of a session may cost together."""
        found = (spending for (c, s, *_), spending in self._spending.items() if (c, s) == (cell, session))
        return reduce(Spending.plus, found, Spending())


def maximum_of(prompt: Prompt, model: str) -> Spending:
    """The maximum that a call may cost; tokens are overestimated, and without a known price usd is 0."""
    read, priced = tokens(prompt.model_dump_json()), known(model)
    usage = Usage(input_tokens=read, output_tokens=prompt.max_tokens)
    return Spending(priced.cost(usage, cache_writes=read) if priced else 0.0, read + prompt.max_tokens, 1)
