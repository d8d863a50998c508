"""How long a step takes while a sub-agent of the user's own attacks the session.

Usage: python -m benchmarks.hostile [--steps N]

The server runs as it is deployed, with one user per service. The services run in this process, the attacker
in one of its own, with the user of a sub-agent. Each attack is repeated for as long as the session is played;
the attacks are those of tests/support/servers/attacks.py. Prints Markdown.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

from benchmarks.mesh import machine
from benchmarks.throughput import StepTimes
from lantern.nats.connection import identity
from lantern.play.play import play
from lantern.play.session_options import PlayOptions, checked_story
from mesh.log import log_to_file
from mesh.record.bus import Bus
from mesh.settings import MeshSettings
from tests.support.servers.attacks import ATTACKS, Attacker, attacked_server
from tests.support.servers.permitted import Server

UNDISTURBED = "undisturbed"
NAMED = {attack.__name__.replace("_", "-"): attack for attack in ATTACKS}


def attack_until_told(urls: tuple[str, str], session: str, steps: int, told: Connection) -> None:
    """In a process of its own: attack, and say when it begins and how often it was done."""
    with log_to_file(Path(os.devnull)):  # each refusal is an error for whoever is not hostile
        asyncio.run(_attack(urls, session, steps, told))


async def _attack(urls: tuple[str, str], session: str, steps: int, told: Connection) -> None:
    mallory, operator = [
        await Bus.connect(url, identity(name, "1.0.0"), "main")
        for url, name in zip(urls, ("mallory", "operator"), strict=True)
    ]
    attacker = Attacker(mallory, session, steps)
    await attacker.listen(operator)
    await operator.cell.close()
    rounds = 0
    told.send("attacking")
    while not told.poll():
        await NAMED[session](attacker)
        rounds += 1
    told.send(rounds)
    await mallory.cell.break_off()


@asynccontextmanager
async def attacked(server: Server, session: str, steps: int) -> AsyncIterator[list[int]]:
    """Within the block the session is attacked; afterwards the list has the number of rounds."""
    rounds: list[int] = []
    if session == UNDISTURBED:
        yield rounds
        return
    ours, theirs = get_context("spawn").Pipe()
    urls = server.url("mallory"), server.url("operator")
    process = get_context("spawn").Process(target=attack_until_told, args=(urls, session, steps, theirs))
    process.start()
    try:
        assert await asyncio.to_thread(ours.recv) == "attacking"
        yield rounds
        ours.send("enough")
        rounds.append(await asyncio.to_thread(ours.recv))
    finally:
        process.terminate()
        process.join()


async def measure(server: Server, settings: MeshSettings, session: str, steps: int) -> str:
    """A row of the table."""
    options = PlayOptions("bundled", steps, "heuristic", 1, session, "main", valid_actions=False)
    player, watcher = settings.model_copy(update={"nats_url": server.url("player")}), StepTimes()
    async with server.serving(settings), attacked(server, session, steps) as rounds:
        summary = await play(options, checked_story(options), player, watcher)
    took = [1e3 * (after - before) for before, after in pairwise(watcher.times)]
    marks = statistics.quantiles(took, n=100)
    told = " ".join(map(str, rounds)) or "-"
    return (
        f"| {session.replace('-', ' ')} | {told} | {len(took)} | {marks[49]:.1f} | {marks[98]:.1f} "
        f"| {max(took):.1f} | {summary.degraded.count} |"
    )


async def table(steps: int) -> None:
    with tempfile.TemporaryDirectory() as directory, log_to_file(Path(directory) / "lantern.log"):
        settings = MeshSettings(home=Path(directory) / "home")
        (folder := Path(directory) / "nats").mkdir()
        with attacked_server(folder) as server:
            await server.provision(settings)
            for session in (UNDISTURBED, *NAMED):
                print(await measure(server, settings, session, steps), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--steps", type=int, default=300)
    options = parser.parse_args()
    print(f"{machine()}, load {os.getloadavg()[0]:.1f}\n")
    print("| attack | rounds | steps | p50, ms | p99, ms | greatest, ms | degraded |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    asyncio.run(table(options.steps))


if __name__ == "__main__":
    main()
