"""Compares two sessions step by step: where they part, and how their scores went."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from folds.text.reader import TextReader
from lantern.inspect.plain_values import apart, plain
from lantern.views.text_view import printable
from mesh.printable import counted
from mesh.record.bus import Bus
from mesh.record.following import walk
from mesh.record.step_messages import StepMessages
from schemas.base import Kind, Message
from schemas.game import SessionEnded, SessionStarted, StepTaken

HEADER = (
    "game", "story_md5", "policy", "seed", "policy_seed", "steps", "handicaps", "valid_actions", "text_only",
    "restore", "agent",
)  # fmt: skip
END = ("reason", "detail", "score", "best_score", "max_score", "victories")

COMPARED = (Kind.STEP, Kind.FRAGMENT, Kind.PROPOSAL, Kind.VERDICT)
"""The messages that make a step, in the order in which one leads to the next; starts and ends are headers."""

NOT_COMPARED = frozenset({"digest"})
"""Made of the session's name."""

ROWS = 40
"""Of the table of scores, at most."""


TURN = 8
"""Of so many steps one lets other work go on."""


@dataclass(frozen=True, slots=True)
class Divergence:
    """Where two sessions part."""

    step: int
    message: str
    """`step`, `fragment narrator`, `proposal`, …"""
    field: str
    """Empty: the message itself is in one of them only."""
    a: Any
    b: Any


@dataclass(frozen=True, slots=True)
class Row:
    """One step of both; None: it is not there, or unknown."""

    step: int
    score_a: int | None
    room_a: str | None
    score_b: int | None
    room_b: str | None


@dataclass(slots=True)
class ComparedSession:
    """What is known of one of the two so far."""

    started: SessionStarted | None = None
    ended: SessionEnded | None = None
    last: int = -1
    by_text: TextReader = field(default_factory=TextReader)

    def after(self, moment: StepMessages | None) -> tuple[int | None, str | None]:
        """Take in a step; the score and the room there."""
        score = room = None
        for message in moment.messages if moment else ():
            match message.body:
                case SessionStarted() as started:
                    self.started, self.ended = started, None
                case SessionEnded() as ended:
                    self.ended = ended
                case StepTaken() as step:
                    read = self.by_text.read(step)
                    self.last, score = step.step, read.score
                    room = read.room.name if read.room else None
                case _:
                    pass
        return score, room


@dataclass(slots=True)
class Comparison:
    """Two sessions, folded step by step; `a` and `b` are their names."""

    a: str
    b: str
    divergence: Divergence | None = None
    """The first."""
    same_actions: int = 0
    """Steps at which both took the same action."""
    other_action: Divergence | None = None
    """The first step at which they took different ones."""
    rows: list[Row] = field(default_factory=list)
    _a: ComparedSession = field(default_factory=ComparedSession)
    _b: ComparedSession = field(default_factory=ComparedSession)

    def after(self, one: StepMessages | None, other: StepMessages | None) -> Comparison:
        """Take in the next step of both; None: one has no more."""
        number = next(moment.number for moment in (one, other) if moment is not None)
        self.rows.append(Row(number, *self._a.after(one), *self._b.after(other)))
        actions = (_action(one), _action(other))
        self.same_actions += None not in actions and actions[0] == actions[1]
        if self.other_action is None and None not in actions and actions[0] != actions[1]:
            self.other_action = Divergence(number, str(Kind.STEP), "action", *actions)
        if self.divergence is None:
            self.divergence = divergence_at(number, one, other)
        return self

    @property
    def headers(self) -> Mapping[str, tuple[Any, Any]]:
        """What differs in how they were started, and in how they ended."""
        ends = _differing(END, self._a.ended, self._b.ended)
        return {
            **_differing(HEADER, self._a.started, self._b.started),
            **{f"ended.{name}": values for name, values in ends.items()},
        }

    @property
    def same(self) -> bool:
        """Whether nothing differs but names and times."""
        return self.divergence is None and not self.headers

    @property
    def last_steps(self) -> tuple[int, int]:
        """The last step of each."""
        return self._a.last, self._b.last

    def as_json(self) -> dict[str, Any]:
        """The object that `diff --json` prints."""
        return {
            "a": self.a,
            "b": self.b,
            "same": self.same,
            "last_steps": list(self.last_steps),
            "same_actions": self.same_actions,
            "headers": {name: plain(values) for name, values in self.headers.items()},
            "divergence": plain(self.divergence),
            "other_action": plain(self.other_action),
            "scores": [plain(row) for row in self.turns()],
        }

    def turns(self) -> list[Row]:
        """The steps at which either score changed, the first, the last, and that of the divergence."""
        kept, before = [], None
        ends = {self.rows[0].step, self.rows[-1].step} if self.rows else set()
        if self.divergence is not None:
            ends.add(self.divergence.step)
        for row in self.rows:
            scores = (row.score_a, row.score_b)
            if scores != before or row.step in ends:
                kept.append(row)
            before = scores
        return kept


