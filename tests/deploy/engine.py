"""A docker engine for the tests: the one that runs, or one of their own; and the images to build on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
BASES = ("python:3.11-slim", "python:3.11", "nats:2-alpine")
STARTS_WITHIN = 60.0
PULLED_WITHIN = 300.0
"""Seconds."""


class NoEngine(Exception):
    """No engine can be had; the text says why."""


def docker(*arguments: str, check: bool = True) -> str:
    done = subprocess.run(["docker", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0 or not check, done.stderr
    return done.stdout


@contextmanager
def engine(log: Path) -> Iterator[None]:
    """One that answers; where none runs and we are root, one that lasts as long as the block.

    Raises:
        NoEngine: there is none, and none can be started.
    """
    if _answers():
        yield
        return
    if os.getuid() != 0 or shutil.which("dockerd") is None:
        raise NoEngine("no docker engine answers, and none can be started here (not root, or no dockerd)")
    with log.open("w") as out:
        started = subprocess.Popen(["dockerd"], stdout=out, stderr=out, start_new_session=True)
    try:
        deadline = time.monotonic() + STARTS_WITHIN
        while not _answers():
            if started.poll() is not None or time.monotonic() > deadline:
                raise NoEngine(f"dockerd does not start: {log.read_text()[-2000:]}")
            time.sleep(0.2)
        yield
    finally:
        started.terminate()
        started.wait(60)


@contextmanager
def images() -> Iterator[None]:
    """The images to build on, pulled or made here; what the block adds to all images is gone after it."""
    before = _ids()
    missing = [tag for tag in BASES if not docker("images", "-q", tag).strip()]
    if not all(_pulled(tag) for tag in missing):
        server = Path(sys.executable).with_name("nats-server")
        subprocess.run([sys.executable, str(ROOT / "deploy" / "base_images.py"), str(server)], check=True)
    try:
        yield
    finally:
        while added := _ids() - before:
            docker("rmi", "-f", *added, check=False)
            if _ids() - before == added:
                raise AssertionError(f"these images cannot be removed: {added}")


def _answers() -> bool:
    if shutil.which("docker") is None:
        return False
    return subprocess.run(["docker", "info"], capture_output=True, check=False).returncode == 0


def _pulled(tag: str) -> bool:
    try:
        pulling = ["docker", "pull", "--quiet", tag]
        return (
            subprocess.run(pulling, capture_output=True, timeout=PULLED_WITHIN, check=False).returncode == 0
        )
    except subprocess.TimeoutExpired:
        return False


def _ids() -> set[str]:
    return {*docker("images", "-a", "-q", "--no-trunc").split()}
