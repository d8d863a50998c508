"""What the game service keeps of a session at some steps, lest a resume start from the opening."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from schemas.game import ValidActions
from services.game.emulator.snapshot import SnapshotRefused
from services.game.session.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Kept:
    """A session at a step."""

    step: int
    seen: Mapping[str, int]
    """How often each world has been met."""
    outcome: Outcome
    found: Mapping[str, ValidActions]
    """The valid actions found in each world."""
    emulator: str
    """The emulator's own snapshot."""


def packed(kept: Kept) -> bytes:
    """As bytes: JSON, compressed."""
    told = {
        "step": kept.step,
        "seen": kept.seen,
        "outcome": asdict(kept.outcome),
        "found": {world: found.model_dump() for world, found in kept.found.items()},
        "emulator": kept.emulator,
    }
    return zlib.compress(json.dumps(told, separators=(",", ":")).encode(), 1)


def unpacked(data: bytes) -> Kept:
    """What `packed` made bytes of.

    Raises:
        SnapshotRefused: it did not make these.
    """
    try:
        told = json.loads(zlib.decompress(data))
        seen = {str(world): int(times) for world, times in told["seen"].items()}
        return Kept(
            step=int(told["step"]),
            seen=seen,
            outcome=Outcome(**told["outcome"]),
            found={world: ValidActions.model_validate(found) for world, found in told["found"].items()},
            emulator=str(told["emulator"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError, zlib.error) as error:
        raise SnapshotRefused(f"it is none ({error})") from error
