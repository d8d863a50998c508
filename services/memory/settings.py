"""Settings of the memory (`LANTERN_MEMORY_...`)."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from mesh.settings import from_environment


class Library(StrEnum):
    """What a graph is kept with: Kuzu, or Ladybug, which continues its code."""

    KUZU = "kuzu"
    LADYBUG = "ladybug"


class MemorySettings(BaseSettings):
    """How the history is kept. Durations are in seconds."""

    model_config = SettingsConfigDict(env_prefix="LANTERN_MEMORY_", frozen=True)

    store: Library = Field(Library.KUZU, description="Ladybug must be installed: pip install ladybug.")
    buffer_megabytes: int = Field(
        64, ge=32, le=4096, description="Of one open file; the library's default takes most of the machine."
    )
    open_files: int = Field(
        3, ge=1, le=64, description="Files open at once, about 45 MB each; the others wait closed."
    )
    pause: float = Field(1.0, gt=0, le=60, description="How long a step waits for others to be written with.")
    mend_after: float = Field(
        30.0, gt=0, le=3600, description="The pause before a history that failed is built anew."
    )


def settings_found() -> MemorySettings:
    """The settings from the environment.

    Raises:
        InputError: a variable has a value that cannot be.
    """
    return from_environment(MemorySettings)
