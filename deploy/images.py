"""Builds the images of a deployment; prints the output of docker only if a build fails."""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from deployment import DeployError, Deployment

FIRST, OTHERS = "critic", ("narrator", "game", "memory")
"""A service for each image; the others' images build on layers of the first."""


def build(mesh: Deployment) -> None:
    """Build all images that the settings need.

    Raises:
        DeployError: one cannot be built; the output of docker was printed.
    """
    others = (*OTHERS, *filter(None, mesh.settings.get("COMPOSE_PROFILES", "").split(",")))
    print(f"Building {1 + len(others)} images (minutes, the first time) ...", file=sys.stderr, flush=True)
    _build(mesh, FIRST)
    with ThreadPoolExecutor() as executor:
        list(executor.map(lambda service: _build(mesh, service), others))


def _build(mesh: Deployment, service: str) -> None:
    started, command = time.monotonic(), [*mesh.command(), "build", service]
    build = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False
    )
    if build.returncode != 0:
        print(build.stdout, file=sys.stderr)
        raise DeployError(f"The image of {service} cannot be built: see above.")
    print(f"  {service}: {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
