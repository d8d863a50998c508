"""Settings of the game service (`LANTERN_GAME_...`)."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from mesh.settings import Settings


class GameSettings(Settings):
    """Durations are in seconds."""

    model_config = SettingsConfigDict(env_prefix="LANTERN_GAME_")

    verdict_deadline: float = Field(
        2.0, gt=0, le=600, description="A proposal without a verdict for so long is approved by the game."
    )
    watchdog: float = Field(
        5.0, gt=0, le=600, description="An emulator that does not answer for so long is restarted."
    )
    snapshot_every: int = Field(
        100, ge=1, le=1_000_000, description="Steps between two snapshots of a session."
    )
    search_candidates: int = Field(
        300,
        ge=1,
        le=100_000,
        description="Actions tried at each visit of a world to find valid ones; four times as many in a "
        "story of versions 1 to 3, fewer in one of 192 KiB or more.",
    )
    search_seconds: float = Field(
        1.0,
        gt=0,
        le=600,
        description="A search for valid actions that takes more processor time is cut short; the "
        "step says so, for on another machine it may find more.",
    )
    spares: int = Field(0, ge=0, le=16, description="Emulators that wait, started, for the next session.")
