"""Settings of the memory (`LANTERN_MEMORY_...`)."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from mesh.settings import Settings, from_environment
from services.memory.graph.graph_files import GraphLibrary


class MemorySettings(Settings):
    """How the graph files are opened."""

    model_config = SettingsConfigDict(env_prefix="LANTERN_MEMORY_")

    store: GraphLibrary = Field(GraphLibrary.KUZU, description="ladybug: `pip install ladybug` first.")
    buffer_megabytes: int = Field(
        64,
        ge=32,
        le=4096,
        description="Of one open file; by the library's default, most of the memory.",
    )
    open_files: int = Field(3, ge=1, le=64, description="Files open at the same time, about 45 MB each.")


def memory_settings() -> MemorySettings:
    """The settings from the environment.

    Raises:
        InputError: a variable has a value that cannot be.
    """
    return from_environment(MemorySettings)
