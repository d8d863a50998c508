"""What calls of models cost, and whether a budget is spent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Hashable
from dataclasses import dataclass
from functools import reduce

from language_model.known_models import known
from language_model.model import Prompt, Usage
from language_model.prompting.tokens import tokens
from schemas.language_model import Fault, ModelAsked, ModelBudget

SPENT = "The session's budget for language models is spent"
"""How the error of a call begins that is not made because nothing is left."""

NEWEST_CALLS = 64
"""Calls of a session that `UncountedCalls` keeps: more than are ever made at the same time."""

NEWEST_SESSIONS = 256
"""Sessions whose calls `UncountedCalls` keeps."""


@dataclass(frozen=True, slots=True)
class Spending:
    """What some calls cost together."""

    usd: float = 0.0
    tokens: int = 0
    calls: int = 0

    def after(self, asked: ModelAsked) -> Spending:
        """Add one call; a call that did not reach a model costs nothing."""
        return self.plus(cost_of(asked, asked.fault))

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


@dataclass(frozen=True, slots=True)
class Call:
    """A call that some service of the process has not counted yet."""

    cost: Spending
    """What it took; while it is in flight, the maximum that it may take."""
    is_in_flight: bool


class UncountedCalls:
    """The newest calls of one process: what they took, or the maximum that they may still take.

    The services of the process learn of a call when it is recorded, one after the other, and a reply that is
    used at a later step is recorded there. A service leaves out the calls that it has counted.
    """

    def __init__(self) -> None:
        self._calls: defaultdict[Hashable, dict[tuple[str, str], Call]] = defaultdict(dict)
        """By session; then by service and digest of the prompt."""

    def start(self, session: Hashable, service: str, prompt: Prompt, model: str) -> None:
        """A call starts. `session` identifies the session among all of this process."""
        calls = self._calls[session]
        if len(self._calls) > NEWEST_SESSIONS:
            del self._calls[next(iter(self._calls))]
        calls[service, prompt.sha256] = Call(maximum_of(prompt, model), is_in_flight=True)
        if len(calls) > NEWEST_CALLS:
            del calls[next(iter(calls))]

    def end(self, session: Hashable, service: str, prompt: Prompt, cost: Spending) -> None:
        """A call that was started has ended."""
        call = service, prompt.sha256
        if call in self._calls[session]:
            self._calls[session][call] = Call(cost, is_in_flight=False)

    def spending(
        self, session: Hashable, counted: Container[tuple[str, str]], *, in_flight: bool
    ) -> Spending:
        """What the calls of a session that were not counted, and are or are not in flight, cost together."""
        calls = self._calls[session].items()
        found = (each.cost for call, each in calls if call not in counted and each.is_in_flight == in_flight)
        return reduce(Spending.plus, found, Spending())


def cost_of(took: Usage | ModelAsked, fault: Fault | None = None) -> Spending:
    """What a call took; one that did not reach a model costs nothing."""
    if fault is not None and not fault.was_asked:
        return Spending()
    return Spending(took.cost_usd, took.input_tokens + took.output_tokens, 1)


def maximum_of(prompt: Prompt, model: str) -> Spending:
    """The maximum that a call may cost; tokens are overestimated, and without a known price usd is 0."""
    read, priced = tokens(prompt.model_dump_json()), known(model)
    usage = Usage(input_tokens=read, output_tokens=prompt.max_tokens)
    return Spending(priced.cost(usage, cache_writes=read) if priced else 0.0, read + prompt.max_tokens, 1)
