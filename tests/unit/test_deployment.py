"""What a deployment asks of docker and of what is asked of it, without an engine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

DEPLOY = Path(__file__).parents[2] / "deploy" / "deploy.py"


def told_by(path: Path, *arguments: str) -> str:
    """What `deploy` refuses where only the programs in this directory can be found."""
    command = [sys.executable, str(DEPLOY), "--directory", str(path / "state"), *arguments]
    done = subprocess.run(
        command, env={"PATH": str(path)}, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 1, done
    [line] = done.stderr.splitlines()
    return line


def program(path: Path, name: str, script: str) -> None:
    file = path / name
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)


def test_no_docker_is_told(tmp_path: Path) -> None:
    assert told_by(tmp_path, "up").startswith("deploy: There is no docker here. Install it: ")


def test_no_compose_is_told(tmp_path: Path) -> None:
    program(tmp_path, "docker", "exit 1")

    assert told_by(tmp_path, "up").startswith("deploy: There is no docker compose here. Install it: ")


@pytest.mark.parametrize("command", ["up", "down", "logs"])
def test_an_old_compose_is_told(tmp_path: Path, command: str) -> None:
    program(tmp_path, "docker", "exit 1")
    program(tmp_path, "docker-compose", "echo 1.25.0")

    told = told_by(tmp_path, command)

    assert told.startswith("deploy: docker compose 1.25 is too old, 1.29 will do. Install it: ")


@pytest.mark.parametrize("command", ["up", "down", "backup"])
def test_an_engine_that_does_not_answer_is_told(tmp_path: Path, command: str) -> None:
    silent = (
        'if [ "$1" = compose ]; then echo v2.30.1; else echo "Is the docker daemon running?" >&2; exit 1; fi'
    )
    program(tmp_path, "docker", silent)

    assert told_by(tmp_path, command) == "deploy: docker info failed: Is the docker daemon running?"


@pytest.mark.parametrize("command", ["cell", "logs", "down", "backup", "restore"])
def test_what_wants_a_mesh_says_how_to_get_one(tmp_path: Path, command: str) -> None:
    program(tmp_path, "docker", "echo v2.30.1")

    told = told_by(tmp_path, command)

    assert told == f"deploy: Nothing is deployed from {tmp_path / 'state'} yet. Run `make deploy` first."
