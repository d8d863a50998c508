"""What calls of models have taken, and whether a budget is spent."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from language_model.claude.known_models import known
from language_model.model import Prompt, Usage
from language_model.tokens import tokens
from schemas.language_model import ModelAsked, ModelBudget


@dataclass(frozen=True, slots=True)
class Spent:
    """What calls have taken together."""

    usd: float = 0.0
    tokens: int = 0
    calls: int = 0

    def after(self, asked: ModelAsked) -> Spent:
        """With one more call; one that never reached a model takes nothing."""
        if asked.fault is not None and not asked.fault.was_asked:
            return self
        return self.plus(Spent(asked.cost_usd, asked.input_tokens + asked.output_tokens, 1))

    def plus(self, other: Spent) -> Spent:
        """With what other calls have taken."""
        return Spent(self.usd + other.usd, self.tokens + other.tokens, self.calls + other.calls)

    def beyond(self, budget: ModelBudget) -> str:
        """Which part of a budget is spent, in words; empty: none."""
        if budget.usd is not None and self.usd >= budget.usd:
            return f"{self.usd:.4f} of {budget.usd:g} USD"
        if budget.tokens is not None and self.tokens >= budget.tokens:
            return f"{self.tokens:,} of {budget.tokens:,} tokens"
        if budget.calls is not None and self.calls >= budget.calls:
            return f"{self.calls:,} of {budget.calls:,} calls"
        return ""


class UnderWay:
    """Calls of one process that are not in the record yet, each at the most that it may take."""

    def __init__(self) -> None:
        self._held: dict[tuple[str, str, str, str], Spent] = {}

    def begins(self, cell: str, session: str, service: str, prompt: Prompt, model: str) -> None:
        """A call is about to be made."""
        self._held[cell, session, service, prompt.sha256] = most_of(prompt, model)

    def is_told(self, cell: str, session: str, service: str, prompt_sha256: str) -> None:
        """What came of a call is known."""
        self._held.pop((cell, session, service, prompt_sha256), None)

    def of(self, cell: str, session: str) -> Spent:
        """What those of a session may take together."""
        held = (spent for (c, s, *_), spent in self._held.items() if (c, s) == (cell, session))
        return reduce(Spent.plus, held, Spent())


def most_of(prompt: Prompt, model: str) -> Spent:
    """What a call may take, by a count that errs upwards; of a model without a known price, no money."""
    read, priced = tokens(prompt.model_dump_json()), known(model)
    usage = Usage(input_tokens=read, output_tokens=prompt.most_tokens)
    return Spent(priced.cost(usage, kept=read) if priced else 0.0, read + prompt.most_tokens, 1)
