"""The images of a deployment; what their builder says is told only if it fails."""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from deployment import DeployError, Deployment

FIRST, FURTHER = "critic", ("narrator", "game", "memory")
"""A service for each image; the first one's is part of the others'."""


def build(mesh: Deployment) -> None:
    """Build all images that the settings want.

    Raises:
        Refused: one cannot be built; what the builder said has been printed.
    """
    further = (*FURTHER, *mesh.settings.get("COMPOSE_PROFILES", "").split())
    print(f"Building {1 + len(further)} images (minutes, the first time) ...", file=sys.stderr, flush=True)
    _build(mesh, FIRST)
    with ThreadPoolExecutor() as at_once:
        list(at_once.map(lambda service: _build(mesh, service), further))


def _build(mesh: Deployment, service: str) -> None:
    began, command = time.monotonic(), [*mesh.command(), "build", service]
    built = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False
    )
    if built.returncode != 0:
        print(built.stdout, file=sys.stderr)
        raise DeployError(f"The image of {service} cannot be built: see above.")
    print(f"  {service}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
