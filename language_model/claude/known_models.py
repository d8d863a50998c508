"""Models of the Claude API: limits, prices, and which parameters they take.

From the model pages, the pricing page and the migration guides at platform.claude.com/docs, as of 2026-11-22.
Prices are in US dollars for a million tokens. Where two were found, the higher one stands here, so that a
budget is kept. A model that is not in the table is asked all the same; what it costs is then not known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from language_model.model import Usage

DEFAULT = "claude-sonnet-5-5"
"""Anthropic's "best combination of speed and intelligence"; a step must not take long."""

HARD_EFFORTS = frozenset({"xhigh", "max"})
"""Efforts at which no model lets its thinking be turned off."""


FREE = {"lantern-price": "0"}
"""The header in which a server of ours says that its replies cost nothing."""


class Thinking(StrEnum):
    """What a model does about thinking; the value is what turns it off, where it can be."""

    UNASKED_NEVER = ""
    DISABLED = "disabled"
    BETWEEN_TOOLS = "between_tools"
    """Nothing more than notes between two calls of tools; no tool call can be forced."""
    ALWAYS = "always"
    """No tool call can be forced."""


@dataclass(frozen=True, slots=True)
class KnownModel:
    """What is to be known of a model."""

    name: str
    read: float
    """Input that is not in the cache."""
    cached: float
    """Input that is."""
    kept: float
    """Input that is put into the cache (for five minutes)."""
    written: float
    """Output."""
    cacheable: int
    """Tokens of the shortest beginning that is cached."""
    most_output: int
    thinking: Thinking = Thinking.UNASKED_NEVER
    takes_effort: bool = True

    def cost(self, usage: Usage, kept: int) -> float:
        """US dollars for a call; `kept`: tokens of its input that were put into the cache."""
        read = usage.input_tokens - usage.cached_tokens - kept
        parts = (read * self.read, usage.cached_tokens * self.cached, kept * self.kept)
        return (sum(parts) + usage.output_tokens * self.written) / 1_000_000

    def thinks(self, effort: str | None) -> bool:
        """Whether it thinks before it answers, though it was asked not to."""
        can_stop = self.thinking in (Thinking.DISABLED, Thinking.BETWEEN_TOOLS)
        return self.thinking is Thinking.ALWAYS or (can_stop and effort in HARD_EFFORTS)

    def can_be_forced(self, effort: str | None) -> bool:
        """Whether a call of a tool can be demanded (`tool_choice: any`)."""
        free = self.thinking in (Thinking.UNASKED_NEVER, Thinking.DISABLED)
        return free and not self.thinks(effort)


_ALWAYS, _BETWEEN, _DISABLED = Thinking.ALWAYS, Thinking.BETWEEN_TOOLS, Thinking.DISABLED

KNOWN = {
    model.name: model
    for model in (
        # name, input, cached input, cache write, output, shortest cached, longest output
        KnownModel("claude-fable-5-1", 10, 0.25, 12.5, 50, 512, 128_000, _ALWAYS),
        KnownModel("claude-opus-5-5", 4, 0.20, 5, 20, 512, 128_000, _ALWAYS),
        KnownModel("claude-sonnet-5-5", 2, 0.20, 2.5, 10, 512, 128_000, _BETWEEN),
        # for prompts of up to 100,000 tokens, many times as long as ours
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
    """What is known of a model, also by its name with a date; None: nothing."""
    return KNOWN.get(_DATED.sub("", name))
