"""How the session came to its position, and what is told of looking ahead from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Self

from folds.vocabulary.actions import is_restore, restored_step
from schemas.fragment import Fragment, Section
from schemas.game import SessionStarted, StepTaken
from schemas.lookahead import ActionRisk, LookedAhead
from schemas.sources import TextKind

SHOWN_RISKS = 6
UNDO, SAVE = "undo", "save"


@dataclass(slots=True)
class PositionHistory:
    """The moves that lead to each step's position, folded from the steps."""

    last: StepTaken | None = None
    _origins: list[int] = field(default_factory=list)
    """By step, the step at whose position its move was made; its own number: it is an opening."""
    _moves: list[str] = field(default_factory=list)
    """By step, the move; empty: the game executed none."""
    _saved: int | None = None

    @classmethod
    def opening(cls, started: SessionStarted) -> Self:
        """No step was taken."""
        return cls()

    def after(self, step: StepTaken) -> Self:
        """Fold one step; a step that was folded before changes nothing."""
        if self.last is not None and step.step <= self.last.step:
            return self
        before, self.last = self.last, step
        if before is None or step.episode != before.episode:
            self._append(step.step, "")
        elif step.text_kind is TextKind.LANTERN:
            self._append(self._returned_to((step.action or "").lower().strip(), before.step), "")
        else:
            self._append(before.step, step.action or "")
        return self

    def moves(self) -> tuple[str, ...]:
        """The moves from the opening to the present position."""
        return tuple(self._back())[::-1]

    def _append(self, origin: int, move: str) -> None:
        self._origins.append(origin)
        self._moves.append(move)

    def _returned_to(self, action: str, before: int) -> int:
        """The step to whose position an action that Lantern itself carried out leads."""
        if action == SAVE:
            self._saved = before
        if action == UNDO:
            return self._origins[before]
        if is_restore(action):
            named = restored_step(action)
            step = self._saved if named is None else named
            return before if step is None or step >= len(self._origins) else step
        return before

    def _back(self) -> Iterator[str]:
        step = len(self._origins) - 1
        while step >= 0:
            if self._moves[step]:
                yield self._moves[step]
            if self._origins[step] == step:
                return
            step = self._origins[step]


def fragment_of(found: LookedAhead | None) -> Fragment:
    """What the actor is told; nothing where nothing was found out about its position."""
    if found is None:
        return Fragment()
    is_late = found.origin != found.step
    where = f"From the position after step {found.origin}" if is_late else "From here"
    text = "\n".join((f"{where}, in {found.probes:,} probes:", *_findings(found)))
    suggestions = () if is_late else found.actions[:1]
    return Fragment(sections=(Section(name="planner", text=text),), suggestions=suggestions)


def _findings(found: LookedAhead) -> Iterator[str]:
    if found.points:
        earned = "point" if found.points == 1 else "points"
        yield f"- this earned {found.points} {earned}: {'; '.join(found.actions)}"
    else:
        yield "- nothing earned points"
    yield from map(_risk, found.risks[:SHOWN_RISKS])


def _risk(risk: ActionRisk) -> str:
    return f"- {risk.action}: in {risk.deaths} of {risk.tries} tries this killed"
