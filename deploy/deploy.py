#!/usr/bin/env python3
"""Sets up, starts and looks after the mesh on docker compose; needs Python, docker and docker compose alone.

What was set once is kept, in `.env` and `secrets/` beside this file or in the directory that is named.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

from deployment import HERE, Deployment, Refused, docker

SERVICES = ("game", "memory", "narrator", "hint", "npc_tracker", "critic", "actor")
SERVERS = (*SERVICES, "nats", "nats-2", "nats-3", "model")
BUILT = ("critic", "narrator", "game", "memory")
"""A service for each image."""
WELL_WITHIN = 240.0
"""Seconds in which all must have become well."""
LOOK = 1.0
"""Seconds between two looks at them."""
LOCAL_MODEL = "SmolLM2-135M-Instruct.Q4_1"
"""What the image of the local model has."""
CLUSTER = "compose.yaml compose.cluster.yaml"


def main() -> int:
    """Do what is asked; the exit code."""
    asked = _parser().parse_args()
    try:
        asked.do(Deployment(asked.directory), asked)
    except Refused as refused:
        print(f"deploy: {refused}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


# -- what can be asked


def up(mesh: Deployment, asked: argparse.Namespace) -> None:
    """Set up, build, start, wait until all are well, and tell what to do next."""
    docker("info")
    _set_up(mesh, asked)
    for service in (*BUILT, *mesh.settings.get("COMPOSE_PROFILES", "").split()):
        mesh.compose("build", service, stdout=sys.stderr)
    changed = mesh.make_passwords()
    _make_network(mesh["LANTERN_NETWORK"])
    _start(mesh, "up", "-d")
    if changed:
        mesh.compose("restart", "nats")
    _start_the_held_again(mesh)
    _wait_until_well(mesh)
    print(_what_next(mesh))


def cell(mesh: Deployment, asked: argparse.Namespace) -> None:
    """Start a second mesh on the NATS of the first, in a cell of its own."""
    if asked.name not in mesh["LANTERN_CELLS"].split():
        mesh.keep({"LANTERN_CELLS": f"{mesh['LANTERN_CELLS']} {asked.name}"})
    if mesh.make_passwords():
        mesh.compose("restart", "nats")
    another = Deployment(mesh.directory / "cells" / asked.name)
    project = f"{mesh['COMPOSE_PROJECT_NAME']}-{asked.name}"
    another.keep({**mesh.settings, "COMPOSE_PROJECT_NAME": project, "LANTERN_CELL": asked.name})
    _start(another, "run", "--rm", "--no-deps", "provision")
    another.compose("up", "-d", "--no-deps", *SERVICES)
    _wait_until_well(another)


def logs(mesh: Deployment, asked: argparse.Namespace) -> None:
    """Follow what all containers say."""
    mesh.compose("logs", "--follow", "--tail", "50")


def down(mesh: Deployment, asked: argparse.Namespace) -> None:
    """Stop, and the cells beside too; the sessions stay, unless they are to be forgotten."""
    for beside in sorted((mesh.directory / "cells").glob("*/.env")):
        down(Deployment(beside.parent), asked)
    forget = ("--volumes",) if asked.forget else ()
    mesh.compose("down", "--remove-orphans", *forget)
    subprocess.run(["docker", "network", "rm", mesh["LANTERN_NETWORK"]], capture_output=True, check=False)
    if asked.forget:
        shutil.rmtree(mesh.secrets, ignore_errors=True)  # a cell's are those of the first
        mesh.file.unlink()


def backup(mesh: Deployment, asked: argparse.Namespace) -> None:
    """Write the sessions' volume to a file. NATS halts meanwhile; sessions wait, and go on."""
    with asked.file.open("wb") as file:
        _with_nats_stopped(mesh, "tar -C /opt/state/sessions -cf - .", stdout=file)
    print(f"{asked.file}: {asked.file.stat().st_size / 1e6:.1f} MB")


def restore(mesh: Deployment, asked: argparse.Namespace) -> None:
    """Put what `backup` wrote in the place of all sessions that there are."""
    if not asked.file.is_file():
        raise Refused(f"There is no file {asked.file}. Give one that `make deploy-backup` has written.")
    mesh.compose("stop", *SERVICES)
    with asked.file.open("rb") as file:
        wipe = "find /opt/state/sessions -mindepth 1 -delete"
        _with_nats_stopped(mesh, f"{wipe} && tar -C /opt/state/sessions -xf -", stdin=file)
    _start(mesh, "up", "-d")
    _wait_until_well(mesh)


# -- how it is done


def _set_up(mesh: Deployment, asked: argparse.Namespace) -> None:
    """Keep what is asked for, and see that it can be had."""
    project = asked.project or mesh.settings.get("COMPOSE_PROJECT_NAME", "lantern")
    usual = {
        "LANTERN_STORIES": str(HERE.parent / "games"),
        "LANTERN_PORT": "4222",
        "LANTERN_CELL": "main",
        "LANTERN_CELLS": "main",
        "LANTERN_IMAGE": "lantern",
        "LANTERN_FILES": "compose.yaml",
        "LANTERN_NETWORK": f"{project}_mesh",
        "LANTERN_SECRETS": str(mesh.directory / "secrets"),
        "COMPOSE_PROJECT_NAME": project,
    }
    given = {
        "LANTERN_STORIES": asked.stories and str(asked.stories.resolve()),
        "LANTERN_PORT": asked.port,
        "LANTERN_IMAGE": asked.image,
        "LANTERN_FILES": CLUSTER if asked.cluster else None,
    }
    given = {name: value for name, value in given.items() if value}
    wanted = {**usual, **mesh.settings, **given, **_model(asked.model)}
    stories = Path(wanted["LANTERN_STORIES"])
    if not stories.is_dir():
        raise Refused(
            f"There is no directory of stories at {stories}. Give one: make deploy STORIES=directory"
        )
    mesh.keep(wanted)
    if asked.model == "claude":
        _keep_key(mesh)
    _see_that_the_port_is_free(mesh)


