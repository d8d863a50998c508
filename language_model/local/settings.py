"""Settings of a local model (`LANTERN_LOCAL_...`)."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from mesh.settings import Settings, from_environment

PREFIX = "LANTERN_LOCAL_"


class LocalSettings(Settings):
    """How llama.cpp runs."""

    model_config = SettingsConfigDict(env_prefix=PREFIX)

    threads: int = Field(1, ge=1, le=256, description="More are slower if other processes need the cores.")
    context: int = Field(
        8192,
        ge=512,
        le=1_048_576,
        description="The size of the context in tokens, for all concurrent requests together.",
    )
    start_within: float = Field(120.0, gt=0, le=3600, description="Seconds for the model to be loaded.")


def local_settings() -> LocalSettings:
    """The settings from the environment.

    Raises:
        InputError: a variable has an invalid value.
    """
    return from_environment(LocalSettings)