async def compared(a: str, ours: Bus, b: str, theirs: Bus, *, until_they_part: bool = False) -> Comparison:
    """Compare two sessions, each in the cell of its bus; `until_they_part`: no further than that."""
    comparison = Comparison(a, b)
    walks = [walk(bus.reader, session) for bus, session in ((ours, a), (theirs, b))]
    one, other = [await _next(each) for each in walks]
    while one is not None or other is not None:
        number = min(moment.number for moment in (one, other) if moment is not None)
        now = [moment if moment and moment.number == number else None for moment in (one, other)]
        comparison.after(*now)
        if until_they_part and comparison.divergence is not None:
            break
        one, other = [
            await _next(each) if taken else waiting
            for each, taken, waiting in zip(walks, now, (one, other), strict=True)
        ]
        if number % TURN == 0:
            await asyncio.sleep(0)
    return comparison


def divergence_at(number: int, one: StepMessages | None, other: StepMessages | None) -> Divergence | None:
    """The first difference at a step, in the order in which one message leads to the next."""
    ours, theirs = (_by_name(moment) for moment in (one, other))
    for name in sorted({*ours, *theirs}, key=_order):
        if name not in ours or name not in theirs:
            return Divergence(number, name, "", name in ours, name in theirs)
        mine, yours = ours[name], theirs[name]
        for part in type(mine).model_fields:
            values = getattr(mine, part), getattr(yours, part)
            if values[0] != values[1] and part not in NOT_COMPARED:
                return Divergence(number, name, part, *values)
    return None


def lines_about(comparison: Comparison) -> Iterator[str]:
    """What to tell a user."""
    a, b = comparison.a, comparison.b
    yield f"A: {a}, steps 0 to {comparison.last_steps[0]}"
    yield f"B: {b}, steps 0 to {comparison.last_steps[1]}"
    for name, values in comparison.headers.items():
        yield f"{name}: {' | '.join(apart(*values))}"
    yield from _parting(comparison)
    yield from _actions(comparison)
    yield from _table(comparison)


def _parting(comparison: Comparison) -> Iterator[str]:
    found = comparison.divergence
    if found is None:
        yield "every step is the same"
    elif not found.field:
        yield f"they part at step {found.step}: {found.message} is in {'A' if found.a else 'B'} only"
    else:
        yield f"they part at step {found.step}: {found.message}, {found.field}"
        yield from (f"  {name}: {told}" for name, told in zip("AB", apart(found.a, found.b), strict=True))


def _actions(comparison: Comparison) -> Iterator[str]:
    yield f"the same action at {comparison.same_actions} of {counted(max(comparison.last_steps), 'step')}"
    if (found := comparison.other_action) is not None:
        yield f"the first other action at step {found.step}: {' | '.join(apart(found.a, found.b))}"


def _table(comparison: Comparison) -> Iterator[str]:
    rows = comparison.turns()
    yield f"{'step':>6}  {'A':>5}  {'room':<28}  {'B':>5}  room"
    for row in _thinned(rows, comparison.divergence):
        cells = (_cell(row.score_a), _room(row.room_a), _cell(row.score_b), _room(row.room_b))
        yield f"{row.step:>6}  {cells[0]:>5}  {cells[1]:<28}  {cells[2]:>5}  {cells[3]}".rstrip()
    if len(rows) > ROWS:
        yield f"({ROWS} of the {len(rows)} steps at which a score changed; --json tells all)"


def _thinned(rows: list[Row], divergence: Divergence | None) -> list[Row]:
    """Evenly, if there are too many; the first, the last, and the divergence stay."""
    if len(rows) <= ROWS:
        return rows
    parting = [at for at, row in enumerate(rows) if divergence and row.step == divergence.step]
    even = (round(at * (len(rows) - 1) / (ROWS - 2)) for at in range(ROWS - 1))
    return [rows[at] for at in sorted({*parting, *even})]


def _cell(score: int | None) -> str:
    return "-" if score is None else str(score)


def _room(room: str | None) -> str:
    told = " ".join(printable(room).split()) if room is not None else "-"
    return told if len(told) <= 28 else f"{told[:27]}…"


def _differing(
    names: Iterable[str], one: BaseModel | None, other: BaseModel | None
) -> dict[str, tuple[Any, Any]]:
    pairs = {name: (getattr(one, name, None), getattr(other, name, None)) for name in names}
    return {name: values for name, values in pairs.items() if values[0] != values[1]}


def _by_name(moment: StepMessages | None) -> dict[str, Message]:
    return {
        f"fragment {message.service.name}"
        if message.kind is Kind.FRAGMENT
        else str(message.kind): message.body
        for message in (moment.messages if moment else ())
        if message.kind in COMPARED
    }


def _order(name: str) -> tuple[int, str]:
    return COMPARED.index(Kind(name.split()[0])), name


def _action(moment: StepMessages | None) -> str | None:
    step = moment.of(Kind.STEP) if moment else None
    return step.body.action if step and isinstance(step.body, StepTaken) else None


async def _next(moments: AsyncIterator[StepMessages]) -> StepMessages | None:
    return await anext(moments, None)
