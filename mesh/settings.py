"""Settings of the mesh, read once at the door from the environment (`LANTERN_...`, `NATS_URL`)."""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


def default_home() -> Path:
    """The XDG data directory of Lantern."""
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "lantern"


class MeshSettings(BaseSettings):
    """Where the mesh is, and the time limits all services share. Durations are in seconds."""

    model_config = SettingsConfigDict(env_prefix="LANTERN_", frozen=True)

    home: Path = Field(default_factory=default_home, description="Sessions, views and logs live here.")
    nats_url: str | None = Field(None, validation_alias="NATS_URL", description="None: an embedded server.")
    heartbeat: float = Field(1.0, gt=0, le=60)
    dead_after: float = Field(3.0, gt=0, le=600, description="A service silent for longer is not waited for.")
    ack_wait: float = Field(
        3.0, gt=1, description="A message of which nothing is heard for so long is delivered again."
    )
    outage: float = Field(
        30.0, ge=0, description="How long a command waits for a NATS server of yours that has gone away."
    )
    retry_delays: tuple[float, ...] = Field(
        (0.1, 0.5, 2.0, 5.0), description="Pauses before each redelivery; then a dead letter."
    )
    drain: float = Field(10.0, gt=0, description="How long a stopping service may finish its work.")
    metrics_port: int | None = Field(
        None,
        ge=0,
        le=65535,
        description="Where /metrics and /healthz are served; 0: a free port; None: nowhere.",
    )
    metrics_address: str = Field("127.0.0.1", description="The address that they are served at.")

    @property
    def patience(self) -> float:
        """Seconds that a command waits for its server; an embedded one that is gone will not come back."""
        return self.outage if self.nats_url else 0.0
