"""What the game service keeps of a session at some steps, lest a resume start from the opening."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from services.game.emulator.snapshot import SnapshotRefused
from services.game.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Kept:
    """A session at a step."""

    step: int
    seen: Mapping[str, int]
    """How often each world has been met."""
    outcome: Outcome
    emulator: str
    """The emulator's own snapshot."""


def packed(kept: Kept) -> bytes:
    """As bytes: JSON, compressed."""
    told = asdict(kept)
    return zlib.compress(json.dumps(told, separators=(",", ":")).encode(), 1)


def unpacked(data: bytes) -> Kept:
    """What `packed` made bytes of.

    Raises:
        SnapshotRefused: it did not make these.
    """
    try:
        told = json.loads(zlib.decompress(data))
        seen = {str(world): int(times) for world, times in told["seen"].items()}
        return Kept(int(told["step"]), seen, Outcome(**told["outcome"]), str(told["emulator"]))
    except (ValueError, KeyError, TypeError, AttributeError, zlib.error) as error:
        raise SnapshotRefused(f"it is none ({error})") from error
