"""One session's game: its emulator, and where it is in the record."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce

from mesh.errors import FailureError
from schemas.game import (
    RESTART,
    EndReason,
    Room,
    SessionEnded,
    SessionStarted,
    StepTaken,
    Thing,
    ValidActions,
)
from services.game.emulator import protocol
from services.game.emulator.client import Emulator
from services.game.outcome import Outcome
from services.game.text_only import redacted


class RecordDiffers(FailureError):
    """Playing the recorded actions again led to another world (or text) than the recorded one."""

    def __init__(self, step: int) -> None:
        super().__init__(
            f"Step {step} cannot be reached by replaying the record: the world differs. "
            "Was the session recorded with another version of the emulator?"
        )


@dataclass(slots=True)
class Playing:
    """What the game service holds of one session; `last` is the last step that the emulator stands at."""

    started: SessionStarted
    emulator: Emulator | None = None
    last: StepTaken | None = None
    seen: Counter[str] = field(default_factory=Counter)
    outcome: Outcome = field(default_factory=Outcome)
    over: bool = False
    """The session has ended: nothing is executed any more."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    judged: dict[int, asyncio.Event] = field(default_factory=dict)
    """Set when the verdict on that step's proposal has come."""

    async def opening(self, emulator: Emulator) -> StepTaken:
        """Take an emulator at its opening; step 0."""
        self.emulator = emulator
        return self._step(0, None, await emulator.opening())

    async def execute(self, action: str) -> StepTaken:
        """Execute one action; the step that comes of it."""
        assert self.emulator is not None and self.last is not None
        action = RESTART if self.last.done else action
        played = await self.emulator.play(action)
        return self._step(self.last.step + 1, action, played)

    async def rebuild(self, emulator: Emulator, steps: Sequence[StepTaken]) -> None:
        """Take a fresh emulator to where the record is.

        Raises:
            RecordDiffers: the recorded actions do not lead there.
        """
        if self.started.text_only:
            await self._play_again(emulator, steps)
            return
        actions = [step.action for step in steps if step.action is not None]
        played = await emulator.replay(actions)
        if steps and played.world != steps[-1].world:
            raise RecordDiffers(steps[-1].step)
        self.emulator, self.last = emulator, steps[-1]
        self.seen = Counter(step.world for step in steps if step.world)
        self.outcome = reduce(Outcome.after, steps, Outcome())

    def told(self, step: StepTaken) -> StepTaken:
        """A step as it is published."""
        return redacted(step) if self.started.text_only else step

    def ended(self, step: int, reason: EndReason, detail: str = "") -> SessionEnded:
        """The session's end after a step; what it came to is unknown where the game does not stand there."""
        there = self.last is not None and self.last.step == step
        outcome = self.outcome if there else Outcome()
        return SessionEnded(
            step=step,
            reason=reason,
            detail=detail,
            score=outcome.score,
            best_score=outcome.best_score,
            max_score=self.emulator.max_score if self.emulator else self.started.max_score,
            victories=outcome.victories,
        )

    async def close(self) -> None:
        """Stop the emulator."""
        if self.emulator is not None:
            await self.emulator.close()
            self.emulator = None

    async def _play_again(self, emulator: Emulator, steps: Sequence[StepTaken]) -> None:
        """Find out anew what a text-only record does not hold."""
        self.last, self.seen, self.outcome = None, Counter(), Outcome()
        last = await self.opening(emulator)
        for step in steps[1:]:
            last = await self.execute(step.action or "")
        if redacted(last) != steps[-1]:
            raise RecordDiffers(steps[-1].step)

    def _step(self, number: int, action: str | None, played: protocol.Played) -> StepTaken:
        before = self.last
        restarted = before is not None and action == RESTART
        step = StepTaken(
            step=number,
            action=action,
            observation=played.observation,
            room=room_in(played),
            inventory=things_in(played.inventory),
            objects=things_in(played.objects),
            score=played.score,
            reward=0 if restarted else _gained(before, played),
            moves=played.moves,
            world=played.world,
            world_seen=self.seen[played.world],
            changed=played.changed,
            valid_actions=valid_in(played),
            done=played.done,
            victory=played.victory,
            episode=(before.episode if before else 1) + restarted,
        )
        self.seen[step.world] += 1
        self.outcome = self.outcome.after(step)
        self.last = step
        return step


def room_in(played: protocol.Played) -> Room | None:
    """The room of an answer of the emulator."""
    if played.room_id is None:
        return None
    return Room(id=played.room_id, name=played.room_name or "")


def things_in(things: Sequence[protocol.Thing] | None) -> tuple[Thing, ...] | None:
    """The things of an answer of the emulator."""
    if things is None:
        return None
    return tuple(Thing(id=thing.id, name=thing.name, container=thing.container) for thing in things)


def valid_in(played: protocol.Played) -> ValidActions | None:
    """The valid actions of an answer of the emulator."""
    if played.valid is None:
        return None
    found = played.valid
    return ValidActions(actions=found.actions, complete=found.complete, tried=found.tried)


def _gained(before: StepTaken | None, played: protocol.Played) -> int:
    if before is None or before.score is None or played.score is None:
        return 0
    return played.score - before.score
