"""Settings of the actor (`LANTERN_ACTOR_...`)."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from mesh.settings import Settings
from schemas.game import SessionStarted


class ActorSettings(Settings):
    """Durations are in seconds."""

    model_config = SettingsConfigDict(env_prefix="LANTERN_ACTOR_")

    deadline: float = Field(2.0, gt=0, le=600, description="How long a step may wait for fragments.")
    model_deadline: float = Field(
        10.0, gt=0, le=600, description="The same in a session whose sub-agents ask a language model."
    )
    thinking: float = Field(
        60.0, gt=0, le=600, description="How long a model may think about a step before the rules decide."
    )
    agent_timeout: float = Field(
        60.0, gt=0, le=86_400, description="How long an agent from outside may take for an action."
    )
    patience: int = Field(
        3,
        ge=1,
        le=1000,
        description="Deadlines in a row that a service may miss before it is not waited for.",
    )

    def deadline_in(self, started: SessionStarted) -> float:
        """How long a step of this session may wait for fragments, in seconds."""
        usual = self.model_deadline if started.asks_models else self.deadline
        return started.deadlines.fragments or usual

    def thinking_in(self, started: SessionStarted) -> float:
        """How long a model may think about a step of this session, in seconds."""
        return started.deadlines.thinking or self.thinking
