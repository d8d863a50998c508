"""How long it takes to take a long session up again, with and without its snapshots and stored states.

Usage: python -m benchmarks.resume [STORY] [--steps N]

Writes the record of a session (its steps alone, a walk of seeded random directions) into a fresh home, then
resumes it: the game service alone, and the whole command until its first new step. The first command finds
no stored states and folds the record; the second finds those that the first has stored. Prints Markdown.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.mesh import default_story, machine
from lantern.nats.connection import connection
from lantern.nats.embedded_nats import embedded_nats
from lantern.play.story_files import load_story
from mesh.record import snapshots, stories
from mesh.record.bus import Bus
from mesh.settings import MeshSettings
from schemas.game import EndReason, ResumeSession, SessionAnswer, SessionEnded, SessionStarted
from services.game.emulator.client import Emulator
from services.game.service import GameService
from services.game.session.game_session import GameSession
from services.game.session.session_snapshot import packed

SESSION = "long"
ACTIONS = (
    "north",
    "south",
    "east",
    "west",
    "up",
    "down",
    "look",
    "inventory",
    "take all",
    "drop all",
    "wait",
)


async def write_session(bus: Bus, story_name: str, steps: int) -> None:
    """A record of so many steps, with the snapshots that the game service would have kept."""
    story = load_story(story_name)
    started = SessionStarted(
        step=0,
        game=Path(story_name).stem,
        story_md5=await stories.put(bus.cell, story.data),
        story_suffix=story.suffix,
        policy="random",
        seed=1,
        steps=steps,
        valid_actions=False,
    )
    chance = random.Random(1)
    playing = GameSession(started, session=SESSION)
    await bus.writer.publish(SESSION, started)
    await bus.writer.publish(SESSION, await playing.opening(await Emulator.start(story, 1)))
    for _ in range(steps):
        await bus.writer.publish(SESSION, await playing.execute(chance.choice(ACTIONS)))
        if (kept := playing.to_snapshot()) is not None:
            await snapshots.put(bus.cell, SESSION, kept.step, packed(kept))
    await bus.writer.publish(SESSION, SessionEnded(step=steps, reason=EndReason.BUDGET))
    await playing.close()


async def game_resume(bus: Bus, home: Path) -> float:
    """Seconds from the request until the game service can execute the next action."""
    game = GameService()
    await game.joined(bus, MeshSettings(home=home))
    began = time.perf_counter()
    _, resume = game.asked()["resume"]
    answer = await resume(ResumeSession(session=SESSION, steps=5), None)
    took = time.perf_counter() - began
    assert answer == SessionAnswer(ok=True)
    await game.left()
    return took


def command_resume(home: Path) -> float:
    """Seconds from typing the command until the first new step."""
    began = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "lantern.cli", "resume", SESSION, "--steps", "3"],
        env={**os.environ, "LANTERN_HOME": str(home)},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        took = 0.0
        for line in process.stdout:
            if line.startswith("[") and not took:
                took = time.perf_counter() - began
    return took


async def measured(home: Path, story: str, steps: int) -> list[tuple[str, float]]:
    async with embedded_nats(home) as url, connection(url, "main", "game") as bus:
        await write_session(bus, story, steps)
        newest = await snapshots.newest(bus.cell, SESSION)
        size = len(newest.data) / 1024 if newest else 0.0
        rows = [("game service, s", await game_resume(bus, home)), ("newest snapshot, KB", size)]
        await snapshots.delete(bus.cell, SESSION)
        rows.append(("game service without snapshots, s", await game_resume(bus, home)))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("story", nargs="?", default=default_story())
    parser.add_argument("--steps", type=int, default=10_050)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory)
        rows = asyncio.run(measured(home, given.story, given.steps))
        rows.append(("whole command to its first new step, without stored states, s", command_resume(home)))
        rows.append(("whole command to its first new step, s (goal: under 3)", command_resume(home)))
    load = os.getloadavg()[0]
    print(f"{Path(given.story).name}, {given.steps} steps, load {load:.1f}; {machine()}\n")
    print("| figure | measured |\n| --- | --- |")
    for label, value in rows:
        print(f"| {label} | {value:.2f} |")


if __name__ == "__main__":
    main()
