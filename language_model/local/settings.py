"""Settings of a local model (`LANTERN_LOCAL_...`)."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from mesh.settings import from_environment

PREFIX = "LANTERN_LOCAL_"


class LocalSettings(BaseSettings):
    """How llama.cpp runs."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True)

    threads: int = Field(1, ge=1, le=256, description="More are slower where other processes want them too.")
    context: int = Field(
        8192,
        ge=512,
        le=1_048_576,
        description="Tokens that are seen at once, of all that is asked at a time.",
    )
    start_within: float = Field(120.0, gt=0, description="Seconds for the model to be loaded.")


def local_settings() -> LocalSettings:
    """The settings from the environment.

    Raises:
        InputError: a variable has a value that cannot be.
    """
    return from_environment(LocalSettings)
