"""Settings of the mesh, read once at the start from the environment (`LANTERN_...`, `NATS_URL`)."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from mesh.errors import InputError
from mesh.file_reading import SECRET_SIZE, read_limited_text
from mesh.nats.connection import with_login

S = TypeVar("S", bound="Settings")

FILE_LINES: dict[str, str] = {}
"""Where the configuration file has the variables that came from it: their file and line, for errors."""


class Settings(BaseSettings):
    """The base of all settings: read from the environment, where an empty variable counts as not set."""

    model_config = SettingsConfigDict(frozen=True, allow_inf_nan=False, env_ignore_empty=True)

    @classmethod
    def variable(cls, field: str) -> str:
        """The environment variable of a field."""
        alias = cls.model_fields[field].validation_alias
        return str(alias) if alias else f"{cls.model_config.get('env_prefix', '')}{field}".upper()


def from_environment(kind: type[S]) -> S:
    """Read settings of a kind from the environment. The error does not show the value: it may be a key.

    Raises:
        InputError: a variable has an invalid value.
    """
    try:
        return kind()
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        raise _refused(kind, str(fault["loc"][0]), fault["msg"].removeprefix("Value error, ")) from None
    except SettingsError as error:
        [named] = FIELD_IN_ERROR.findall(str(error)) or [""]
        raise _refused(kind, named, "it is not JSON, such as [0.1, 0.5]") from None


def _refused(kind: type[Settings], named: str, why: str) -> InputError:
    """`named`: the field, or its alias."""
    variable = kind.variable(named) if named in kind.model_fields else named
    place = FILE_LINES.get(variable)
    what = f"{place}: the setting" if place else "The environment variable"
    return InputError(
        f"{what} {variable} cannot be used: {why}. Correct or {'remove' if place else 'unset'} it."
    )


def default_home() -> Path:
    """The XDG data directory of Lantern."""
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "lantern"


FIELD_IN_ERROR = re.compile('field "([^"]*)"')

Delay = Annotated[float, Field(ge=0, le=600)]


class MeshSettings(Settings):
    """The address of the NATS server, and the time limits of all services. Durations are in seconds."""

    model_config = SettingsConfigDict(env_prefix="LANTERN_")

    home: Path = Field(default_factory=default_home, description="Sessions, views and logs live here.")
    nats_url: str | None = Field(
        None, validation_alias="NATS_URL", description="Your NATS server; else an embedded one."
    )
    nats_user: str | None = Field(None, description="The user to log in as, where the address names none.")
    nats_password: SecretStr | None = Field(None, description="The password of LANTERN_NATS_USER.")
    nats_password_file: Path | None = Field(None, description="A file that holds the password alone.")
    heartbeat: float = Field(1.0, gt=0, le=60, description="The pause between two signs of life.")
    dead_after: float = Field(3.0, gt=0, le=600, description="A service silent for longer is not live.")
    ack_wait: float = Field(
        1.0,
        ge=0.5,
        le=600,
        description="The server redelivers a message that is not acknowledged for so long.",
    )
    outage: float = Field(
        30.0, ge=0, le=86_400, description="How long a command waits for your NATS server to come back."
    )
    retry_delays: tuple[Delay, ...] = Field(
        (0.1, 0.5, 2.0, 5.0),
        max_length=10_000,
        description="Pauses before each redelivery; then a dead letter.",
    )
    state_every: int = Field(
        1000,
        ge=5,
        le=1_000_000,
        description="Steps after which a service stores its state, so that a resume is quick.",
    )
    drain: float = Field(10.0, gt=0, le=3600, description="How long a stopping service may finish its work.")
    metrics_port: int | None = Field(
        None,
        ge=0,
        le=65535,
        description="The port of /metrics and /healthz; 0: a free port; None: they are not served.",
    )
    metrics_address: str = Field("127.0.0.1", description="The address of /metrics and /healthz.")
    web_token: SecretStr | None = Field(
        None,
        description="What a browser must know to open the page of `lantern web`; None: nothing on this "
        "machine, a made-up one elsewhere.",
    )
    web_token_file: Path | None = Field(None, description="A file that holds LANTERN_WEB_TOKEN alone.")

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
        return _secret_in(self.nats_password_file, "password", "LANTERN_NATS_PASSWORD_FILE")

    def page_token(self) -> str:
        """What a browser must know to open the page; empty: nothing is set.

        Raises:
            InputError: the file that holds it cannot be read, or is empty.
        """
        if self.web_token is not None:
            return self.web_token.get_secret_value()
        if self.web_token_file is None:
            return ""
        token = _secret_in(self.web_token_file, "token", "LANTERN_WEB_TOKEN_FILE")
        if not token:
            raise InputError(f"The file {self.web_token_file} is empty. Correct LANTERN_WEB_TOKEN_FILE.")
        return token


def _secret_in(file: Path, what: str, variable: str) -> str:
    try:
        return read_limited_text(file, SECRET_SIZE).strip()
    except OSError as error:
        raise InputError(
            f"Cannot read the {what} in {file} ({error.strerror}). Correct {variable}."
        ) from error
