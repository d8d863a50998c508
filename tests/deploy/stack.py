"""A deployment of the tests' own: brought up as a user does it, played on, looked into, and taken away."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine import ROOT, docker

from mesh.nats.connection import with_login

SERVICES = ("game", "memory", "narrator", "hint", "npc_tracker", "critic", "actor")
IMAGE = "lantern-deploy-test"
QUICK = Path(__file__).with_name("quick.yaml")
PATIENCE = 180.0
"""Seconds in which what is waited for must have come, on a busy machine."""

Done = subprocess.CompletedProcess[str]


def until(it_is_so: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not it_is_so():
        assert time.monotonic() < deadline, f"{what}: not within {PATIENCE:g} s"
        time.sleep(0.2)


def one_line(done: Done) -> str:
    """The line with which a command has ended that was refused."""
    assert done.returncode != 0 and "Traceback" not in done.stderr, done.stdout + done.stderr
    return done.stderr.strip().splitlines()[-1]


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


class Stack:
    """One project; `directory` holds its settings and passwords."""

    def __init__(self, directory: Path, project: str) -> None:
        self.directory, self.project = directory, project
        self.stories = directory / "stories"
        ours = ("LANTERN_", "NATS_", "ANTHROPIC_", "COMPOSE_")
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}

    # -- as a user does it

    def deploy(self, *arguments: str) -> Done:
        command = [sys.executable, str(ROOT / "deploy" / "deploy.py"), "--directory", str(self.directory)]
        return self._run([*command, *arguments])

    def up(self, *arguments: str) -> Done:
        return self._deployed("up", *arguments)

    def set_up(self, *arguments: str) -> Done:
        return self._deployed("setup", *arguments)

    def _deployed(self, do: str, *arguments: str) -> Done:
        """The first time with a free port, and with health checks that do not wait long."""
        settings, given = self.directory / ".env", ["--project", self.project, "--image", IMAGE]
        if not settings.exists():
            settings.write_text(f"LANTERN_FILES=compose.yaml {QUICK}\n")
            given += ["--port", str(free_port())]
        return self.deploy(do, *given, "--stories", str(self.stories), *arguments)

    def compose(self, *arguments: str, files: tuple[Path, ...] = ()) -> Done:
        """docker compose, with further files."""
        return self._run([*self.compose_command(files), *arguments])

    def compose_command(self, files: tuple[Path, ...] = ()) -> list[str]:
        sys.path.insert(0, str(ROOT / "deploy"))
        from deployment import Deployment

        further = [part for file in files for part in ("-f", str(file))]
        return [*Deployment(self.directory).command(), *further]

    def _run(self, command: list[str]) -> Done:
        return subprocess.run(
            command, env=self.environment, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600
        )

    # -- `lantern` on this machine, against it

    def settings(self) -> dict[str, str]:
        lines = (self.directory / ".env").read_text().splitlines()
        return dict(line.split("=", 1) for line in lines if not line.startswith("#"))

    def env(self, user: str = "player") -> dict[str, str]:
        settings = self.settings()
        return {
            **self.environment,
            "NATS_URL": f"nats://127.0.0.1:{settings['LANTERN_PORT']}",
            "LANTERN_NATS_USER": user,
            "LANTERN_NATS_PASSWORD_FILE": str(Path(settings["LANTERN_SECRETS"]) / user),
            "LANTERN_CELL": settings["LANTERN_CELL"],
            "LANTERN_HOME": str(self.directory / "home"),
            "LANTERN_OUTAGE": "120",
            "TERM": "dumb",
        }

    def url(self, user: str) -> str:
        env = self.env(user)
        return with_login(env["NATS_URL"], user, Path(env["LANTERN_NATS_PASSWORD_FILE"]).read_text())

    def lantern(self, *arguments: str, user: str = "player") -> Done:
        command = [sys.executable, "-m", "lantern.cli", *arguments]
        return subprocess.run(
            command, env=self.env(user), cwd=ROOT, capture_output=True, text=True, check=False, timeout=300
        )

    def json(self, *arguments: str) -> Any:
        done = self.lantern(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def sessions(self) -> list[str]:
        return [listed["session"] for listed in self.json("sessions", "list")]

    def verify(self, session: str) -> None:
        done = self.lantern("sessions", "verify", session)
        assert done.returncode == 0, done.stdout + done.stderr

    @contextmanager
    def playing(self, story: str | Path, session: str, steps: int) -> Iterator[Play]:
        """A session under way; it is stopped with the block, if it has not ended."""
        play = Play(self, str(story), session, steps)
        try:
            yield play
        finally:
            if play.process.poll() is None:
                play.process.send_signal(signal.SIGINT)
                play.process.wait(60)

    # -- its containers

    def containers(self) -> dict[str, str]:
        """Each container's id, and the service it is of; ended ones too."""
        ours = f"label=com.docker.compose.project={self.project}"
        wanted = '{{.ID}} {{.Label "com.docker.compose.service"}}'
        listed = docker("ps", "-a", "--filter", ours, "--format", wanted).splitlines()
        return dict(line.split(maxsplit=1) for line in listed)

    def container(self, service: str) -> str:
        """The id of the one container of a service that runs."""
        by = [
            f"label=com.docker.compose.project={self.project}",
            f"label=com.docker.compose.service={service}",
        ]
        filters = [part for one in by for part in ("--filter", one)]
        [found] = docker("ps", "-q", "--no-trunc", *filters).split()
        return found

    def inspect(self, service: str) -> dict[str, Any]:
        [told] = json.loads(docker("inspect", self.container(service)))
        return dict(told)

    def health(self, service: str) -> str:
        return str(self.inspect(service)["State"]["Health"]["Status"])

    def wait_until_well(self, *services: str) -> None:
        for service in services or (*SERVICES, "nats"):
            until(lambda service=service: self.health(service) == "healthy", f"{service} is well")

    def execute(self, service: str, *command: str) -> Done:
        whole = ["docker", "exec", self.container(service), *command]
        return subprocess.run(whole, capture_output=True, text=True, check=False, timeout=120)

    def kill(self, service: str) -> None:
        """Kill what runs in a container, and wait until the engine has started it again."""
        container, before = self.container(service), self.inspect(service)["State"]["Pid"]
        os.kill(before, signal.SIGKILL)
        look = ("inspect", "-f", "{{.State.Running}} {{.State.Pid}}", container)
        until(
            lambda: docker(*look).split() not in (["true", str(before)], ["false", "0"]), f"{service} is back"
        )

    def remove(self) -> None:
        """Leave no container, network, volume or file behind."""
        if (self.directory / ".env").exists():
            done = self.deploy("down", "--forget")
            assert done.returncode == 0, done.stderr
        label = f"label=com.docker.compose.project={self.project}"
        for kind, listed in {"container": ["ls", "-a"], "network": ["ls"], "volume": ["ls"]}.items():
            left = docker(kind, *listed, "-q", "--filter", label).split()
            assert not left, f"{kind} left: {left}"


class Play:
    """`lantern play` under way; its lines go to a file."""

    def __init__(self, stack: Stack, story: str, session: str, steps: int) -> None:
        self.out = stack.directory / f"{session}.out"
        command = [
            sys.executable,
            "-m",
            "lantern.cli",
            "play",
            story,
            "--session",
            session,
            "--steps",
            str(steps),
        ]
        with self.out.open("w") as out:
            self.process = subprocess.Popen(command, env=stack.env(), cwd=ROOT, stdout=out, stderr=out)

    def steps(self) -> list[int]:
        """The numbers of the steps that were shown, in the order in which they came."""
        return [int(number) for number in re.findall(r"^\[(\d+)\] ", self.out.read_text(), re.MULTILINE)]

    def wait_for_step(self, number: int) -> None:
        def there() -> bool:
            assert self.process.poll() in (None, 0), self.out.read_text()[-2000:]
            return max(self.steps(), default=-1) >= number

        until(there, f"step {number}")

    def finish(self) -> None:
        """Wait for its end, with every step shown once and in order."""
        assert self.process.wait(600) == 0, self.out.read_text()[-2000:]
        assert self.steps() == list(range(len(self.steps())))
