"""Whether a replayed step is the recorded one."""

from __future__ import annotations

from hashlib import blake2b

from mesh.errors import FailureError
from schemas.game import StepTaken
from services.game.emulator.protocol import MoveReplayed


class RecordDiffers(FailureError):
    """A recorded action had another result when it was replayed."""

    def __init__(self, step: int, what: str) -> None:
        self.step = step
        super().__init__(
            f"Step {step} differs when it is replayed: its {what} is not the recorded one. "
            "Was the record changed, or made with another version of the emulator?"
        )


def step_digest(session: str, step: int, world: str, observation: str) -> str:
    """A digest of a step, 16 hexadecimal digits, which must be the same when the step is replayed.

    It includes the step's number, so it never repeats and reveals nothing about the world.
    """
    parts = "\0".join((session, str(step), world, observation))
    return blake2b(parts.encode(), digest_size=8).hexdigest()


def compare(session: str, step: StepTaken, result: MoveReplayed) -> None:
    """Compare a replayed step with its record; an empty field was not recorded.

    Raises:
        RecordDiffers: they differ.
    """
    if step.observation != result.observation:
        raise RecordDiffers(step.step, "observation")
    if step.world and step.world != result.world:
        raise RecordDiffers(step.step, "world")
    if step.digest and step.digest != step_digest(session, step.step, result.world, result.observation):
        raise RecordDiffers(step.step, "digest")
