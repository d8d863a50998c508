"""One session's game: its emulator, and where it is in the record."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from hashlib import blake2b

from msgspec.structs import asdict

from mesh.errors import FailureError
from schemas.game import (
    RESTART,
    EndReason,
    Room,
    SessionEnded,
    SessionStarted,
    Sources,
    StepTaken,
    Thing,
    ValidActions,
)
from services.game.actions import GIVEN_UP
from services.game.emulator import protocol
from services.game.emulator.client import Emulator
from services.game.emulator.protocol import Move, MoveReplayed, Play, Stay
from services.game.session.kept import Kept
from services.game.session.outcome import Outcome
from services.game.session.text_only import redacted
from services.game.valid_actions.scout import Scout


class RecordDiffers(FailureError):
    """A recorded step did not come out again as it was recorded."""

    def __init__(self, step: int, what: str) -> None:
        self.step = step
        super().__init__(
            f"Step {step} does not come out again as it was recorded: its {what} differs. "
            "Was the record changed, or made with another version of the emulator?"
        )


@dataclass(slots=True)
class Playing:
    """What the game service holds of one session; `last` is the last step that the emulator stands at."""

    started: SessionStarted
    emulator: Emulator | None = None
    scout: Scout | None = None
    """Looks for valid actions, where they are wanted."""
    last: StepTaken | None = None
    seen: Counter[str] = field(default_factory=Counter)
    session: str = ""
    outcome: Outcome = field(default_factory=Outcome)
    most: int | None = None
    """The maximum score, as the emulator told it last."""
    _found: dict[str, ValidActions] = field(default_factory=dict)
    """What was found in each world before the session was taken up again."""
    over: bool = False
    """The session has ended: nothing is executed any more."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    judged: dict[int, asyncio.Event] = field(default_factory=dict)
    """Set when the verdict on that step's proposal has come."""

    async def opening(self, emulator: Emulator, scout: Scout | None = None) -> StepTaken:
        """Take an emulator at its opening; step 0."""
        self.emulator, self.scout = emulator, scout
        if scout is not None:
            scout.open()
        return await self._step(0, None, await emulator.opening())

    async def execute(self, action: str) -> StepTaken:
        """Execute one action; the step that comes of it."""
        assert self.emulator is not None and self.last is not None
        action = RESTART if self.last.done else action
        if self.scout is not None:
            self.scout.follow(action)
        played = await self.emulator.play(action)
        return await self._step(self.last.step + 1, action, played)

    async def execute_again(self, recorded: StepTaken) -> StepTaken:
        """Execute a recorded step's action; the step that comes of it now."""
        if _move_of(recorded) == Play(recorded.action or ""):
            return await self.execute(recorded.action or "")
        assert self.emulator is not None and self.last is not None
        return await self._step(self.last.step + 1, recorded.action, await self.emulator.give_up())

    async def rebuild(self, emulator: Emulator, kept: Kept | None, steps: Sequence[StepTaken]) -> None:
        """Take an emulator to where the record is: from what was kept, or from the opening.

        `steps`: the recorded ones, from that of the snapshot (or the opening) on.

        Raises:
            SnapshotRefused: the emulator does not take what was kept.
            RecordDiffers: a step that was executed again is not the recorded one.
        """
        first = await emulator.restore(kept.emulator) if kept else await emulator.rewind()
        echoes = [first, *await emulator.replay([_move_of(step) for step in steps[1:]])]
        for step, echo in zip(steps, echoes, strict=True):
            _compare(self.started.taken_in(self.session, step.step), step, echo)
        self.emulator, self.last = emulator, steps[-1]
        self.seen = Counter(kept.seen if kept else {echoes[0].world: 1})
        self.outcome = kept.outcome if kept else Outcome().after(first.score, first.victory)
        for echo in echoes[1:]:
            self.seen[echo.world] += 1
            self.outcome = self.outcome.after(echo.score, echo.victory)
        self._found = dict(kept.found) if kept else {}
        for step in steps:
            if step.valid_actions is not None:
                self._found[step.world] = step.valid_actions

    async def be_scouted(self, scout: Scout) -> None:
        """Have a scout stand where the emulator stands, and recall what was found before."""
        self.scout = scout
        for world, found in self._found.items():
            scout.recall(world, found)
        await self._guide(scout)

    async def _guide(self, scout: Scout) -> None:
        snapshot = await self.emulator.snapshot() if self.emulator else None
        if snapshot is not None:
            scout.stand_at(snapshot)

    def kept(self) -> Kept | None:
        """What to keep of this step; None: no snapshot has been taken at it."""
        snapshot = self.emulator.fresh_snapshot if self.emulator else None
        if snapshot is None or self.last is None:
            return None
        found = dict(self.scout.found) if self.scout else {}
        return Kept(self.last.step, dict(self.seen), self.outcome, found, snapshot)

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
            max_score=self._max_score(),
            victories=outcome.victories,
        )

    def _max_score(self) -> int | None:
        """Some stories tell it only under way."""
        told = self.emulator.max_score if self.emulator else self.started.max_score
        return told if self.most is None else self.most

    async def close(self) -> None:
        """Stop the emulator, and the scout's."""
        emulator, scout, self.emulator, self.scout = self.emulator, self.scout, None, None
        async with AsyncExitStack() as ending:
            if scout is not None:
                ending.push_async_callback(scout.close)
            if emulator is not None:
                ending.push_async_callback(emulator.close)

    async def _valid_actions(self, played: protocol.Played) -> ValidActions | None:
        if self.scout is None or played.done:
            return None
        if self.scout.astray:
            await self._guide(self.scout)
        return await self.scout.valid(played.world)

    async def _step(self, number: int, action: str | None, played: protocol.Played) -> StepTaken:
        before = self.last
        restarted = before is not None and played.begins
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
            valid_actions=await self._valid_actions(played),
            done=played.done,
            victory=played.victory,
            text_kind=played.kind,
            sources=Sources.model_validate(asdict(played.sources)),
            episode=(before.episode if before else 1) + restarted,
            digest=step_digest(
                self.started.taken_in(self.session, number), number, played.world, played.observation
            ),
        )
        self.seen[played.world] += 1
        self.most = played.max_score
        self.outcome = self.outcome.after(played.score, played.victory)
        self.last = step
        return step


