"""Starting containers, waiting until they are well, and telling what ails one that is not."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any

from deployment import SERVERS, DeployError, Deployment, docker

SERVICES = ("game", "memory", "narrator", "hint", "npc_tracker", "critic", "actor")
LASTING = (*SERVICES, *SERVERS, "model")
ONCE = ("volume", "provision")
"""They do their work and end."""
WELL_WITHIN = 240.0
"""Seconds in which all must have become well."""
LOOK, TELL = 1.0, 10.0
"""Seconds between two looks at them, and between two words about them."""
COMPLAINTS = ("lantern: ", "deploy: ", "nats-server: ")
"""How a line begins with which a container says what only its user can mend."""


@dataclass(frozen=True)
class Container:
    """A container as the engine tells of it."""

    id: str
    service: str
    state: dict[str, Any]

    @property
    def health(self) -> str:
        """The engine's word for it."""
        return str(self.state.get("Health", {}).get("Status"))

    @property
    def is_well(self) -> bool:
        """As its health check says."""
        return self.health == "healthy"

    def last_word(self) -> str:
        """The last line that it has written since it was started."""
        told = subprocess.run(
            ["docker", "logs", "--since", self.state["StartedAt"], "--tail", "1", self.id],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return told.stdout.strip()


def start(mesh: Deployment, *arguments: str) -> None:
    """Run docker compose; where a container is why it fails, say what that said."""
    try:
        mesh.compose(*arguments)
    except DeployError:
        for one in _containers(mesh):
            ended_badly = one.service in ONCE and one.state["ExitCode"] != 0
            if (ended_badly or one.state["Restarting"]) and one.last_word():
                raise DeployError(f"{one.service}: {one.last_word()}") from None
        raise


def wait_until_well(mesh: Deployment, *services: str) -> None:
    """Wait for all containers, or those of these services.

    Raises:
        Refused: one is not well in time, or says what is to be mended first.
    """
    began = told = time.monotonic()
    print("Waiting until all are well ...", file=sys.stderr, flush=True)
    while ill := [one for one in _containers(mesh, *(services or LASTING)) if not one.is_well]:
        if (now := time.monotonic()) - told > TELL:
            told = now
            names = ", ".join(one.service for one in ill)
            print(f"  {now - began:.0f} s: not yet {names}", file=sys.stderr, flush=True)
            for one in ill:
                word = one.last_word()
                if now - began > WELL_WITHIN or word.startswith(COMPLAINTS):
                    raise DeployError(f"{one.service} is not well: {word or 'it says nothing'}")
        time.sleep(LOOK)


def start_the_held_again(mesh: Deployment) -> None:
    """Those that waited for what only the user could mend look whether it is mended."""
    for one in _containers(mesh, *LASTING):
        if one.health == "unhealthy":
            docker("restart", one.id)


def _containers(mesh: Deployment, *services: str) -> list[Container]:
    wanted = {
        found: service for found, service in mesh.containers().items() if not services or service in services
    }
    if not wanted:
        return []
    found = json.loads(docker("inspect", *wanted))
    return [Container(each["Id"], wanted[each["Id"]], each["State"]) for each in found]
