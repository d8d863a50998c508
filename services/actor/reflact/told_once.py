"""Sections without what stands elsewhere in the prompt, and without what says nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

_EMPTY = re.compile(r"(?P<title>[A-Z_]+(?: \([^)]*\))?): (?:none|unknown)")
_HOLDS_NOTHING = "INVENTORY: you hold nothing"
_ATTEMPT = re.compile(r"- steps? ([\d, ]+): ")
_BY_TEXT = " (by text)"
_IN_NOTICES = "STATE_REVISIT_COUNT: "
_ATTEMPTS = re.compile(r"LAST_ACTIONS_HERE\b.*:")
_SAME = {"HELD": "INVENTORY", "YOU_ARE": "ROOM"}
"""Lines that are left out where the other line, of an earlier section, says the same."""


def told_once(sections: Mapping[str, str], first_step: int) -> dict[str, str]:
    """The sections without repeated lines; the conversation tells all steps from `first_step` on."""
    known: dict[str, str] = {}
    return {
        name: "\n".join(_lines(text.splitlines(), known, first_step)) for name, text in _ordered(sections)
    }


def _ordered(sections: Mapping[str, str]) -> list[tuple[str, str]]:
    """The state of the room comes first: it is read from the step itself."""
    return sorted(sections.items(), key=lambda each: each[0] != "room_state")


def _lines(lines: list[str], known: dict[str, str], first_step: int) -> Iterator[str]:
    attempts = [line for line in lines if (first := _first_step(line)) is not None and first < first_step]
    for line in lines:
        if line.startswith(_IN_NOTICES):
            continue
        title, _, value = line.partition(": ")
        title = title.partition(" (")[0]
        if _EMPTY.fullmatch(line):
            if line == "INVENTORY: none":
                yield _HOLDS_NOTHING
            continue
        if _ATTEMPT.match(line) and line not in attempts:
            continue
        if _ATTEMPTS.fullmatch(line) and not attempts:
            continue
        if title in _SAME and _is_same(title, value, known):
            continue
        known.setdefault(title, value)
        yield line


def _is_same(title: str, value: str, known: Mapping[str, str]) -> bool:
    other = known.get(_SAME[title])
    if other is None:
        return False
    if title == "YOU_ARE":
        return other.partition(" (")[0] == value.partition(" (")[0]
    return _names(other) == _names(value)


def _names(listed: str) -> list[str]:
    return sorted(listed.removesuffix(_BY_TEXT).split(", "))


def _first_step(line: str) -> int | None:
    """The first step of an attempt, or of attempts that were answered alike; None: the line is none."""
    found = _ATTEMPT.match(line)
    return min(map(int, found[1].split(", "))) if found else None
