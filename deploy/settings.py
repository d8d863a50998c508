"""Turns the options of a deployment into its settings, and refuses them before anything is changed."""

from __future__ import annotations

import argparse
import os
import socket
from pathlib import Path

from deployment import HERE, DeployError, Deployment, docker

LOCAL_MODEL = "SmolLM2-135M-Instruct.Q4_1"
"""The model in the image of the local model."""
NATS_PORT, WEB_PORT = 4222, 8080
"""In the containers."""
OTHER_PORTS = {"PORT": 4333, "WEB": 8081}
"""To try where the usual ones are taken."""
SINGLE = "compose.yaml"
CLUSTER = "compose.yaml compose.cluster.yaml"
NO_WEB = "0"
"""The port that ends the web page."""
READABLE_BY_OTHERS = 0o005
"""The permissions that a container's user needs in a directory."""


def settings_of(mesh: Deployment, asked: argparse.Namespace) -> dict[str, str]:
    """All settings: from the options, else as before, else the default.

    Raises:
        DeployError: they cannot be used.
    """
    project = asked.project or mesh.settings.get("COMPOSE_PROJECT_NAME", "lantern")
    defaults = {
        "LANTERN_STORIES": str(HERE.parent / "games"),
        "LANTERN_PORT": "4222",
        "LANTERN_WEB_PORT": "8080",
        "LANTERN_CELL": "main",
        "LANTERN_CELLS": "main",
        "LANTERN_IMAGE": "lantern",
        "LANTERN_FILES": SINGLE,
        "LANTERN_NETWORK": f"{project}_mesh",
        "LANTERN_SECRETS": str(mesh.directory / "secrets"),
        "COMPOSE_PROJECT_NAME": project,
    }
    options = {
        "LANTERN_STORIES": asked.stories and str(asked.stories.expanduser().resolve()),
        "LANTERN_PORT": asked.port,
        "LANTERN_IMAGE": asked.image,
        "LANTERN_FILES": CLUSTER if asked.cluster else None,
        "LANTERN_WEB_PORT": asked.web if asked.web != NO_WEB else None,
    }
    options = {name: value for name, value in options.items() if value}
    wanted = {**defaults, **mesh.settings, **options, **_model(asked.model)}
    wanted["COMPOSE_PROFILES"] = _profiles(wanted.get("COMPOSE_PROFILES", ""), asked)
    _check_stories(Path(wanted["LANTERN_STORIES"]))
    _check_same_servers(mesh, wanted)
    _check_port("PORT", wanted["LANTERN_PORT"], NATS_PORT, project)
    if "web" in wanted["COMPOSE_PROFILES"].split(","):
        _check_port("WEB", wanted["LANTERN_WEB_PORT"], WEB_PORT, project)
    return wanted


def claude_key() -> str:
    """The key of the Claude API, from the environment."""
    if key := os.environ.get("ANTHROPIC_API_KEY"):
        return key
    raise DeployError("ASK=claude needs a key. Put it into the environment as ANTHROPIC_API_KEY.")


def _model(wanted: str | None) -> dict[str, str]:
    """The settings of the language model; None: unchanged."""
    if wanted is None:
        return {}
    local = wanted == "local"
    if not local:
        claude_key()
    return {
        "ANTHROPIC_BASE_URL": "http://model:8080" if local else "https://api.anthropic.com",
        "ANTHROPIC_API_KEY_FILE": "/run/secrets/anthropic",
        "LANTERN_MODEL_NAME": LOCAL_MODEL if local else "",
        "LANTERN_MODEL_DEADLINE": "60" if local else "",
    }


def _profiles(before: str, asked: argparse.Namespace) -> str:
    """The optional containers that run: those of before, but for what the options say."""
    wanted = {
        "model": asked.model and asked.model == "local",
        "planner": asked.planner,
        "web": asked.web and asked.web != NO_WEB,
    }
    running = {*filter(None, before.split(","))}
    added = {name for name, runs in wanted.items() if runs}
    removed = {name for name, runs in wanted.items() if runs is False}
    return ",".join(sorted((running | added) - removed))


def _check_stories(directory: Path) -> None:
    if not directory.is_dir():
        raise DeployError(
            f"There is no directory of stories at {directory}. Give one: make deploy STORIES=directory"
        )
    if directory.stat().st_mode & READABLE_BY_OTHERS != READABLE_BY_OTHERS:
        raise DeployError(f"Containers cannot read {directory}. Permit it: chmod o+rx {directory}")


def _check_same_servers(mesh: Deployment, wanted: dict[str, str]) -> None:
    """Check that the number of servers stays: one server and a cluster cannot read the other's sessions."""
    if mesh.settings.get("LANTERN_FILES", wanted["LANTERN_FILES"]) == wanted["LANTERN_FILES"]:
        return
    if f"{wanted['COMPOSE_PROJECT_NAME']}_sessions" in docker("volume", "ls", "-q").split():
        raise DeployError(
            "Three NATS servers cannot take over the sessions of one. Export what you want to keep (lantern "
            "sessions export), delete the rest (make deploy-down FORGET=1), and deploy again."
        )


def _check_port(option: str, port: str, inside: int, project: str) -> None:
    """Check that the port is free, or published already for this port of a container of ours."""
    ours = f"label=com.docker.compose.project={project}"
    if f"127.0.0.1:{port}->{inside}/" in docker("ps", "--filter", ours, "--format", "{{.Ports}}"):
        return
    with socket.socket() as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind(("127.0.0.1", int(port)))
        except (OSError, ValueError, OverflowError) as error:
            raise DeployError(
                f"Port {port} cannot be used ({error}). "
                f"Give another: make deploy {option}={OTHER_PORTS[option]}"
            ) from None
