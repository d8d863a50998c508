"""How soon a service has a message that comes after a pause.

Usage: python -m benchmarks.idle [--cycles N]

Each cycle is a pause of 0.05 to 1.5 s (the same mixture each time), one step published into the record, and
the time from before its publication until the service's handler has it, through the real inbox. Nothing
should be much slower than the median: a stalled pull request shows as an outlier. Prints Markdown.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.mesh import machine
from lantern.nats.connection import connection
from lantern.nats.embedded_nats import embedded_nats
from lantern.play.compose import running
from mesh.log import log_to_file
from mesh.runner.service import Service, Session
from mesh.settings import MeshSettings
from schemas.base import Message
from schemas.envelope import Envelope
from schemas.game import SessionStarted, StepTaken

PAUSES = (0.05, 1.5)
"""Seconds: the shortest and the longest pause."""

ALLOWED = 0.1
"""Seconds that a delivery may take longer than the median."""


class Listener(Service[None]):
    """Notes when each step has come."""

    name = "listener"
    version = "1.0.0"
    reads = (StepTaken,)
    folds_steps = False

    def __init__(self) -> None:
        self.heard: asyncio.Queue[tuple[int, float]] = asyncio.Queue()

    def opening(self, started: SessionStarted) -> None:
        return None

    async def answer(self, session: Session[None], envelope: Envelope) -> Sequence[Message]:
        if isinstance(envelope.body, StepTaken):
            self.heard.put_nowait((envelope.step, time.perf_counter()))
        return ()


async def measure(cycles: int, home: Path) -> list[float]:
    """Seconds from publication to handler, for each cycle."""
    settings, chance, listener = MeshSettings(home=home), random.Random(1), Listener()
    async with (
        embedded_nats(home) as url,
        connection(url, "main") as bus,
        running([listener], url, "main", settings),
    ):
        started = SessionStarted(
            step=0, game="none", story_md5="0" * 32, story_suffix=".z5", policy="random", seed=1, steps=cycles
        )
        await bus.writer.publish("idle", started)
        took = []
        for number in range(cycles):
            await asyncio.sleep(chance.uniform(*PAUSES))
            began = time.perf_counter()
            await bus.writer.publish("idle", StepTaken(step=number, action=None, observation="A text."))
            async with asyncio.timeout(60):
                step, when = await listener.heard.get()
            assert step == number, f"step {step} came for step {number}"
            took.append(when - began)
        return took


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cycles", type=int, default=200)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory)
        with log_to_file(home / "lantern.log"):
            took = sorted(asyncio.run(measure(given.cycles, home)))
    median, worst = statistics.median(took), took[-1]
    print(f"{given.cycles} cycles of a pause and one message, all delivered\n\n{machine()}\n")
    print("| figure | ms |\n| --- | --- |")
    for label, value in (
        ("median", median),
        ("p99", took[int(0.99 * (len(took) - 1))]),
        ("worst", worst),
        ("worst less median", worst - median),
    ):
        print(f"| {label} | {1e3 * value:.1f} |")
    late = sum(each - median > ALLOWED for each in took)
    print(f"| deliveries over {1e3 * ALLOWED:.0f} ms slower than the median | {late} of {given.cycles} |")


if __name__ == "__main__":
    main()
