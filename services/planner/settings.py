"""Settings of the planner (`LANTERN_PLANNER_...`)."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from mesh.settings import Settings


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
