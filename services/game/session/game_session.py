"""One session's game: its emulator, and where it is in the record."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

from msgspec.structs import asdict, replace

from folds.vocabulary.actions import is_restore
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
from services.game.emulator import protocol
from services.game.emulator.client import Emulator
from services.game.emulator.protocol import MoveReplayed, Play, StatusLine, Stay
from services.game.session.checkpoints import Checkpoints, recorded_move
from services.game.session.outcome import SessionOutcome
from services.game.session.replayed_step import compare, step_digest
from services.game.session.session_snapshot import SessionSnapshot
from services.game.session.text_only import redacted, shown_in
from services.game.valid_actions.searcher import ValidActionSearcher


def _set_event() -> asyncio.Event:
    event = asyncio.Event()
    event.set()
    return event


@dataclass(slots=True)
class GameSession:
    """One session in the game service. `last`: the step after which the emulator is now."""

    started: SessionStarted
    emulator: Emulator | None = None
    searcher: ValidActionSearcher | None = None
    """Searches for valid actions, if the session asks for them."""
    last: StepTaken | None = None
    world_visits: Counter[str] = field(default_factory=Counter)
    session: str = ""
    outcome: SessionOutcome = field(default_factory=SessionOutcome)
    reported_max_score: int | None = None
    """The maximum score by the emulator's latest answer."""
    _found: dict[str, ValidActions] = field(default_factory=dict)
    """The valid actions of each world that were found before the session was resumed."""
    over: bool = False
    """Whether the session has ended, so that no action is executed any more."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    settled: asyncio.Event = field(default_factory=_set_event)
    """Set, unless the last executed step is on its way to the record."""
    last_turn: float = -math.inf
    """When the last action was begun, by the event loop's clock."""
    verdict_events: dict[int, asyncio.Event] = field(default_factory=dict)
    """By step: set when the verdict on the step's proposal has arrived."""
    _shown: StatusLine | None = None
    """The status line after the last step, and before it."""
    _shown_before: StatusLine | None = None
    _checkpoints: Checkpoints = field(default_factory=Checkpoints)
    """Kept only where the session allows `restore`."""

    async def opening(self, emulator: Emulator, searcher: ValidActionSearcher | None = None) -> StepTaken:
        """Begin the session with a new emulator; returns step 0."""
        self.emulator, self.searcher = emulator, searcher
        if searcher is not None:
            searcher.open()
        return await self._step(0, None, await emulator.opening())

    async def execute(self, action: str) -> StepTaken:
        """Execute one action; returns the step that results."""
        assert self.emulator is not None and self.last is not None
        if self.started.restore:
            return await self._execute_planned(self.emulator, self.last, action)
        action = RESTART if self.last.done else action
        if self.searcher is not None:
            self.searcher.follow(action)
        played = await self.emulator.play(action)
        return await self._step(self.last.step + 1, action, played)

    async def _execute_planned(self, emulator: Emulator, last: StepTaken, action: str) -> StepTaken:
        """The same in a session that allows `restore`."""
        planned = self._checkpoints.planned(action)
        if isinstance(planned.move, Play):
            typed = planned.move.action
            if self.searcher is not None:
                self.searcher.follow(typed)
            return await self._step(last.step + 1, typed, await emulator.play(typed))
        if planned.back_to is not None:
            await emulator.return_to(*self._checkpoints.way_to(planned.back_to))
            if self.searcher is not None:
                self.searcher.lose()
        played = await emulator.stay(planned.move.observation)
        played = replace(played, changed=played.world != last.world, victory=False)
        return await self._step(last.step + 1, action, played)

    async def execute_again(self, recorded: StepTaken) -> StepTaken:
        """Execute a recorded step's action again; returns the step that results now."""
        if recorded_move(recorded) == Play(recorded.action or ""):
            return await self.execute(recorded.action or "")
        assert self.emulator is not None and self.last is not None
        return await self._step(self.last.step + 1, recorded.action, await self.emulator.give_up())

    async def rebuild(
        self, emulator: Emulator, stored: SessionSnapshot | None, steps: Sequence[StepTaken]
    ) -> None:
        """Replay the record in an emulator, from a stored snapshot or from the opening.

        `steps`: the recorded ones, from that of the snapshot (or the opening) on.

        Raises:
            SnapshotRefused: the emulator cannot restore the snapshot.
            RecordDiffers: a replayed step differs from the recorded one.
        """
        first = await emulator.restore(stored.emulator) if stored else await emulator.rewind()
        results = [first, *await self._replay(emulator, steps)]
        for step, result in zip(steps, results, strict=True):
            compare(self.started.taken_in(self.session, step.step), step, result)
        self.emulator, self.last, self._shown = emulator, steps[-1], shown_in(steps[-1])
        self.world_visits = Counter(stored.world_visits if stored else {results[0].world: 1})
        self.outcome = stored.outcome if stored else SessionOutcome().after(0, first.score, first.victory)
        for step, result in zip(steps[1:], results[1:], strict=True):
            self.world_visits[result.world] += 1
            self.outcome = self.outcome.after(step.step, result.score, result.victory)
        self._found = dict(stored.found) if stored else {}
        for step in steps:
            if step.valid_actions is not None:
                self._found.pop(step.world, None)  # the searcher forgets the world visited longest ago first
                self._found[step.world] = step.valid_actions

    async def _replay(self, emulator: Emulator, steps: Sequence[StepTaken]) -> list[MoveReplayed]:
        """Make the moves of all steps but the first, where the emulator is."""
        if not self.started.restore:
            return await emulator.replay([recorded_move(step) for step in steps[1:]])
        self._checkpoints, results = Checkpoints(), list[MoveReplayed]()
        self._checkpoints.note(steps[0], None)
        for step in steps[1:]:
            planned = self._checkpoints.repeated(step)
            if planned.back_to is not None:
                await emulator.return_to(*self._checkpoints.way_to(planned.back_to))
            (result,) = await emulator.replay([planned.move])
            results.append(replace(result, victory=False) if isinstance(planned.move, Stay) else result)
            self._checkpoints.note(step, emulator.fresh_snapshot)
        return results

    async def attach_searcher(self, searcher: ValidActionSearcher) -> None:
        """Bring a searcher to the emulator's position, with the valid actions found so far."""
        self.searcher = searcher
        for world, found in self._found.items():
            searcher.recall(world, found)
        await self._guide(searcher)

    async def _guide(self, searcher: ValidActionSearcher) -> None:
        snapshot = await self.emulator.snapshot() if self.emulator else None
        if snapshot is not None:
            searcher.restore(snapshot)

    def to_snapshot(self) -> SessionSnapshot | None:
        """The session's snapshot at this step; None: the emulator took none at it."""
        snapshot = self.emulator.fresh_snapshot if self.emulator else None
        if snapshot is None or self.last is None:
            return None
        found = dict(self.searcher.found) if self.searcher else {}
        return SessionSnapshot(self.last.step, dict(self.world_visits), self.outcome, found, snapshot)

    def as_published(self, step: StepTaken) -> StepTaken:
        """The step as it is published: in a text-only session, without what its text does not say."""
        if not self.started.text_only:
            return step
        return redacted(step, self._shown, self._shown_before) if self.started.status_line else redacted(step)

    def end_message(self, step: int, reason: EndReason, detail: str = "") -> SessionEnded:
        """The message that ends the session after a step; the outcome is unknown if the game is elsewhere."""
        there = self.last is not None and self.last.step == step
        outcome = self.outcome if there else SessionOutcome()
        return SessionEnded(
            step=step,
            reason=reason,
            detail=detail,
            score=outcome.score,
            best_score=outcome.best_score,
            max_score=self._max_score(),
            victories=outcome.victories,
            score_changes=outcome.score_changes,
        )

    def _max_score(self) -> int | None:
        """Some stories reveal it only while they are played."""
        if self.reported_max_score is not None:
            return self.reported_max_score
        return self.emulator.max_score if self.emulator else self.started.max_score

    async def close(self) -> None:
        """Stop the emulator and the searcher's emulator."""
        self.settled.set()
        emulator, searcher, self.emulator, self.searcher = self.emulator, self.searcher, None, None
        async with AsyncExitStack() as ending:
            if searcher is not None:
                ending.push_async_callback(searcher.close)
            if emulator is not None:
                ending.push_async_callback(emulator.close)

    async def _valid_actions(self, played: protocol.Played) -> ValidActions | None:
        if self.searcher is None or played.done:
            return None
        if self.searcher.out_of_sync:
            await self._guide(self.searcher)
        return await self.searcher.valid(played.world)

    async def _step(self, number: int, action: str | None, played: protocol.Played) -> StepTaken:
        before = self.last
        restarted = before is not None and played.begins
        went_back = self.started.restore and is_restore(action or "")
        step = StepTaken(
            step=number,
            action=action,
            observation=played.observation,
            room=room_in(played),
            inventory=things_in(played.inventory),
            objects=things_in(played.objects),
            score=played.score,
            reward=0 if restarted or went_back else _gained(before, played),
            moves=played.moves,
            world=played.world,
            world_seen=self.world_visits[played.world],
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
        self.world_visits[played.world] += 1
        self._shown_before = None if restarted or went_back else self._shown
        self._shown = played.status_line
        self.reported_max_score = played.max_score
        self.outcome = self.outcome.after(number, played.score, played.victory)
        self.last = step
        if self.started.restore:
            self._checkpoints.note(step, self.emulator.fresh_snapshot if self.emulator else None)
        return step


def room_in(played: protocol.Played) -> Room | None:
    """The room in an answer of the emulator."""
    if played.room_id is None:
        return None
    return Room(id=played.room_id, name=played.room_name or "")


def things_in(things: Sequence[protocol.ObservedObject] | None) -> tuple[Thing, ...] | None:
    """The objects in an answer of the emulator."""
    if things is None:
        return None
    return tuple(
        Thing(id=thing.id, name=thing.name, container=thing.container, words=thing.words) for thing in things
    )


def _gained(before: StepTaken | None, played: protocol.Played) -> int:
    if before is None:
        return 0
    if before.score is None or played.score is None:
        return played.gained
    return played.score - before.score
