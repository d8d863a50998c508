"""Sections without what stands elsewhere in the prompt, and without what says nothing."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from folds.vocabulary.actions import normal
from folds.vocabulary.words import words_of
from services.actor.plan.by_rule import going

_EMPTY = re.compile(r"(?P<title>[A-Z_]+(?: \([^)]*\))?): (?:none|unknown)")
_HOLDS_NOTHING = "INVENTORY: you hold nothing"
_ATTEMPT = re.compile(r"- steps? ([\d, ]+): ")
_BY_TEXT = " (by text)"
_IN_NOTICES = "STATE_REVISIT_COUNT: "
_ATTEMPTS = re.compile(r"LAST_ACTIONS_HERE\b.*:")
_SENTENCE = re.compile(r"(?<=[.;]) (?=[A-Z])")
_BY_RULE = re.compile(r"At step (\d+) you are in (.+?) with score ")
_SHOWN = re.compile(r"At step \d+ you|You hold|No way was|From here you|Nothing earned|What changed nothing")
"""How a summary by rule begins, and its sentences of which the room's state, or the score, says more."""
_AHEAD = re.compile(r"The nearest unexplored way is (.+)\.")
_EXHAUSTED = "Exhausted topics: "
_TRIED = "ALL_TRIED_IN_THIS_ROOM"
_LIKELY = "LIKELY_EXITS_ELSEWHERE: "
_SAME = {"HELD": "INVENTORY", "YOU_ARE": "ROOM"}
"""Lines that are left out where the other line, of an earlier section, says the same."""


def told_once(
    sections: Mapping[str, str],
    told: range,
    notices: str = "",
    done: Collection[str] = (),
    planned: Collection[str] = (),
) -> dict[str, str]:
    """The sections without what is said elsewhere.

    `told`: the steps that the conversation tells, the last of which is now. `done`: actions that have
    changed nothing here, which are no hints any more. `planned`: the sub-goals, which tell of ways.
    """
    known: dict[str, str] = {}
    once = {
        name: "\n".join(_lines(text.splitlines(), known, told.start)) for name, text in _ordered(sections)
    }
    if "belief" in once:
        lines = (_unplanned(line, planned) for line in once["belief"].splitlines())
        once["belief"] = "\n".join(filter(None, lines))
    if "narrative" in once:
        once["narrative"] = _summary(once["narrative"], told.stop - 1, notices)
    if "hints" in once:
        once["hints"] = _hints(once["hints"], done)
    return once


def _unplanned(line: str, planned: Collection[str]) -> str:
    """A line without the ways that are sub-goals."""
    if not line.startswith(_LIKELY):
        return line
    left: list[str] = []
    for each in line.removeprefix(_LIKELY).split("; "):
        room, _, ways = each.partition(": ")
        others = [way for way in ways.split(", ") if going(way, room) not in planned]
        if others:
            left.append(f"{room}: {', '.join(others)}" if ways else each)
    return f"{_LIKELY}{'; '.join(left)}" if left else ""


def _summary(text: str, now: int, notices: str) -> str:
    """A model's summary as it is; one by rule, without what the other sections say."""
    head = _BY_RULE.match(text)
    if head is None:
        return text
    sentences = (each for each in _SENTENCE.split(text) if not _SHOWN.match(each))
    said = " ".join(each for each in sentences if not ((way := _AHEAD.match(each)) and way[1] in notices))
    return f"At step {head[1]}, in {head[2]}: {said}" if said and int(head[1]) != now else said


def _hints(text: str, done: Collection[str]) -> str:
    """The hints that were not followed since they were given, numbered anew."""
    head, *lines = text.splitlines()
    left = [action for line in lines if normal(action := line.partition(". ")[2]) not in done]
    return "\n".join((head, *(f"{rank}. {action}" for rank, action in enumerate(left, 1)))) if left else ""


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
        if line.startswith(_EXHAUSTED) and _are_tried(line, known):
            continue
        if _ATTEMPTS.fullmatch(line) and not attempts:
            continue
        if title in _SAME and _is_same(title, value, known):
            continue
        known.setdefault(title, value)
        yield line


def _are_tried(line: str, known: Mapping[str, str]) -> bool:
    """Whether the state of the room lists all of these topics: they were raised here."""
    topics = line.removeprefix(_EXHAUSTED).rstrip(".").split(", ")
    return set(topics) <= set(words_of(known.get(_TRIED, "")))


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
