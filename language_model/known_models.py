"""Models of the Claude API: limits, prices, and which parameters they take.

From the model pages, the pricing page and the migration guides at platform.claude.com/docs, as of 2026-11-22.
Prices are in US dollars for a million tokens. Where the sources differ, the table has the higher price, so
that a budget holds. A model that is not in the table can be asked too; the cost of its calls is not known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from language_model.model import Usage

DEFAULT = "claude-sonnet-5-5"
"""Anthropic's "best combination of speed and intelligence"; a step must not take long."""

HARD_EFFORTS = frozenset({"xhigh", "max"})
"""Efforts at which no model's thinking can be turned off."""

FREE = {"lantern-price": "0"}
"""The header with which our own server says that its replies cost nothing."""


class ThinkingSupport(StrEnum):
    """What a model offers about thinking. The value turns thinking off, where that is possible."""

    NONE = ""
    """It does not think unless it is asked to."""
    DISABLED = "disabled"
    BETWEEN_TOOLS = "between_tools"
    """It writes no more than notes between two tool calls; no tool call can be forced."""
    ALWAYS = "always"
    """No tool call can be forced."""


@dataclass(frozen=True, slots=True)
class KnownModel:
    """Limits, prices and parameters of a model."""

    name: str
    input_price: float
    """For input that is not in the cache."""
    cache_read_price: float
    """For input from the cache."""
    cache_write_price: float
    """For input that is put into the cache (for five minutes)."""
    output_price: float
    min_cacheable: int
    """Tokens of the shortest prefix that is cached."""
    max_output: int
    thinking: ThinkingSupport = ThinkingSupport.NONE
    takes_effort: bool = True

    def cost(self, usage: Usage, cache_writes: int) -> float:
        """US dollars for a call; `cache_writes`: tokens of its input that were put into the cache."""
        uncached = usage.input_tokens - usage.cached_tokens - cache_writes
        parts = (
            uncached * self.input_price,
            usage.cached_tokens * self.cache_read_price,
            cache_writes * self.cache_write_price,
            usage.output_tokens * self.output_price,
        )
        return sum(parts) / 1_000_000

    def thinks(self, effort: str | None) -> bool:
        """Whether it thinks before it answers, although it is asked not to."""
        return self.thinking is ThinkingSupport.ALWAYS or (self._can_stop and effort in HARD_EFFORTS)

    def can_be_forced(self, effort: str | None) -> bool:
        """Whether a tool call can be forced (`tool_choice: any`)."""
        free = self.thinking in (ThinkingSupport.NONE, ThinkingSupport.DISABLED)
        return free and not self.thinks(effort)

    def thinking_off(self, effort: str | None) -> str | None:
        """The `thinking.type` that turns its thinking off; None: it needs none, or has none."""
        return self.thinking.value if self._can_stop and not self.thinks(effort) else None

    @property
    def _can_stop(self) -> bool:
        return self.thinking in (ThinkingSupport.DISABLED, ThinkingSupport.BETWEEN_TOOLS)


_ALWAYS, _BETWEEN, _DISABLED = ThinkingSupport.ALWAYS, ThinkingSupport.BETWEEN_TOOLS, ThinkingSupport.DISABLED

KNOWN = {
    model.name: model
    for model in (
        # name, input, cached input, cache write, output, shortest cached, longest output
        KnownModel("claude-fable-5-1", 10, 0.25, 12.5, 50, 512, 128_000, _ALWAYS),
        KnownModel("claude-opus-5-5", 4, 0.20, 5, 20, 512, 128_000, _ALWAYS),
        KnownModel("claude-sonnet-5-5", 2, 0.20, 2.5, 10, 512, 128_000, _BETWEEN),
        # the price for prompts of up to 100,000 tokens
        KnownModel("claude-haiku-5-5", 0.10, 0.01, 0.125, 0.50, 512, 128_000, _DISABLED),
        KnownModel("claude-fable-5", 10, 1, 12.5, 50, 512, 128_000, _ALWAYS),
        KnownModel("claude-opus-5", 5, 0.50, 6.25, 25, 512, 128_000, _DISABLED),
        KnownModel("claude-sonnet-5", 2, 0.20, 2.5, 10, 1024, 128_000, _DISABLED),
        KnownModel("claude-opus-4-8", 5, 0.50, 6.25, 25, 1024, 128_000),
        KnownModel("claude-opus-4-7", 5, 0.50, 6.25, 25, 2048, 128_000),
        KnownModel("claude-opus-4-6", 5, 0.50, 6.25, 25, 4096, 128_000),
        KnownModel("claude-sonnet-4-6", 3, 0.30, 3.75, 15, 1024, 64_000),
        KnownModel("claude-opus-4-5", 5, 0.50, 6.25, 25, 4096, 64_000, takes_effort=False),
        KnownModel("claude-sonnet-4-5", 3, 0.30, 3.75, 15, 1024, 64_000, takes_effort=False),
        KnownModel("claude-haiku-4-5", 1, 0.10, 1.25, 5, 4096, 64_000, takes_effort=False),
    )
}

_DATED = re.compile(r"-20\d{6}$")


def known(name: str) -> KnownModel | None:
    """The entry of a model, also for a name that ends with a date; None: the model is not known."""
    return KNOWN.get(_DATED.sub("", name))
