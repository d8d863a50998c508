"""What asking language models came to in a session, by service."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from mesh.printable import counted, one_line
from schemas.language_model import Fault, ModelAsked


@dataclass(slots=True)
class CallTotals:
    """The calls of one service, or of all."""

    calls: int = 0
    """Those that reached a model's server, at least on the way."""
    failures: Counter[Fault] = field(default_factory=Counter)
    """Of all that were wanted: also of those that were not made."""
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    unpriced: int = 0
    """Calls whose price is not known."""
    seconds: float = 0.0
    models: set[str] = field(default_factory=set)

    def add(self, asked: ModelAsked) -> None:
        """Count one call."""
        if asked.error:
            self.failures[asked.fault or Fault.UNKNOWN] += 1
        if asked.fault is not None and not asked.fault.was_asked:
            return
        self.calls += 1
        self.input_tokens += asked.input_tokens
        self.cached_tokens += asked.cached_tokens
        self.output_tokens += asked.output_tokens
        self.cost_usd += asked.cost_usd
        self.unpriced += not asked.priced
        self.seconds += asked.seconds
        self.models.add(asked.model)

    def as_json(self) -> dict[str, Any]:
        """Tokens of input are with those from the cache; money is in US dollars."""
        return {
            "calls": self.calls,
            "failures": {fault.value: count for fault, count in sorted(self.failures.items())},
            "input_tokens": self.input_tokens,
            "cached_tokens": self.cached_tokens,
            "output_tokens": self.output_tokens,
            "cost_usd": round(self.cost_usd, 6),
            "unpriced_calls": self.unpriced,
            "seconds": round(self.seconds, 3),
            "models": sorted(self.models),
        }

    def line(self) -> str:
        """The same in one line."""
        asked = (
            f"{counted(self.calls, 'call')} of {', '.join(map(one_line, sorted(self.models))) or 'a model'}"
        )
        read = counted(self.input_tokens, "token")
        tokens = f"{read} in ({self.cached_tokens:,} cached), {self.output_tokens:,} out"
        failed = "".join(f", {count} {fault.value}" for fault, count in sorted(self.failures.items()))
        return f"{asked}, {tokens}, {self._money()}, {self.seconds:.1f} s{failed}"

    def _money(self) -> str:
        if not self.unpriced:
            return f"{self.cost_usd:.4f} USD"
        known = f"{self.cost_usd:.4f} USD and " if self.unpriced < self.calls else ""
        return f"{known}{counted(self.unpriced, 'call')} of unknown price"


@dataclass(slots=True)
class ModelCounts:
    """The calls of a session."""

    all: CallTotals = field(default_factory=CallTotals)
    by_service: dict[str, CallTotals] = field(default_factory=dict)
    instructions: set[tuple[str, str]] = field(default_factory=set)
    """The fixed part of each prompt, by service."""

    def add(self, service: str, asked: ModelAsked) -> None:
        """Count one call."""
        self.all.add(asked)
        self.by_service.setdefault(service, CallTotals()).add(asked)
        self.instructions.add((service, _fixed_part(asked.prompt)))

    def as_json(self) -> dict[str, Any]:
        """The totals, and the same for each service."""
        services = {service: self.by_service[service].as_json() for service in sorted(self.by_service)}
        return {**self.all.as_json(), "by_service": services}

    def lines(self) -> Iterator[str]:
        """In words; where nobody wanted to ask, nothing."""
        if not self.by_service:
            return
        yield f"models: {self.all.line()}"
        if len(self.by_service) > 1:
            for service in sorted(self.by_service):
                yield f"  {service}: {self.by_service[service].line()}"


def _fixed_part(prompt: str) -> str:
    """The instructions of a recorded prompt; empty: it is none of ours."""
    try:
        return str(json.loads(prompt)["system"])
    except (ValueError, TypeError, LookupError):
        return ""


@dataclass(slots=True)
class DegradedSteps:
    """The steps at which somebody did less than he should: by service, then by reason."""

    steps: dict[str, dict[str, list[int]]] = field(default_factory=dict)

    def add(self, service: str, reason: str, step: int) -> None:
        """Note one, once."""
        steps = self.steps.setdefault(service, {}).setdefault(reason, [])
        if step not in steps[-1:]:
            steps.append(step)

    @property
    def count(self) -> int:
        """How many steps."""
        reasons = (reason for service in self.steps.values() for reason in service.values())
        return len({step for steps in reasons for step in steps})

    def as_json(self) -> Mapping[str, Mapping[str, list[int]]]:
        """Service, reason, steps."""
        return {service: self.steps[service] for service in sorted(self.steps)}

    def lines(self) -> Iterator[str]:
        """In words, one line for each reason."""
        for service in sorted(self.steps):
            for reason, steps in self.steps[service].items():
                yield f"degraded: {service} at {_ranges(steps)} ({one_line(reason)})"


def _ranges(steps: list[int]) -> str:
    """`1-3, 7`"""
    runs: list[list[int]] = []
    for step in sorted(set(steps)):
        if runs and step == runs[-1][1] + 1:
            runs[-1][1] = step
        else:
            runs.append([step, step])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)
