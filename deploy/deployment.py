"""A deployment: its settings, its passwords, and docker compose run with them."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SERVERS = ("nats", "nats-2", "nats-3")
"""The services that are NATS servers; all but the first in a cluster only (compose.cluster.yaml)."""
ROUTED = ("nats-1", "nats-2", "nats-3")
"""What they call each other."""
OLDEST = (1, 29)
"""The version of docker compose that knows every word of compose.yaml."""
COMPOSE = "https://docs.docker.com/compose/install"
READABLE = 0o444
"""A container's user is not the host's, so everybody may read a password's file; its directory is closed."""


class DeployError(Exception):
    """What the user wants cannot be done; the text is one line with the mend."""


class Deployment:
    """One project of docker compose; its directory holds `.env`, which compose reads too, and `secrets/`."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory.resolve()
        self.file = self.directory / ".env"
        self.settings = dict(_settings_in(self.file))
        self._command = _compose()

    def __getitem__(self, name: str) -> str:
        if name not in self.settings:
            raise DeployError(f"Nothing is deployed from {self.directory} yet. Run `make deploy` first.")
        return self.settings[name]

    @property
    def secrets(self) -> Path:
        """The directory of the passwords."""
        return Path(self["LANTERN_SECRETS"])

    def keep(self, settings: dict[str, str]) -> None:
        """Change settings, and write them down."""
        self.settings |= settings
        self.directory.mkdir(parents=True, exist_ok=True)
        lines = [f"{name}={value}\n" for name, value in sorted(self.settings.items())]
        self.file.write_text("# Written by `make deploy`, and read by docker compose.\n" + "".join(lines))

    def compose(self, *arguments: str, **options: Any) -> None:
        """Run docker compose.

        Raises:
            DeployError: it failed; it has said why.
        """
        done = subprocess.run([*self.command(), *arguments], check=False, **options)
        if done.returncode != 0:
            raise DeployError(
                f"docker compose {arguments[0]} failed (exit code {done.returncode}); see above."
            )

    def command(self) -> list[str]:
        """The start of every command of docker compose, which by itself reads settings beside its file."""
        files = [part for name in self["LANTERN_FILES"].split() for part in ("-f", str(HERE / name))]
        named = ["-p", self["COMPOSE_PROJECT_NAME"], "--env-file", str(self.file)]
        return [*self._command, *(named if self.directory != HERE else []), *files]

    def containers(self) -> dict[str, str]:
        """Each container's id, and the service it is of; ended ones too."""
        ours = f"label=com.docker.compose.project={self['COMPOSE_PROJECT_NAME']}"
        wanted = '{{.ID}} {{.Label "com.docker.compose.service"}}'
        told = docker("ps", "-a", "--no-trunc", "--filter", ours, "--format", wanted)
        return dict(line.split(maxsplit=1) for line in told.splitlines())

    def servers(self) -> list[str]:
        """The NATS servers that there are, running or not."""
        return [server for server in SERVERS if server in self.containers().values()]

    def make_passwords(self, cells: str) -> bool:
        """A password for everybody who has none, and the server's configuration; whether that has changed.

        Raises:
            DeployError: a cell cannot be called so, or the passwords cannot be kept.
        """
        self.secrets.mkdir(mode=0o700, parents=True, exist_ok=True)
        for file in self.secrets.iterdir():
            if not file.stat().st_size:  # a password of no letters would let anybody in
                file.unlink()
        conf = self.secrets / "nats.conf"
        before = conf.read_text() if conf.exists() else None
        us = ["--user", f"{os.getuid()}:{os.getgid()}", "--network", "none"]
        volume = ["-v", f"{self.secrets}:/secrets"]
        image = f"{self['LANTERN_IMAGE']}:base"
        named = [part for cell in cells.split() for part in ("--cell", cell)]
        docker("run", "--rm", *us, *volume, image, "lantern", "nats-config", "--secrets", "/secrets", *named)
        for name in ("anthropic", "routes"):
            if not (self.secrets / name).exists():
                self.tell(name, secrets.token_urlsafe(24))
        self.tell("cluster.conf", _routes_with((self.secrets / "routes").read_text()))
        for file in self.secrets.iterdir():
            file.chmod(READABLE)
        return before is not None and conf.read_text() != before

    def tell(self, name: str, secret: str) -> None:
        """Keep a secret under a name."""
        self.secrets.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = self.secrets / name
        file.unlink(missing_ok=True)
        file.write_text(secret)
        file.chmod(READABLE)


def _routes_with(password: str) -> str:
    """What the servers of a cluster want to know of each other."""
    routes = ", ".join(f'"nats://route:{password}@{name}:6222"' for name in ROUTED)
    login = f'{{ user: route, password: "{password}" }}'
    return f"cluster {{ name: lantern, port: 6222, routes: [{routes}], authorization {login} }}\n"


def docker(*arguments: str) -> str:
    """Run docker; what it printed.

    Raises:
        DeployError: it failed, or there is none.
    """
    done = subprocess.run(["docker", *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        why = (done.stderr.strip().splitlines() or ["it does not say why"])[-1]
        raise DeployError(f"docker {arguments[0]} failed: {why}")
    return done.stdout


def _compose() -> list[str]:
    """Version 2 of docker compose, else version 1.

    Raises:
        DeployError: there is neither, or no docker, or it is too old.
    """
    if not shutil.which("docker"):
        raise DeployError("There is no docker here. Install it: https://docs.docker.com/engine/install")
    for command in (["docker", "compose"], ["docker-compose"]):
        if found := _version_of(command):
            if found < OLDEST:
                told, wanted = (".".join(map(str, version)) for version in (found, OLDEST))
                raise DeployError(
                    f"docker compose {told} is too old, {wanted} will do. Install it: {COMPOSE}"
                )
            return command
    raise DeployError(f"There is no docker compose here. Install it: {COMPOSE}")


def _version_of(command: list[str]) -> tuple[int, int] | None:
    """Major and minor version; none, where there is no such command."""
    if not shutil.which(command[0]):
        return None
    asked = [*command, "version", "--short"]
    told = subprocess.run(asked, capture_output=True, text=True, check=False)
    version = re.match(r"v?(\d+)\.(\d+)", told.stdout)
    return (int(version[1]), int(version[2])) if version and told.returncode == 0 else None


def _settings_in(file: Path) -> Iterator[tuple[str, str]]:
    for line in file.read_text().splitlines() if file.exists() else ():
        name, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            yield name, value
