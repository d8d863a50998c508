"""What is asked of a deployment becomes its settings, and is refused before anything is changed."""

from __future__ import annotations

import argparse
import os
import socket
from pathlib import Path

from deployment import HERE, DeployError, Deployment, docker

LOCAL_MODEL = "SmolLM2-135M-Instruct.Q4_1"
"""What the image of the local model has."""
SINGLE = "compose.yaml"
CLUSTER = "compose.yaml compose.cluster.yaml"
OPEN = 0o005
"""What others may do with a directory into which a container's user looks."""


def settings_of(mesh: Deployment, asked: argparse.Namespace) -> dict[str, str]:
    """All settings: what is asked, else what was, else the usual.

    Raises:
        Refused: it cannot be had.
    """
    project = asked.project or mesh.settings.get("COMPOSE_PROJECT_NAME", "lantern")
    usual = {
        "LANTERN_STORIES": str(HERE.parent / "games"),
        "LANTERN_PORT": "4222",
        "LANTERN_CELL": "main",
        "LANTERN_CELLS": "main",
        "LANTERN_IMAGE": "lantern",
        "LANTERN_FILES": SINGLE,
        "LANTERN_NETWORK": f"{project}_mesh",
        "LANTERN_SECRETS": str(mesh.directory / "secrets"),
        "COMPOSE_PROJECT_NAME": project,
    }
    given = {
        "LANTERN_STORIES": asked.stories and str(asked.stories.expanduser().resolve()),
        "LANTERN_PORT": asked.port,
        "LANTERN_IMAGE": asked.image,
        "LANTERN_FILES": CLUSTER if asked.cluster else None,
    }
    given = {name: value for name, value in given.items() if value}
    wanted = {**usual, **mesh.settings, **given, **_model(asked.model)}
    _see_the_stories(Path(wanted["LANTERN_STORIES"]))
    _see_that_sessions_stay(mesh, wanted)
    _see_that_the_port_is_free(wanted["LANTERN_PORT"], project)
    return wanted


def with_key() -> str:
    """The key of Claude's, from the environment."""
    if key := os.environ.get("ANTHROPIC_API_KEY"):
        return key
    raise DeployError("ASK=claude needs a key. Put it into the environment as ANTHROPIC_API_KEY.")


def _model(wanted: str | None) -> dict[str, str]:
    """The settings of who asks a language model; none: as it was."""
    if wanted is None:
        return {}
    local = wanted == "local"
    if not local:
        with_key()
    return {
        "ANTHROPIC_BASE_URL": "http://model:8080" if local else "https://api.anthropic.com",
        "ANTHROPIC_API_KEY_FILE": "/run/secrets/anthropic",
        "LANTERN_MODEL_NAME": LOCAL_MODEL if local else "",
        "LANTERN_MODEL_DEADLINE": "60" if local else "",
        "COMPOSE_PROFILES": "model" if local else "",
    }


def _see_the_stories(directory: Path) -> None:
    if not directory.is_dir():
        raise DeployError(
            f"There is no directory of stories at {directory}. Give one: make deploy STORIES=directory"
        )
    if directory.stat().st_mode & OPEN != OPEN:
        raise DeployError(f"Containers cannot look into {directory}. Open it: chmod o+rx {directory}")


def _see_that_sessions_stay(mesh: Deployment, wanted: dict[str, str]) -> None:
    """A cluster deletes what one server has kept alone, and one alone does not know what a cluster kept."""
    if mesh.settings.get("LANTERN_FILES", wanted["LANTERN_FILES"]) == wanted["LANTERN_FILES"]:
        return
    if f"{wanted['COMPOSE_PROJECT_NAME']}_sessions" in docker("volume", "ls", "-q").split():
        raise DeployError(
            "Three NATS servers cannot take over the sessions of one. Export what you want to keep (lantern "
            "sessions export), forget the rest (make deploy-down FORGET=1), and deploy again."
        )


def _see_that_the_port_is_free(port: str, project: str) -> None:
    """Free, or held by our own NATS."""
    ours = f"label=com.docker.compose.project={project}"
    if f"127.0.0.1:{port}->4222" in docker("ps", "--filter", ours, "--format", "{{.Ports}}"):
        return
    with socket.socket() as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind(("127.0.0.1", int(port)))
        except (OSError, ValueError, OverflowError) as error:
            raise DeployError(
                f"Port {port} cannot be used ({error}). Give another: make deploy PORT=4333"
            ) from None
