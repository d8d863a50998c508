"""One session in a row for each step: what a timeline, a score curve and a transcript begin with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from folds.text.reader import TextReader
from folds.text.rooms import room_of
from lantern.web.feed.map_timeline import MapTimeline
from lantern.web.feed.marks import Mark, marks_of_proposal, marks_of_step, marks_of_verdict
from schemas.actor import ActionProposed
from schemas.base import Message
from schemas.critic import ActionJudged
from schemas.game import SessionEnded, SessionStarted, StepTaken

TEXTS = 200
"""Steps, the newest, whose texts are kept: older ones are read from the record when they are shown."""


@dataclass(slots=True)
class StepRow:
    """A step in one row."""

    step: int
    action: str | None
    room: str
    room_name: str
    score: int | None
    reward: int
    episode: int
    moves: int | None
    marks: set[Mark] = field(default_factory=set)
    carried: tuple[str, ...] | None = None
    text: str | None = None

    def as_json(self, *, with_text: bool) -> dict[str, Any]:
        """The row for the page."""
        told: dict[str, Any] = {
            "step": self.step,
            "action": self.action,
            "room": self.room,
            "name": self.room_name,
            "score": self.score,
            "reward": self.reward,
            "episode": self.episode,
            "moves": self.moves,
            "marks": [mark.value for mark in Mark if mark in self.marks],
            "carried": self.carried,
        }
        return {**told, "text": self.text} if with_text and self.text is not None else told


class SessionTimeline:
    """Folds a session's messages; a repeat changes nothing, and messages may come in any order."""

    def __init__(self) -> None:
        self.started: SessionStarted | None = None
        self.ended: SessionEnded | None = None
        self.rows: dict[int, StepRow] = {}
        self.map = MapTimeline()
        self._reader = TextReader()
        self._early: dict[int, set[Mark]] = {}
        """Marks of steps that have not come yet."""
        self._changed: set[int] = set()
        self._carries: tuple[str, ...] | None = None
        self._announced = (0, 0)
        """The episode, and the points that its texts have announced so far."""

    @property
    def newest(self) -> int:
        """The number of the last step; -1: there is none."""
        return next(reversed(self.rows), -1)

    def after(self, message: Message) -> SessionTimeline:
        """Take in a message."""
        match message:
            case SessionStarted() as started:
                self.started, self.ended = started, None
            case SessionEnded() as ended:
                self.ended = ended
            case StepTaken() as step if step.step > self.newest:
                self._add(step)
            case ActionProposed() as proposal:
                self.mark(proposal.step, marks_of_proposal(proposal))
            case ActionJudged() as verdict:
                self.mark(verdict.step, marks_of_verdict(verdict))
            case _:
                pass
        return self

    def mark(self, step: int, marks: Iterable[Mark]) -> None:
        """Something happened at a step."""
        found, row = set(marks), self.rows.get(step)
        if row is None:
            self._early.setdefault(step, set()).update(found)
        elif not found <= row.marks:
            row.marks |= found
            self._changed.add(step)

    def drain(self) -> list[dict[str, Any]]:
        """The rows that have changed since the last call."""
        changed, self._changed = sorted(self._changed), set()
        return [self.rows[step].as_json(with_text=True) for step in changed]

    def since(self, step: int) -> list[dict[str, Any]]:
        """The rows from a step on, for somebody who begins to watch."""
        rows = self.rows.values() if step <= 0 else (row for row in self.rows.values() if row.step >= step)
        return [row.as_json(with_text=True) for row in rows]

    def _add(self, taken: StepTaken) -> None:
        step = self._reader.read(taken)
        self.map.after(step)
        self.rows[step.step] = StepRow(
            step=step.step,
            action=step.action,
            room=room_of(step),
            room_name=step.room.name if step.room else "",
            score=self._points(step) if step.score is None else step.score,
            reward=step.reward,
            episode=step.episode,
            moves=step.moves,
            marks={*marks_of_step(step), *self._early.pop(step.step, ())},
            carried=self._carried(step),
            text=step.observation,
        )
        self._changed.add(step.step)
        if (old := self.rows.get(step.step - TEXTS)) is not None:
            old.text = None

    def _carried(self, step: StepTaken) -> tuple[str, ...] | None:
        """What the player carries, where it has changed; None: it is as it was, or unknown."""
        if step.inventory is None:
            return None
        names = tuple(thing.name for thing in step.inventory)
        before, self._carries = self._carries, names
        return names if names != before else None

    def _points(self, step: StepTaken) -> int:
        """The score as far as the texts tell it."""
        episode, points = self._announced
        self._announced = (step.episode, step.reward + (points if episode == step.episode else 0))
        return self._announced[1]