def _model(wanted: str | None) -> dict[str, str]:
    """The settings of who asks a language model; none: as it was."""
    if wanted is None:
        return {}
    local = wanted == "local"
    return {
        "ANTHROPIC_BASE_URL": "http://model:8080" if local else "https://api.anthropic.com",
        "ANTHROPIC_API_KEY_FILE": "/run/secrets/anthropic",
        "LANTERN_MODEL_NAME": LOCAL_MODEL if local else "",
        "LANTERN_MODEL_DEADLINE": "60" if local else "",
        "COMPOSE_PROFILES": "model" if local else "",
    }


def _keep_key(mesh: Deployment) -> None:
    """Have the services know the key of Claude's."""
    if key := os.environ.get("ANTHROPIC_API_KEY"):
        mesh.tell("anthropic", key)
    else:
        raise Refused("ASK=claude needs a key. Put it into the environment as ANTHROPIC_API_KEY.")


def _see_that_the_port_is_free(mesh: Deployment) -> None:
    if "nats" in mesh.containers().values():
        return
    port = mesh["LANTERN_PORT"]
    with socket.socket() as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind(("127.0.0.1", int(port)))
        except (OSError, ValueError, OverflowError) as error:
            raise Refused(
                f"Port {port} cannot be used ({error}). Give another: make deploy PORT=4333"
            ) from None


def _make_network(name: str) -> None:
    """Make the network of the mesh, from which nothing reaches the outside."""
    if name not in docker("network", "ls", "--format", "{{.Name}}").split():
        docker("network", "create", "--internal", name)


def _start(mesh: Deployment, *arguments: str) -> None:
    """Run docker compose; where provisioning failed, say what that said."""
    try:
        mesh.compose(*arguments)
    except Refused:
        for container, service in mesh.containers().items():
            if (
                service == "provision"
                and docker("inspect", "-f", "{{.State.ExitCode}}", container).strip() != "0"
            ):
                raise Refused(_last_word(container)) from None
        raise


def _wait_until_well(mesh: Deployment) -> None:
    deadline = time.monotonic() + WELL_WITHIN
    print("Waiting until all are well ...", file=sys.stderr)
    while ill := [container for container, health in _health(mesh).items() if health != "healthy"]:
        if time.monotonic() > deadline:
            service = mesh.containers().get(ill[0], "a service")
            raise Refused(f"{service} is not well: {_last_word(ill[0])} (See `make deploy-logs`.)")
        time.sleep(LOOK)


def _health(mesh: Deployment) -> dict[str, str]:
    """How each container is that does not end by itself."""
    lasting = [container for container, service in mesh.containers().items() if service in SERVERS]
    found = json.loads(docker("inspect", *lasting))
    return {one["Id"][:12]: one["State"].get("Health", {}).get("Status", "unknown") for one in found}


def _start_the_held_again(mesh: Deployment) -> None:
    """Those that waited for what only the user could mend look whether it is mended."""
    for container, health in _health(mesh).items():
        if health == "unhealthy":
            docker("restart", container)


def _last_word(container: str) -> str:
    """The last line that a container wrote."""
    told = subprocess.run(
        ["docker", "logs", "--tail", "1", container],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return told.stdout.strip() or "it has said nothing"


def _with_nats_stopped(mesh: Deployment, work: str, **streams: object) -> None:
    mesh.compose("stop", "nats")
    try:
        mesh.compose("run", "--rm", "-T", "volume", "sh", "-c", work, **streams)
    finally:
        mesh.compose("start", "nats")


def _what_next(mesh: Deployment) -> str:
    url, secrets = f"nats://127.0.0.1:{mesh['LANTERN_PORT']}", mesh.secrets
    command = " ".join(mesh.command())
    return f"""\
The mesh is well. Play:
  {command} run --rm play kelder.z5          # a story of {mesh["LANTERN_STORIES"]}
or, with Lantern on this machine:
  export LANTERN_NATS_USER=player LANTERN_NATS_PASSWORD_FILE={secrets}/player
  lantern play path/to/zork1.z5 --nats {url}
Look: make deploy-logs. Stop: make deploy-down."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--directory", type=Path, default=HERE, help="where .env and secrets are kept")
    commands = parser.add_subparsers(required=True)
    for do in (up, cell, logs, down, backup, restore):
        command = commands.add_parser(do.__name__, help=do.__doc__)
        command.set_defaults(do=do)
        match do.__name__:
            case "up":
                command.add_argument("--stories", type=Path, help="the directory of stories that `play` sees")
                command.add_argument("--port", help="of NATS, on 127.0.0.1")
                command.add_argument("--project", help="the name of the project; lantern")
                command.add_argument("--image", help="the name of the images; lantern")
                command.add_argument("--model", choices=["local", "claude"], help="who asks a language model")
                command.add_argument("--cluster", action="store_true", help="three NATS servers, not one")
            case "cell":
                command.add_argument("name")
            case "down":
                command.add_argument("--forget", action="store_true", help="all sessions and passwords, too")
            case "backup" | "restore":
                command.add_argument("file", type=Path)
    return parser


if __name__ == "__main__":
    sys.exit(main())
