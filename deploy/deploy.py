#!/usr/bin/env python3
"""Sets up, starts and looks after the mesh on docker compose; needs Python, docker and docker compose alone.

What was set once is kept, in `.env` and `secrets/` beside this file or in the directory that is named.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from deployment import HERE, DeployError, Deployment, docker
from images import build
from saving import backup, restore
from settings import settings_of, with_key
from wellness import SERVICES, start, start_the_held_again, wait_until_well


def main() -> int:
    """Do what is asked; the exit code."""
    asked = _parser().parse_args()
    try:
        mesh = Deployment(asked.directory)
        docker("info")  # compose says the same in thirty lines
        asked.do(mesh, asked)
    except DeployError as refused:
        print(f"deploy: {refused}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"deploy: Cannot use {error.filename or 'a file'} ({error.strerror}).", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def setup(mesh: Deployment, asked: argparse.Namespace) -> bool:
    """Settings, images, passwords and network, for `docker compose up`; whether passwords have changed."""
    wanted = settings_of(mesh, asked)
    mesh.keep(wanted)
    if asked.model == "claude":
        mesh.tell("anthropic", with_key())
    for file in (HERE / "nats").iterdir():
        file.chmod(file.stat().st_mode | 0o444)  # whoever cloned with a closed umask; NATS is another user
    build(mesh)
    changed = mesh.make_passwords(mesh["LANTERN_CELLS"])
    _make_network(mesh["LANTERN_NETWORK"])
    return changed


def up(mesh: Deployment, asked: argparse.Namespace) -> None:
    """Set up, start, wait until all are well, and tell what to do next."""
    changed = setup(mesh, asked)
    start(mesh, "up", "-d", *(["--force-recreate"] if changed else []))
    _stop_a_model_that_nobody_asks(mesh)
    start_the_held_again(mesh)
    wait_until_well(mesh)
    print(_what_next(mesh))


def cell(mesh: Deployment, asked: argparse.Namespace) -> None:
    """Start a second mesh on the NATS of the first, in a cell of its own."""
    cells = mesh["LANTERN_CELLS"].split()
    if not asked.name:
        raise DeployError("Name the cell: make deploy-cell CELL=second")
    if asked.name == mesh["LANTERN_CELL"]:
        raise DeployError(
            f"The cell {asked.name} is the first mesh's. Name another: make deploy-cell CELL=second"
        )
    wanted = cells if asked.name in cells else [*cells, asked.name]
    changed = mesh.make_passwords(" ".join(wanted))
    mesh.keep({"LANTERN_CELLS": " ".join(wanted)})
    if changed:
        _restart_nats(mesh)
    another = Deployment(mesh.directory / "cells" / asked.name)
    project = f"{mesh['COMPOSE_PROJECT_NAME']}-{asked.name}"
    another.keep({**mesh.settings, "COMPOSE_PROJECT_NAME": project, "LANTERN_CELL": asked.name})
    start(another, "run", "--rm", "--no-deps", "provision")
    another.compose("up", "-d", "--no-deps", *SERVICES)
    start_the_held_again(another)
    wait_until_well(another)
    print(_what_next(another))


def logs(mesh: Deployment, asked: argparse.Namespace) -> None:
    """Follow what all containers say."""
    mesh.compose("logs", "--follow", "--tail", "50")


def down(mesh: Deployment, asked: argparse.Namespace) -> None:
    """Stop, and the cells beside too; the sessions stay, unless they are to be forgotten."""
    for beside in sorted((mesh.directory / "cells").glob("*/.env")):
        down(Deployment(beside.parent), asked)
    mesh.compose("down", "--remove-orphans", *(("--volumes",) if asked.forget else ()))
    if asked.forget:
        subprocess.run(["docker", "network", "rm", mesh["LANTERN_NETWORK"]], capture_output=True, check=False)
        if mesh.secrets.parent == mesh.directory:  # a cell's are those of the first
            shutil.rmtree(mesh.secrets)
        mesh.file.unlink()


# -- how it is done


def _make_network(name: str) -> None:
    """Make the network of the mesh, from which nothing reaches the outside."""
    if name not in docker("network", "ls", "--format", "{{.Name}}").split():
        docker("network", "create", "--internal", name)


def _restart_nats(mesh: Deployment) -> None:
    """One server after the other, so that a cluster goes on meanwhile."""
    for server in mesh.servers():
        mesh.compose("restart", server)
        wait_until_well(mesh, server)


def _stop_a_model_that_nobody_asks(mesh: Deployment) -> None:
    for container, service in mesh.containers().items():
        if service == "model" and not mesh.settings.get("COMPOSE_PROFILES"):
            docker("rm", "--force", container)


def _what_next(mesh: Deployment) -> str:
    stories = Path(mesh["LANTERN_STORIES"])
    story = next((file.name for file in sorted(stories.glob("*.z[1-8]"))), "bundled")
    cell = "" if mesh["LANTERN_CELL"] == "main" else f" --cell {mesh['LANTERN_CELL']}"
    return f"""\
The mesh is well. Play:
  {" ".join(mesh.command())} run --rm play {story}          # a story of {stories}
or, with Lantern on this machine:
  export LANTERN_NATS_USER=player LANTERN_NATS_PASSWORD_FILE={mesh.secrets}/player
  lantern play path/to/zork1.z5 --nats nats://127.0.0.1:{mesh["LANTERN_PORT"]}{cell}
Look: make deploy-logs. Stop: make deploy-down."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--directory", type=Path, default=HERE, help="where .env and secrets are kept")
    commands = parser.add_subparsers(required=True)
    for do in (setup, up, cell, logs, down, backup, restore):
        command = commands.add_parser(do.__name__, help=do.__doc__)
        command.set_defaults(do=do)
        match do.__name__:
            case "setup" | "up":
                command.add_argument("--stories", type=Path, help="the directory of stories that `play` sees")
                command.add_argument("--port", help="of NATS, on 127.0.0.1")
                command.add_argument("--project", help="the name of the project; lantern")
                command.add_argument("--image", help="the name of the images; lantern")
                command.add_argument("--model", choices=["local", "claude"], help="who asks a language model")
                command.add_argument("--cluster", action="store_true", help="three NATS servers, not one")
            case "cell":
                command.add_argument("name", nargs="?")
            case "down":
                command.add_argument("--forget", action="store_true", help="all sessions and passwords, too")
            case "backup" | "restore":
                command.add_argument("file", type=Path, nargs="?")
    return parser


if __name__ == "__main__":
    sys.exit(main())
