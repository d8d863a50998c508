"""The outcome of a replay of services, in words or as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lantern.views.text_view import printable
from mesh.printable import counted
from mesh.record.comparison import FieldDifference
from mesh.replay.replay import ReplayedStep

BEFORE, SHOWN = 20, 70
"""Characters shown of a long value: before the first difference, and in all."""


@dataclass(slots=True)
class ReplayReport:
    """The steps of a replay so far; the first step that differs is listed field by field."""

    steps: int = 0
    messages: int = 0
    differing: list[ReplayedStep] = field(default_factory=list)

    def after(self, replayed: ReplayedStep) -> Iterator[str]:
        """Count one step, and give the lines to print about it."""
        self.steps += replayed.compared > 0
        self.messages += replayed.compared
        if replayed.differences:
            self.differing.append(replayed)
            yield f"step {replayed.number}: {_counted(replayed)}"
            if len(self.differing) == 1:
                yield from (f"  {difference_line(difference)}" for difference in replayed.differences)

    @property
    def same(self) -> bool:
        """Whether every message is as it was recorded."""
        return not self.differing

    def total(self) -> str:
        """The outcome in a line."""
        return f"{self.steps - len(self.differing)} of {counted(self.steps, 'step')} the same"

    def as_json(self) -> dict[str, Any]:
        """The object that `--json` prints."""
        return {
            "steps": self.steps,
            "messages": self.messages,
            "same_steps": self.steps - len(self.differing),
            "differences": [
                {"step": replayed.number, **_fields(difference)}
                for replayed in self.differing
                for difference in replayed.differences
            ],
        }


def difference_line(difference: FieldDifference) -> str:
    """A difference in a line: where it is, what was recorded, what is published now."""
    place = f"{difference.service} {difference.kind}" + (f": {difference.field}" if difference.field else "")
    recorded, replayed = _shown(difference.recorded, difference.replayed)
    note = f" ({printable(difference.note)})" if difference.note else ""
    return " ".join(f"{place}: recorded {recorded}, now {replayed}{note}".split("\n"))


def _counted(replayed: ReplayedStep) -> str:
    counts = Counter(f"{each.service} {each.kind}" for each in replayed.differences)
    return ", ".join(f"{what} ({counted(n, 'difference')})" for what, n in counts.items())


def _fields(difference: FieldDifference) -> dict[str, Any]:
    return {
        "service": difference.service,
        "kind": difference.kind.value,
        "field": difference.field,
        "recorded": difference.recorded,
        "replayed": difference.replayed,
        "note": difference.note,
    }


def _shown(recorded: Any, replayed: Any) -> tuple[str, str]:
    """Two values, each in a line, shortened around the first difference."""
    one, other = (printable(json.dumps(value, ensure_ascii=False)) for value in (recorded, replayed))
    pairs = enumerate(zip(one, other, strict=False))
    split = next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
    return (
        "nothing" if recorded is None else _around(one, split),
        "nothing" if replayed is None else _around(other, split),
    )


def _around(text: str, at: int) -> str:
    start = max(0, at - BEFORE) if len(text) > SHOWN else 0
    end = start + SHOWN
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
