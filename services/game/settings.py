"""Settings of the game service (`LANTERN_GAME_...`)."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class GameSettings(BaseSettings):
    """Durations are in seconds."""

    model_config = SettingsConfigDict(env_prefix="LANTERN_GAME_", frozen=True)

    verdict_deadline: float = Field(
        2.0, gt=0, le=600, description="A proposal without a verdict for so long is approved by the game."
    )
    watchdog: float = Field(
        5.0, gt=0, le=600, description="An emulator that does not answer for so long is restarted."
    )
    snapshot_every: int = Field(100, ge=1, description="Steps between two snapshots of a session.")
    search_seconds: float = Field(
        0.1, gt=0, le=600, description="How long a step may wait for its valid actions."
    )
    search_candidates: int = Field(
        200,
        ge=1,
        description="Actions tried at each visit of a world (in a large story half of them). Where this ends "
        "the search, not the time, two plays of one seed are alike.",
    )
    spares: int = Field(0, ge=0, le=16, description="Emulators that wait, started, for the next session.")
