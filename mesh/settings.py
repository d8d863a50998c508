"""Settings of the mesh, read once at the start from the environment (`LANTERN_...`, `NATS_URL`)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypeVar

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from mesh.errors import InputError
from mesh.nats.connection import with_login

S = TypeVar("S", bound=BaseSettings)


def from_environment(kind: type[S]) -> S:
    """Read settings of a kind from the environment. The error does not show the value: it may be a key.

    Raises:
        InputError: a variable has an invalid value.
    """
    try:
        return kind()
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        named = "_".join(map(str, fault["loc"]))
        variable = named if named.isupper() else f"{kind.model_config.get('env_prefix', '')}{named.upper()}"
        raise InputError(
            f"The environment variable {variable} cannot be used: {fault['msg']}. Correct or unset it."
        ) from None


def default_home() -> Path:
    """The XDG data directory of Lantern."""
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "lantern"


class MeshSettings(BaseSettings):
    """The address of the NATS server, and the time limits of all services. Durations are in seconds."""

    model_config = SettingsConfigDict(env_prefix="LANTERN_", frozen=True)

    home: Path = Field(default_factory=default_home, description="Sessions, views and logs live here.")
    nats_url: str | None = Field(None, validation_alias="NATS_URL", description="None: an embedded server.")
    nats_user: str | None = Field(None, description="The user to log in as, where the address names none.")
    nats_password: SecretStr | None = None
    nats_password_file: Path | None = Field(None, description="A file that holds the password alone.")
    heartbeat: float = Field(1.0, gt=0, le=60)
    dead_after: float = Field(3.0, gt=0, le=600, description="A service silent for longer is not live.")
    ack_wait: float = Field(
        1.0,
        ge=0.5,
        description="The server redelivers a message that is not acknowledged for so long.",
    )
    outage: float = Field(
        30.0, ge=0, description="How long a command waits for your NATS server to come back."
    )
    retry_delays: tuple[float, ...] = Field(
        (0.1, 0.5, 2.0, 5.0), description="Pauses before each redelivery; then a dead letter."
    )
    drain: float = Field(10.0, gt=0, description="How long a stopping service may finish its work.")
    metrics_port: int | None = Field(
        None,
        ge=0,
        le=65535,
        description="The port of /metrics and /healthz; 0: a free port; None: they are not served.",
    )
    metrics_address: str = Field("127.0.0.1", description="The address of /metrics and /healthz.")

    @property
    def patience(self) -> float:
        """Seconds that a command waits for its server; 0 for an embedded one, which does not come back."""
        return self.outage if self.nats_url else 0.0

    def server(self) -> str | None:
        """The address of the configured server, with the login; None: no server is configured.

        Raises:
            InputError: the user is set without a server or a password.
        """
        if self.nats_user is None:
            return self.nats_url
        if self.nats_url is None:
            raise InputError(
                "LANTERN_NATS_USER names a user of a NATS server, but no server is set. Set NATS_URL too."
            )
        return with_login(self.nats_url, self.nats_user, self._password())

    def _password(self) -> str:
        if self.nats_password is not None:
            return self.nats_password.get_secret_value()
        if self.nats_password_file is None:
            raise InputError(
                "LANTERN_NATS_USER is set without a password. "
                "Set LANTERN_NATS_PASSWORD_FILE (or LANTERN_NATS_PASSWORD) too."
            )
        try:
            return self.nats_password_file.read_text().strip()
        except (OSError, UnicodeDecodeError) as error:
            why = (error.strerror or str(error)) if isinstance(error, OSError) else "it is not a text file"
            raise InputError(
                f"Cannot read the password in {self.nats_password_file} ({why}). "
                "Correct LANTERN_NATS_PASSWORD_FILE."
            ) from error
