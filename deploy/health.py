"""Starts containers, and waits until they are healthy; reports why one is not."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any

from deployment import SERVERS, DeployError, Deployment, docker

SERVICES = ("game", "memory", "narrator", "hint", "npc_tracker", "critic", "actor")
OPTIONAL = ("planner", "model", "web")
"""Services that run only where somebody asks for them, each in a profile of its name."""
LONG_RUNNING = (*SERVICES, *SERVERS, *OPTIONAL)
ONE_SHOT = ("volume", "provision")
"""Services that do their work and exit."""
HEALTHY_WITHIN = 240.0
"""Seconds until all must be healthy."""
POLL_INTERVAL, REPORT_INTERVAL = 1.0, 10.0
"""Seconds between two inspections, and between two progress reports."""
ERROR_PREFIXES = ("lantern: ", "deploy: ", "nats-server: ")
"""The start of a log line about an error that only the user can correct."""


@dataclass(frozen=True)
class Container:
    """A container, as docker inspects it."""

    id: str
    service: str
    state: dict[str, Any]

    @property
    def health(self) -> str:
        """The status of its health check."""
        return str(self.state.get("Health", {}).get("Status"))

    @property
    def is_healthy(self) -> bool:
        """Whether its health check succeeds."""
        return self.health == "healthy"

    def last_line(self) -> str:
        """The last line of its log since it was started."""
        log = subprocess.run(
            ["docker", "logs", "--since", self.state["StartedAt"], "--tail", "1", self.id],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return log.stdout.strip()


def start(mesh: Deployment, *arguments: str) -> None:
    """Run docker compose; if a container makes it fail, raise the last line of that container's log."""
    try:
        mesh.compose(*arguments)
    except DeployError:
        for container in _containers(mesh):
            has_failed = container.service in ONE_SHOT and container.state["ExitCode"] != 0
            if (has_failed or container.state["Restarting"]) and container.last_line():
                raise DeployError(f"{container.service}: {container.last_line()}") from None
        raise


def wait_until_healthy(mesh: Deployment, *services: str) -> None:
    """Wait for all containers, or those of these services.

    Raises:
        DeployError: one is not healthy in time, or reports an error that the user must correct.
    """
    started = reported = time.monotonic()
    print("Waiting until all are healthy ...", file=sys.stderr, flush=True)
    while unhealthy := [one for one in _containers(mesh, *(services or LONG_RUNNING)) if not one.is_healthy]:
        if (now := time.monotonic()) - reported > REPORT_INTERVAL:
            reported = now
            names = ", ".join(container.service for container in unhealthy)
            print(f"  {now - started:.0f} s: not yet {names}", file=sys.stderr, flush=True)
            _check(unhealthy, is_late=now - started > HEALTHY_WITHIN)
        time.sleep(POLL_INTERVAL)


def _check(unhealthy: list[Container], is_late: bool) -> None:
    for container in unhealthy:
        line = container.last_line()
        if is_late or line.startswith(ERROR_PREFIXES):
            raise DeployError(f"{container.service} is not healthy: {line or 'its log is empty'}")


def restart_unhealthy(mesh: Deployment) -> None:
    """Restart containers that wait for a correction by the user (`lantern serve --hold`)."""
    for container in _containers(mesh, *LONG_RUNNING):
        if container.health == "unhealthy":
            docker("restart", container.id)


def _containers(mesh: Deployment, *services: str) -> list[Container]:
    wanted = {
        each: service for each, service in mesh.containers().items() if not services or service in services
    }
    if not wanted:
        return []
    inspected = json.loads(docker("inspect", *wanted))
    return [Container(each["Id"], wanted[each["Id"]], each["State"]) for each in inspected]
