"""Backs the sessions of a deployment up to a file, and restores them from one."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from deployment import SERVERS, DeployError, Deployment
from health import SERVICES, start, wait_until_healthy

STATE = "/opt/state"
RESTORE_SCRIPT = """set -e
cd {state}
for volume in {volumes}; do rm -rf $volume/.new; mkdir $volume/.new; done
trap 'for volume in {volumes}; do rm -rf $volume/.new; done' EXIT
tar -xf - --transform='s,^\\([^/]*\\),\\1/.new,'
for volume in {volumes}; do
  find $volume -mindepth 1 -maxdepth 1 ! -name .new -exec rm -rf {{}} +
  find $volume/.new -mindepth 1 -maxdepth 1 -exec mv {{}} $volume/ \\;
done
"""
"""Deletes the present sessions only after all of the backup is unpacked."""


def backup(mesh: Deployment, asked: argparse.Namespace) -> None:
    """Write the volumes of the sessions to a file. NATS stops meanwhile; sessions wait, and continue."""
    volumes = _volumes(mesh)
    if asked.file is None:
        raise DeployError("Name the file: make deploy-backup FILE=sessions.tar")
    unfinished = asked.file.with_name(asked.file.name + ".unfinished")
    try:
        with unfinished.open("wb") as file, _nats_stopped(mesh):
            _in_volumes(mesh, f"tar -C {STATE} -cf - {' '.join(volumes)}", stdout=file)
        _read(unfinished)
        unfinished.replace(asked.file)
    except OSError as error:
        raise DeployError(f"Cannot write {asked.file} ({error.strerror}). Give another file.") from None
    finally:
        with suppress(OSError):
            unfinished.unlink()
    print(f"{asked.file}: {asked.file.stat().st_size / 1e6:.1f} MB")


def restore(mesh: Deployment, asked: argparse.Namespace) -> None:
    """Replace all sessions by those of a backup."""
    volumes = _volumes(mesh)
    if asked.file is None:
        raise DeployError("Name the file: make deploy-restore FILE=sessions.tar")
    if not asked.file.is_file():
        raise DeployError(f"There is no file {asked.file}. Give one that make deploy-backup has written.")
    if _read(asked.file) != {*volumes}:
        raise DeployError(
            f"{asked.file} was not made from {len(volumes)} NATS server(s), which this mesh has. Restore it "
            "to a mesh with as many, and transfer sessions with lantern sessions export and import."
        )
    mesh.compose("stop", *SERVICES)
    try:
        with asked.file.open("rb") as file, _nats_stopped(mesh):
            _in_volumes(mesh, RESTORE_SCRIPT.format(state=STATE, volumes=" ".join(volumes)), stdin=file)
    finally:
        start(mesh, "up", "-d", "--no-recreate")
    wait_until_healthy(mesh)


def _volumes(mesh: Deployment) -> list[str]:
    """The directories of the servers' volumes."""
    cluster = "cluster" in mesh["LANTERN_FILES"]
    return [server.replace("nats", "sessions") for server in (SERVERS if cluster else SERVERS[:1])]


def _read(file: Path) -> set[str]:
    """The volumes that a backup holds.

    Raises:
        DeployError: the file is no backup, or incomplete.
    """
    try:
        with tarfile.open(file, "r:") as archive:
            inside = [Path(member.name).parts[:2] for member in archive]
    except tarfile.TarError:
        inside = []
    volumes = {parts[0] for parts in inside if parts[1:] == ("jetstream",)}
    if not volumes:
        raise DeployError(f"{file} is no complete backup. Give one that make deploy-backup has written.")
    return volumes


@contextmanager
def _nats_stopped(mesh: Deployment) -> Iterator[None]:
    servers = mesh.servers()
    if servers:
        mesh.compose("stop", *servers)
    try:
        yield
    finally:
        if servers:
            mesh.compose("start", *servers)


def _in_volumes(mesh: Deployment, script: str, **streams: Any) -> None:
    command = [*mesh.command(), "run", "--rm", "-T", "volume", "sh", "-c", script]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False, **streams)
    if done.returncode != 0:
        print(done.stderr, file=sys.stderr)
        raise DeployError("Copying failed, see above. The sessions are unchanged.")
