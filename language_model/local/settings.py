"""Settings of a local model (`LANTERN_LOCAL_...`)."""

from __future__ import annotations

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from mesh.errors import InputError

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
    try:
        return LocalSettings()
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        name = PREFIX + "_".join(map(str, fault["loc"])).upper()
        raise InputError(
            f"The environment variable {name} cannot be used: {fault['msg']}. Correct or unset it."
        ) from error
