"""One engine and one set of images for all tests of a deployment."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
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


@contextmanager
def a_stack(project: str, stories: Path) -> Iterator[Stack]:
    """A stack that is nowhere afterwards."""
    with TemporaryDirectory(prefix="lantern-deploy-") as directory:
        stack = Stack(Path(directory), project)
        stack.stories = stories
        try:
            yield stack
        finally:
            stack.remove()


@pytest.fixture(scope="session")
def deployed(stories: Path) -> Iterator[Stack]:
    """Set up once, and then started by hand, as by who knows docker compose alone."""
    with a_stack("lanterntest", stories) as stack:
        for done in (stack.set_up(), stack.compose("up", "-d")):
            assert done.returncode == 0, done.stdout + done.stderr
        yield stack


@pytest.fixture
def mesh(deployed: Stack) -> Stack:
    """The stack that all tests share; whatever one did to it, it is well again."""
    deployed.wait_until_well()
    return deployed


@pytest.fixture
def other(deployed: Stack) -> Iterator[Stack]:
    """A second one beside, of the same images."""
    with a_stack("lanterntest-other", deployed.stories) as stack:
        yield stack
