"""Settings of the planner (`LANTERN_PLANNER_...`)."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from mesh.settings import Settings
from schemas.game import SessionStarted


class PlannerSettings(Settings):
    """How far the planner looks, and how long a step may wait for it."""

    model_config = SettingsConfigDict(env_prefix="LANTERN_PLANNER_")

    probes: int = Field(500, ge=10, le=1_000_000, description="Actions that may be tried from one position.")
    patience: float = Field(
        1.0,
        ge=0,
        le=600,
        description="Seconds that a step may wait for them; what comes later is told with a later step.",
    )
    model_patience: float = Field(
        5.0, ge=0, le=600, description="The same in a session that asks a language model."
    )

    def patience_in(self, started: SessionStarted) -> float:
        """How long a step of this session may wait, in seconds."""
        return self.model_patience if started.asks_models else self.patience
