"""Settings of the actor (`LANTERN_ACTOR_...`)."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class ActorSettings(BaseSettings):
    """Durations are in seconds."""

    model_config = SettingsConfigDict(env_prefix="LANTERN_ACTOR_", frozen=True)

    deadline: float = Field(2.0, gt=0, le=600, description="How long a step may wait for fragments.")
    patience: int = Field(
        3, ge=1, description="Deadlines in a row that a service may miss before it is not waited for."
    )
