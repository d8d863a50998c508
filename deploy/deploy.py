#!/usr/bin/env python3
"""Sets up, starts and maintains the mesh on docker compose; needs only Python, docker and docker compose.

Settings are saved in `.env` and `secrets/`, beside this file or in the directory that is named.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from backup import backup, restore
from deployment import HERE, DeployError, Deployment, docker
from health import OPTIONAL, SERVICES, restart_unhealthy, start, wait_until_healthy
from images import build
from settings import claude_key, settings_of


def main() -> int:
    """Carry out the command; returns the exit code."""
    asked = _parser().parse_args()
    try:
        mesh = Deployment(asked.directory)
        docker("info")  # fails early: compose would fail with thirty lines
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
    """Make settings, images, passwords and network; returns whether passwords have changed."""
    wanted = settings_of(mesh, asked)
    mesh.save(wanted)
    if asked.model == "claude":
        mesh.write_secret("anthropic", claude_key())
    for file in (HERE / "nats").iterdir():
        file.chmod(file.stat().st_mode | 0o444)  # a clone with a strict umask; NATS runs as another user
    build(mesh)
    changed = mesh.make_passwords(mesh["LANTERN_CELLS"])
    _make_network(mesh["LANTERN_NETWORK"])
    return changed


def up(mesh: Deployment, asked: argparse.Namespace) -> None:
    """Set up, start, wait until all are healthy, and print what to do next."""
    changed = setup(mesh, asked)
    start(mesh, "up", "-d", *(["--force-recreate"] if changed else []))
    _remove_unused(mesh)
    restart_unhealthy(mesh)
    wait_until_healthy(mesh)
    print(_next_commands(mesh))


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
    mesh.save({"LANTERN_CELLS": " ".join(wanted)})
    if changed:
        _restart_nats(mesh)
    another = Deployment(mesh.directory / "cells" / asked.name)
    project = f"{mesh['COMPOSE_PROJECT_NAME']}-{asked.name}"
    another.save({**mesh.settings, "COMPOSE_PROJECT_NAME": project, "LANTERN_CELL": asked.name})
    start(another, "run", "--rm", "--no-deps", "provision")
    another.compose("up", "-d", "--no-deps", *SERVICES)
    restart_unhealthy(another)
    wait_until_healthy(another)
    print(_next_commands(another))


def logs(mesh: Deployment, asked: argparse.Namespace) -> None:
    """Follow the logs of all containers."""
    mesh.compose("logs", "--follow", "--tail", "50")


def down(mesh: Deployment, asked: argparse.Namespace) -> None:
    """Stop the mesh and its further cells; keep the sessions, unless --forget."""
    for further in sorted((mesh.directory / "cells").glob("*/.env")):
        down(Deployment(further.parent), asked)
    mesh.compose("down", "--remove-orphans", *(("--volumes",) if asked.forget else ()))
    if asked.forget:
        subprocess.run(["docker", "network", "rm", mesh["LANTERN_NETWORK"]], capture_output=True, check=False)
        if mesh.secrets.parent == mesh.directory:  # a further cell uses those of the first mesh
            shutil.rmtree(mesh.secrets)
        mesh.file.unlink()


# -- steps of the commands


def _make_network(name: str) -> None:
    """Make the internal network of the mesh: it has no route to the outside."""
    if name not in docker("network", "ls", "--format", "{{.Name}}").split():
        docker("network", "create", "--internal", name)


def _restart_nats(mesh: Deployment) -> None:
    """Restart one server after the other, so that a cluster continues meanwhile."""
    for server in mesh.servers():
        mesh.compose("restart", server)
        wait_until_healthy(mesh, server)


def _remove_unused(mesh: Deployment) -> None:
    """Remove the optional containers that run no more."""
    running = mesh.settings.get("COMPOSE_PROFILES", "").split(",")
    for container, service in mesh.containers().items():
        if service in OPTIONAL and service not in running:
            docker("rm", "--force", container)


def _next_commands(mesh: Deployment) -> str:
    stories = Path(mesh["LANTERN_STORIES"])
    story = next((file.name for file in sorted(stories.glob("*.z[1-8]"))), "bundled")
    cell = "" if mesh["LANTERN_CELL"] == "main" else f" --cell {mesh['LANTERN_CELL']}"
    return f"""\
The mesh is healthy. Play:
  {" ".join(mesh.command())} run --rm play {story}          # a story of {stories}
or, with Lantern on this machine:
  export LANTERN_NATS_USER=player LANTERN_NATS_PASSWORD_FILE={mesh.secrets}/player
  lantern play path/to/zork1.z5 --nats nats://127.0.0.1:{mesh["LANTERN_PORT"]}{cell}{_page(mesh)}
Logs: make deploy-logs. Stop: make deploy-down."""


def _page(mesh: Deployment) -> str:
    """Where the web page can be opened; nothing where it does not run."""
    if "web" not in mesh.settings.get("COMPOSE_PROFILES", "").split(","):
        return ""
    token = (mesh.secrets / "web_token").read_text()
    return f"\nWatch: http://127.0.0.1:{mesh['LANTERN_WEB_PORT']}/?token={token}"


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
                command.add_argument("--model", choices=["local", "claude"], help="the language model")
                command.add_argument(
                    "--planner", action=argparse.BooleanOptionalAction, help="for sessions that look ahead"
                )
                command.add_argument(
                    "--web", metavar="PORT", help="of the web page, on 127.0.0.1; 0: no page"
                )
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
