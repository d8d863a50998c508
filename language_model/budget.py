"""What calls of models have taken, and whether a budget is spent."""

from __future__ import annotations

from dataclasses import dataclass

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
        tokens = self.tokens + asked.input_tokens + asked.output_tokens
        return Spent(self.usd + asked.cost_usd, tokens, self.calls + 1)

    def beyond(self, budget: ModelBudget) -> str:
        """Which part of a budget is spent, in words; empty: none."""
        if budget.usd is not None and self.usd >= budget.usd:
            return f"{self.usd:.4f} of {budget.usd:g} USD"
        if budget.tokens is not None and self.tokens >= budget.tokens:
            return f"{self.tokens:,} of {budget.tokens:,} tokens"
        if budget.calls is not None and self.calls >= budget.calls:
            return f"{self.calls:,} of {budget.calls:,} calls"
        return ""
