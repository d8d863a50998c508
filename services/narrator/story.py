"""Summarizes the session so far in a few factual sentences."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from folds.attempts import Attempt
from folds.map import Map
from folds.playthrough import Playthrough
from folds.text.rooms import room_of
from schemas.fragment import Fragment, Section
from schemas.game import SessionStarted, StepTaken

EVERY, ENTRIES = 5, 30
"""A summary of the last 30 entries every 5 steps, or on a score change (text-adventure agent, narrator)."""

LENGTH = 1_000
"""Characters of a summary: about 250 tokens (the same source)."""

_LISTED = 6
_NAME_LENGTH = 40


CHAPTERS = 64
"""The number of summaries that are remembered, because the reply of a language model may come later."""


@dataclass(frozen=True, slots=True)
class Chapter:
    """The input of a summary, at the step when it was due."""

    step: StepTaken
    max_score: int | None
    entries: tuple[Attempt, ...]
    """The last entries, oldest first."""
    rooms: tuple[tuple[str, str], ...]
    """Ids and names of the rooms to which entries led."""
    rooms_known: int
    blocked: tuple[str, ...]
    """Directions that are blocked here."""
    way: tuple[str, ...]
    """The actions to the nearest unexplored exit and through it; empty: no such exit is known."""


class StorySoFar:
    """The last entries of a session, and their latest summary."""

    def __init__(self, max_score: int | None = None, asks_models: bool = False) -> None:
        self.chapters: deque[Chapter] = deque(maxlen=CHAPTERS)
        """The newest one last; empty if no model is asked."""
        self.entries: deque[Attempt] = deque(maxlen=ENTRIES)
        self.summary = ""
        self._playthrough = Playthrough()
        self._max_score = max_score
        self._asks_models = asks_models

    @classmethod
    def opening(cls, started: SessionStarted) -> Self:
        """An empty story."""
        return cls(started.max_score, started.asks_models)

    def after(self, step: StepTaken) -> Self:
        """Fold one step; a step that was folded before changes nothing."""
        played = self._playthrough
        if played.includes(step):
            return self
        now = played.after(step).last or step
        if played.before is not None and played.attempts.by_room[room_of(played.before)]:
            self.entries.append(played.attempts.by_room[room_of(played.before)][-1])
        if step.step % EVERY == 0 or now.reward or step.done:
            self.summary = summary_of(now, self.entries, played.map, self._max_score)
            if self._asks_models:
                self.chapters.append(_chapter(now, self.entries, played.map, self._max_score))
        return self


def fragment(state: StorySoFar) -> Fragment | None:
    """The latest summary by rule."""
    return narrative(state.summary) if state.summary else None


def narrative(summary: str) -> Fragment:
    """A summary as a fragment."""
    return Fragment(sections=(Section(name="narrative", text=summary),))


def summary_of(step: StepTaken, entries: Sequence[Attempt], chart: Map, max_score: int | None) -> str:
    """Four to six sentences: where, things, obstacles, what worked, what failed, what next."""
    sentences = (
        _where(step, chart, max_score),
        _things(step),
        _obstacles(step, chart),
        _worked(entries),
        _failed(entries),
        _next(step, chart),
    )
    return " ".join(sentence for sentence in sentences if sentence)[:LENGTH]


def _chapter(step: StepTaken, entries: Iterable[Attempt], chart: Map, max_score: int | None) -> Chapter:
    unique = tuple(dict.fromkeys(entries))  # a restart adds the entry before it again
    led_to = dict.fromkeys(entry.moved_to for entry in unique if entry.moved_to)
    return Chapter(
        step=step,
        max_score=max_score,
        entries=unique,
        rooms=tuple((room, chart.names.get(room, room)) for room in led_to),
        rooms_known=len(chart.names),
        blocked=tuple(sorted(chart.blocked.get(chart.here, ()))),
        way=_way(chart),
    )


def _where(step: StepTaken, chart: Map, max_score: int | None) -> str:
    place = step.room.name if step.room else "an unknown place"
    score = "unknown" if step.score is None else str(step.score)
    most = f" of {max_score}" if max_score else ""
    return (
        f"At step {step.step} you are in {place} with score {score}{most}, and know {len(chart.names)} rooms."
    )


def _things(step: StepTaken) -> str:
    inventory, objects = step.inventory, step.objects
    if inventory is None and objects is None:
        return ""
    carrying = _listed((thing.name for thing in inventory or ()), "nothing")
    around = _listed((thing.name for thing in objects or ()), "nothing")
    return f"You hold {carrying}; you see {around}."


def _obstacles(step: StepTaken, chart: Map) -> str:
    blocked = sorted(chart.blocked.get(chart.here, ()))
    return (
        f"From here you could not go {_listed(blocked, '')}."
        if blocked
        else "No way was blocked here so far."
    )


def _worked(entries: Iterable[Attempt]) -> str:
    earned = [_attempt_text(a) for a in entries if a.earned]
    return f"What worked: {_listed(reversed(earned), '')}." if earned else "Nothing earned anything lately."


def _failed(entries: Iterable[Attempt]) -> str:
    failed = Counter(a.action for a in entries if not a.earned and not a.changed and a.moved_to is None)
    often = [f"{action} ({times}x)" if times > 1 else action for action, times in failed.most_common(_LISTED)]
    return f"What changed nothing: {_listed(often, '')}." if often else ""


def _next(step: StepTaken, chart: Map) -> str:
    if step.done:
        return "The game is over; the next step is to restart."
    path = _way(chart)
    if not path:
        return "No untried way is known; next, try what is new with the things at hand."
    return f"The nearest unexplored way is {' then '.join(path[:8])}."


def _way(chart: Map) -> tuple[str, ...]:
    ahead = chart.nearest_unexplored(chart.here)
    return (*ahead.actions, ahead.then or "") if ahead else ()


def _attempt_text(attempt: Attempt) -> str:
    points = f"{attempt.reward:+d}" if attempt.reward else ""
    return f"{attempt.action} ({', '.join(filter(None, (points, *attempt.gained)))})"


def _listed(names: Iterable[str], none: str) -> str:
    unique = list(dict.fromkeys(name[:_NAME_LENGTH] for name in names))
    more = f" and {len(unique) - _LISTED} more" if len(unique) > _LISTED else ""
    return ", ".join(unique[:_LISTED]) + more if unique else none
