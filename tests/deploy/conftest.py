"""One engine and one set of images for all tests of a deployment."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from engine import ROOT, engine, images
from stack import Stack

from games import BUNDLED

SHARED = ROOT.parent / "shared" / "games"


@pytest.fixture(scope="session", autouse=True)
def docker_engine() -> Iterator[None]:
    with (
        TemporaryDirectory(prefix="lantern-engine-") as directory,
        engine(Path(directory) / "dockerd.log"),
        images(),
    ):
        yield


@pytest.fixture(scope="session")
def stories() -> Iterator[Path]:
    """A directory of stories as a user has one: ours, and a shared one where it is there."""
    with TemporaryDirectory(prefix="lantern-stories-") as directory:
        for story in (BUNDLED, SHARED / "zork1.z5"):
            if story.is_file():
                shutil.copy(story, directory)
        Path(directory).chmod(0o755)
        yield Path(directory)


def a_stack(project: str, stories: Path, *arguments: str) -> Iterator[Stack]:
    """A stack that is up, and gone afterwards."""
    with TemporaryDirectory(prefix="lantern-deploy-") as directory:
        stack = Stack(Path(directory), project)
        stack.stories = stories
        try:
            done = stack.up(*arguments)
            assert done.returncode == 0, done.stdout + done.stderr
            yield stack
        finally:
            stack.remove()
