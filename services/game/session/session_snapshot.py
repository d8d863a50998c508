"""A session at some steps, stored as a snapshot so that a resume need not start from the opening."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import TypeAdapter

from schemas.game import ValidActions
from services.game.emulator.protocol import SnapshotRefused
from services.game.session.outcome import SessionOutcome


@dataclass(frozen=True, slots=True)
class SessionSnapshot:
    """A session at a step."""

    step: int
    world_visits: Mapping[str, int]
    """How often each world has been met."""
    outcome: SessionOutcome
    found: Mapping[str, ValidActions]
    """The valid actions found in each world."""
    emulator: str
    """The emulator's own snapshot."""


_JSON = TypeAdapter(SessionSnapshot)


def packed(snapshot: SessionSnapshot) -> bytes:
    """The snapshot as compressed JSON."""
    return zlib.compress(_JSON.dump_json(snapshot), 1)


def unpacked(data: bytes) -> SessionSnapshot:
    """The snapshot in bytes that `packed` made.

    Raises:
        SnapshotRefused: the bytes hold no such snapshot.
    """
    try:
        return _JSON.validate_json(zlib.decompress(data))
    except (ValueError, zlib.error) as error:
        raise SnapshotRefused(f"its bytes are not a session's snapshot ({error})") from error
