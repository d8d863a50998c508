"""One session's game: its emulator, and where it is in the record."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from mesh.errors import FailureError
from schemas.game import RESTART, Room, SessionStarted, Sources, StepTaken, TextKind, Thing, ValidActions
from services.game.emulator import protocol
from services.game.emulator.client import Emulator


class RecordDiffers(FailureError):
    """Playing the recorded actions again led to another world than the recorded one."""


@dataclass(slots=True)
class Playing:
    """What the game service holds of one session; `last` is the last step that the emulator stands at."""

    started: SessionStarted
    emulator: Emulator | None = None
    last: StepTaken | None = None
    seen: Counter[str] = field(default_factory=Counter)
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
        actions = [step.action for step in steps if step.action is not None]
        played = await emulator.replay(actions)
        if steps and played.world != steps[-1].world:
            raise RecordDiffers(
                f"Step {steps[-1].step} cannot be reached by replaying the record: the world differs. "
                "Was the session recorded with another version of the emulator?"
            )
        self.emulator, self.last = emulator, steps[-1]
        self.seen = Counter(step.world for step in steps if step.world)

    async def close(self) -> None:
        """Stop the emulator."""
        if self.emulator is not None:
            await self.emulator.close()
            self.emulator = None

    def _step(self, number: int, action: str | None, played: protocol.Played) -> StepTaken:
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
            valid_actions=valid_in(played),
            done=played.done,
            victory=played.victory,
            text_kind=TextKind(played.kind),
            sources=Sources.model_validate(asdict(played.sources)),
            episode=(before.episode if before else 1) + restarted,
        )
        self.seen[step.world] += 1
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
    if before is None:
        return 0
    if before.score is None or played.score is None:
        return played.gained
    return played.score - before.score
