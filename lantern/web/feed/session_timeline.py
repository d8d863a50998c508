"""One session in a row for each step: what a timeline, a score curve and a transcript begin with."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import UNSET, UnsetType

from folds.text.reader import TextReader
from folds.text.rooms import UNKNOWN_ROOM, room_of
from lantern.web.feed.glimpses import StepGlimpse
from lantern.web.feed.map_timeline import MapTimeline
from lantern.web.feed.marks import Mark, marks_of_proposal, marks_of_step, marks_of_verdict
from schemas.actor import ActionProposed
from schemas.base import Message
from schemas.critic import ActionJudged
from schemas.game import SessionEnded, SessionStarted, StepTaken

TEXTS = 200
"""Steps, the newest, whose texts are kept: older ones are read from the record when they are shown."""


class StepRow(msgspec.Struct):
    """A step in one row, as the page is told it."""

    step: int
    action: str | None
    room: str
    name: str
    """Of the room."""
    score: int | None
    reward: int
    episode: int
    moves: int | None
    marks: list[Mark]
    carried: tuple[str, ...] | None
    """What the player carries, where it has changed; None: it is as it was, or unknown."""
    text: str | UnsetType = UNSET
    """What the game printed, of the newest steps."""


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
        self._folded = -1
        """The last step whose text was read, and that the map has."""
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
            case StepTaken() as step if step.step > self._folded:
                self._add(step)
            case ActionProposed() as proposal:
                self.mark(proposal.step, marks_of_proposal(proposal))
            case ActionJudged() as verdict:
                self.mark(verdict.step, marks_of_verdict(verdict))
            case _:
                pass
        return self

    def glance(self, glimpse: StepGlimpse) -> None:
        """Show a recorded step before its text is read; what only its text tells comes with `after`."""
        if glimpse.step > self.newest:
            room, inventory = glimpse.room, glimpse.inventory
            names = None if inventory is None else tuple(thing.name for thing in inventory)
            place = (str(room.id), room.name) if room else (UNKNOWN_ROOM, "")
            self._put(glimpse, place, (glimpse.score, glimpse.reward), self._newly(names))

    def mark(self, step: int, marks: Iterable[Mark]) -> None:
        """Something happened at a step."""
        found, row = set(marks), self.rows.get(step)
        if row is None:
            self._early.setdefault(step, set()).update(found)
        elif not found <= set(row.marks):
            row.marks = _ordered({*row.marks, *found})
            self._changed.add(step)

    def drain(self) -> list[StepRow]:
        """The rows that have changed since the last call."""
        changed, self._changed = sorted(self._changed), set()
        return [self.rows[step] for step in changed]

    def since(self, step: int) -> list[StepRow]:
        """The rows from a step on, for somebody who begins to watch."""
        return [row for row in self.rows.values() if row.step >= step]

    def _add(self, taken: StepTaken) -> None:
        step = self._reader.read(taken)
        self._folded = step.step
        self.map.after(step)
        seen = self.rows.get(step.step)
        points = self._points(step) if step.score is None else step.score
        names = None if step.inventory is None else tuple(thing.name for thing in step.inventory)
        carried = seen.carried if seen and taken.inventory is not None else self._newly(names)
        place = (room_of(step), step.room.name if step.room else "")
        self._put(step, place, (points, step.reward), carried)

    def _put(
        self,
        step: StepTaken | StepGlimpse,
        place: tuple[str, str],
        score: tuple[int | None, int],
        carried: tuple[str, ...] | None,
    ) -> None:
        seen, number = self.rows.get(step.step), step.step
        row = StepRow(
            step=number,
            action=step.action,
            room=place[0],
            name=place[1],
            score=score[0],
            reward=score[1],
            episode=step.episode,
            moves=step.moves,
            marks=_ordered({*marks_of_step(step), *(seen.marks if seen else self._early.pop(number, ()))}),
            carried=carried,
            text=seen.text if seen else step.observation,
        )
        if row == seen:
            return
        self.rows[number] = row
        self._changed.add(number)
        if seen is None and (old := self.rows.get(number - TEXTS)) is not None:
            old.text = UNSET

    def _newly(self, names: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """What the player carries, where it has changed; None: it is as it was, or unknown."""
        before, self._carries = self._carries, self._carries if names is None else names
        return names if names != before else None

    def _points(self, step: StepTaken) -> int:
        """The score as far as the texts tell it."""
        episode, points = self._announced
        self._announced = (step.episode, step.reward + (points if episode == step.episode else 0))
        return self._announced[1]


def _ordered(marks: set[Mark]) -> list[Mark]:
    """The most telling first."""
    return [mark for mark in Mark if mark in marks] if marks else []
