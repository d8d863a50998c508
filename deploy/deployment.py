"""A deployment: its settings and passwords, and docker compose run with them."""

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
SERVER_NAMES = ("nats-1", "nats-2", "nats-3")
"""The names of the servers in their cluster."""
OLDEST_COMPOSE = (1, 29)
"""The oldest version of docker compose that supports all of compose.yaml."""
INSTALL_COMPOSE = "https://docs.docker.com/compose/install"
SECRET_MODE = 0o444
"""A container's user is not the host's, so everybody may read password files; their directory is closed."""


class DeployError(Exception):
    """The command cannot be carried out; the text is one line that says what to do."""


class Deployment:
    """One project of docker compose. Its directory has `.env`, which compose reads too, and `secrets/`."""

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

    def save(self, settings: dict[str, str]) -> None:
        """Change settings, and write them to `.env`."""
        self.settings |= settings
        self.directory.mkdir(parents=True, exist_ok=True)
        lines = [f"{name}={value}\n" for name, value in sorted(self.settings.items())]
        self.file.write_text("# Written by `make deploy`, and read by docker compose.\n" + "".join(lines))

    def compose(self, *arguments: str, **options: Any) -> None:
        """Run docker compose.

        Raises:
            DeployError: it failed; its output says why.
        """
        done = subprocess.run([*self.command(), *arguments], check=False, **options)
        if done.returncode != 0:
            raise DeployError(
                f"docker compose {arguments[0]} failed (exit code {done.returncode}); see above."
            )

    def command(self) -> list[str]:
        """The start of every docker compose command; compose by itself finds `.env` beside its file only."""
        files = [part for name in self["LANTERN_FILES"].split() for part in ("-f", str(HERE / name))]
        named = ["-p", self["COMPOSE_PROJECT_NAME"], "--env-file", str(self.file)]
        return [*self._command, *(named if self.directory != HERE else []), *files]

    def containers(self) -> dict[str, str]:
        """The service of each container, by id; stopped containers too."""
        ours = f"label=com.docker.compose.project={self['COMPOSE_PROJECT_NAME']}"
        wanted = '{{.ID}} {{.Label "com.docker.compose.service"}}'
        lines = docker("ps", "-a", "--no-trunc", "--filter", ours, "--format", wanted)
        return dict(line.split(maxsplit=1) for line in lines.splitlines())

    def servers(self) -> list[str]:
        """The NATS servers that have a container, running or not."""
        return [server for server in SERVERS if server in self.containers().values()]

    def make_passwords(self, cells: str) -> bool:
        """Make missing passwords, and the configuration of the server; return whether that has changed.

        Raises:
            DeployError: the name of a cell is not allowed, or the passwords cannot be written.
        """
        self.secrets.mkdir(mode=0o700, parents=True, exist_ok=True)
        for file in self.secrets.iterdir():
            if not file.stat().st_size:  # an empty password would let anybody in
                file.unlink()
        conf = self.secrets / "nats.conf"
        before = conf.read_text() if conf.exists() else None
        user = ["--user", f"{os.getuid()}:{os.getgid()}", "--network", "none"]
        volume = ["-v", f"{self.secrets}:/secrets"]
        image = f"{self['LANTERN_IMAGE']}:base"
        options = [part for cell in cells.split() for part in ("--cell", cell)]
        docker(
            "run", "--rm", *user, *volume, image, "lantern", "nats-config", "--secrets", "/secrets", *options
        )
        for name in ("anthropic", "routes", "web_token"):
            if not (self.secrets / name).exists():
                self.write_secret(name, secrets.token_urlsafe(24))
        self.write_secret("cluster.conf", _cluster_configuration((self.secrets / "routes").read_text()))
        for file in self.secrets.iterdir():
            file.chmod(SECRET_MODE)
        return before is not None and conf.read_text() != before

    def write_secret(self, name: str, secret: str) -> None:
        """Write a secret to the file of this name."""
        self.secrets.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = self.secrets / name
        file.unlink(missing_ok=True)
        file.write_text(secret)
        file.chmod(SECRET_MODE)


def _cluster_configuration(password: str) -> str:
    """The servers' configuration as a cluster."""
    routes = ", ".join(f'"nats://route:{password}@{name}:6222"' for name in SERVER_NAMES)
    login = f'{{ user: route, password: "{password}" }}'
    return f"cluster {{ name: lantern, port: 6222, routes: [{routes}], authorization {login} }}\n"


def docker(*arguments: str) -> str:
    """Run docker; returns its output.

    Raises:
        DeployError: it failed, or is not installed.
    """
    done = subprocess.run(["docker", *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        why = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise DeployError(f"docker {arguments[0]} failed: {why}")
    return done.stdout


def _compose() -> list[str]:
    """The command of docker compose: version 2, else version 1.

    Raises:
        DeployError: docker or docker compose is missing, or too old.
    """
    if not shutil.which("docker"):
        raise DeployError("There is no docker here. Install it: https://docs.docker.com/engine/install")
    for command in (["docker", "compose"], ["docker-compose"]):
        if found := _version_of(command):
            if found < OLDEST_COMPOSE:
                has, needed = (".".join(map(str, version)) for version in (found, OLDEST_COMPOSE))
                raise DeployError(
                    f"docker compose {has} is too old, {needed} will do. Install it: {INSTALL_COMPOSE}"
                )
            return command
    raise DeployError(f"There is no docker compose here. Install it: {INSTALL_COMPOSE}")


def _version_of(command: list[str]) -> tuple[int, int] | None:
    """Major and minor version; None: there is no such command."""
    if not shutil.which(command[0]):
        return None
    arguments = [*command, "version", "--short"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    version = re.match(r"v?(\d+)\.(\d+)", done.stdout)
    return (int(version[1]), int(version[2])) if version and done.returncode == 0 else None


def _settings_in(file: Path) -> Iterator[tuple[str, str]]:
    for line in file.read_text().splitlines() if file.exists() else ():
        name, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            yield name, value