def step_digest(session: str, step: int, world: str, observation: str) -> str:
    """16 hexadecimal digits that playing a step again must give.

    With the number in it, it never repeats, and tells nothing of the world.
    """
    told = "\0".join((session, str(step), world, observation))
    return blake2b(told.encode(), digest_size=8).hexdigest()


def _move_of(step: StepTaken) -> Move:
    """How to make a recorded step again: an action that was given up would be so once more, and slowly."""
    return Stay(GIVEN_UP) if step.observation == GIVEN_UP else Play(step.action or "")


def _compare(session: str, step: StepTaken, echo: MoveReplayed) -> None:
    """Empty fields were not recorded.

    Raises:
        RecordDiffers: the step is not the recorded one.
    """
    if step.observation != echo.observation:
        raise RecordDiffers(step.step, "observation")
    if step.world and step.world != echo.world:
        raise RecordDiffers(step.step, "world")
    if step.digest and step.digest != step_digest(session, step.step, echo.world, echo.observation):
        raise RecordDiffers(step.step, "digest")


def room_in(played: protocol.Played) -> Room | None:
    """The room of an answer of the emulator."""
    if played.room_id is None:
        return None
    return Room(id=played.room_id, name=played.room_name or "")


def things_in(things: Sequence[protocol.ObservedObject] | None) -> tuple[Thing, ...] | None:
    """The things of an answer of the emulator."""
    if things is None:
        return None
    return tuple(Thing(id=thing.id, name=thing.name, container=thing.container) for thing in things)


def _gained(before: StepTaken | None, played: protocol.Played) -> int:
    if before is None:
        return 0
    if before.score is None or played.score is None:
        return played.gained
    return played.score - before.score
