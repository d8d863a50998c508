"""What calls of models cost, and whether a budget is spent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Hashable
from dataclasses import dataclass
from functools import reduce

from language_model.known_models import known
from language_model.model import Prompt, Usage
from language_model.prompting.tokens import tokens
from schemas.language_model import ModelAsked, ModelBudget

SPENT = "The session's budget for language models is spent"
"""How the error of a call begins that is not made because nothing is left."""

NEWEST_CALLS = 64
"""Calls of a session that `CallsInFlight` keeps: more than are ever made at the same time."""


NEWEST_SESSIONS = 256
"""Sessions whose calls `CallsInFlight` keeps."""


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

    def left_of(self, budget: ModelBudget) -> str:
        """What is left of a budget, in words."""
        if reached := self.limit_reached(budget):
            return f"its budget is spent ({reached}): the rules decide, unless --budget-... gives more"
        left = []
        if budget.usd is not None:
            left.append(f"{budget.usd - self.usd:.4f} of {budget.usd:g} USD")
        if budget.tokens is not None:
            left.append(f"{budget.tokens - self.tokens:,} of {budget.tokens:,} tokens")
        if budget.calls is not None:
            left.append(f"{budget.calls - self.calls:,} of {budget.calls:,} calls")
        return f"left of its budget: {', '.join(left)}" if left else "it has no budget"


class CallsInFlight:
    """The newest calls of one process, each with the maximum that it may cost.

    The services of the process learn of a recorded call one after the other. Until a service has counted a
    call, the call is in flight for that service.
    """

    def __init__(self) -> None:
        self._calls: defaultdict[Hashable, dict[tuple[str, str], Spending]] = defaultdict(dict)
        """By session; then by service and digest of the prompt."""

    def add(self, session: Hashable, service: str, prompt: Prompt, model: str) -> None:
        """A call starts. `session` identifies the session among all of this process."""
        calls = self._calls[session]
        if len(self._calls) > NEWEST_SESSIONS:
            del self._calls[next(iter(self._calls))]
        calls[service, prompt.sha256] = maximum_of(prompt, model)
        if len(calls) > NEWEST_CALLS:
            del calls[next(iter(calls))]

    def spending(self, session: Hashable, counted: Container[tuple[str, str]]) -> Spending:
        """The maximum that the calls of a session may cost together, without those that were counted."""
        found = (spending for call, spending in self._calls[session].items() if call not in counted)
        return reduce(Spending.plus, found, Spending())


def maximum_of(prompt: Prompt, model: str) -> Spending:
    """The maximum that a call may cost; tokens are overestimated, and without a known price usd is 0."""
    read, priced = tokens(prompt.model_dump_json()), known(model)
    usage = Usage(input_tokens=read, output_tokens=prompt.max_tokens)
    return Spending(priced.cost(usage, cache_writes=read) if priced else 0.0, read + prompt.max_tokens, 1)
