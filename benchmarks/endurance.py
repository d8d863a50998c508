"""How a long session fares: playing it, its export, its import, its verification, and memory meanwhile.

Usage: python -m benchmarks.endurance [STORY] [--steps N]

Plays a session by the random policy without valid actions in a fresh home, then runs each command on it as a
user does: export, import into another fresh home, verify in both. Prints Markdown.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.mesh import MEGABYTE, Measured, default_story, machine
from games import BUNDLED
from lantern.play.play import play
from lantern.play.session_options import PlayOptions, checked_story
from mesh.log import log_to_file
from mesh.settings import MeshSettings

SESSION = "long"
POINTS = 5
"""At which memory is read while the session is played."""


def played(home: Path, story: str, steps: int) -> tuple[float, Measured]:
    """Play the session; seconds, and what was seen meanwhile."""
    watcher = Measured(home, tuple(steps * point // POINTS for point in range(1, POINTS + 1)))
    wish = PlayOptions(story, steps, "random", 1, SESSION, "main", valid_actions=False)
    began = time.perf_counter()
    with log_to_file(home / "lantern.log"):
        asyncio.run(play(wish, checked_story(wish), MeshSettings(home=home), watcher))
    return time.perf_counter() - began, watcher


def commanded(home: Path, *arguments: str) -> tuple[float, float]:
    """Run a command to its end; seconds, and the most memory that it or a child of its held, in MB.

    The most of all commands so far: the operating system keeps no more.
    """
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "lantern.cli", *arguments],
        env={**os.environ, "LANTERN_HOME": str(home)},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / MEGABYTE
    return time.perf_counter() - began, peak


def rows(directory: Path, story: str, steps: int) -> Iterator[tuple[str, float, str]]:
    """Label, seconds, memory."""
    here, elsewhere = directory / "here", directory / "elsewhere"
    here.mkdir()
    file = directory / "long.jsonl"
    took, watcher = played(here, story, steps)
    memory = ", ".join(f"{resident:.0f} at {step}" for step, (resident, _) in sorted(watcher.memory.items()))
    yield "play", took, memory
    given = ("--story", str(BUNDLED) if story == "bundled" else story)
    commands: dict[str, tuple[Path, tuple[str, ...]]] = {
        "export": (here, ("sessions", "export", SESSION, str(file))),
        "import": (elsewhere, ("sessions", "import", str(file))),
        "verify": (here, ("sessions", "verify", SESSION)),
        "verify, imported": (elsewhere, ("sessions", "verify", SESSION, *given)),
        "replay": (here, ("replay", SESSION)),
    }
    for label, (home, arguments) in commands.items():
        took, peak = commanded(home, *arguments)
        yield label, took, f"{peak:.0f} at most, so far"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("story", nargs="?", default=default_story())
    parser.add_argument("--steps", type=int, default=5000)
    given = parser.parse_args()
    load = os.getloadavg()[0]
    print(f"{Path(given.story).name}, random policy, {given.steps} steps, load {load:.1f}; {machine()}\n")
    print("| command | seconds | memory, MB |\n| --- | --- | --- |")
    with tempfile.TemporaryDirectory() as directory:
        for label, seconds, memory in rows(Path(directory), given.story, given.steps):
            print(f"| {label} | {seconds:.1f} | {memory} |", flush=True)


if __name__ == "__main__":
    main()
