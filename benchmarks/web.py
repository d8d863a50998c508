"""What the web page costs: how soon a session is shown, and what many viewers cost the game.

Usage: python -m benchmarks.web [VIEWERS]
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

VIEWERS = 200
STEPS = 150
COMMAND = (sys.executable, "-m", "lantern.cli")


class Played(NamedTuple):
    """What a play came to."""

    steps_per_second: float
    milliseconds: float
    """Of processor time for each step, the command's start included, the NATS server's not."""

    def __str__(self) -> str:
        return f"{self.steps_per_second:.1f} steps/s, {self.milliseconds:.1f} ms of processor time a step"


async def main(viewers: int) -> None:
    """Print the table of benchmarks/README.md."""
    with TemporaryDirectory(prefix="lantern-web-") as folder:
        env = {**os.environ, "LANTERN_HOME": str(Path(folder) / "home")}
        print(f"load average {os.getloadavg()[0]:.1f}")
        alone = await play(env, "alone")
        print(f"game alone: {alone}")
        async with page(env) as url:
            print(f"first page: {await opened(url):.3f} s")
            watched = asyncio.create_task(play(env, "watched"))
            await started(url, "watched")
            counts = [0] * viewers
            watching = [asyncio.create_task(watch(url, "watched", counts, each)) for each in range(viewers)]
            played = await watched
            for each in watching:
                each.cancel()
            await asyncio.gather(*watching, return_exceptions=True)
            print(f"game with {viewers} viewers: {played}")
            print(f"bytes told to a viewer: {min(counts):,} to {max(counts):,}")


async def play(env: dict[str, str], session: str) -> Played:
    """Play a session of its own processes."""
    arguments = ("play", "--policy", "random", "--no-valid-actions", "--steps", str(STEPS), "--json")
    return await asyncio.to_thread(_play, (*COMMAND, *arguments, "--session", session), env)


def _play(command: tuple[str, ...], env: dict[str, str]) -> Played:
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        told = json.loads(process.stdout.read())
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = 0
    return Played(STEPS / told["seconds"], (used.ru_utime + used.ru_stime) / STEPS * 1000)


@asynccontextmanager
async def page(env: dict[str, str]) -> AsyncIterator[str]:
    """The page's address."""
    process = await asyncio.create_subprocess_exec(
        *COMMAND, "web", "--port", "0", env=env, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        yield (await process.stdout.readline()).decode().strip()
    finally:
        process.terminate()
        await process.wait()


async def opened(url: str) -> float:
    """Seconds for the list of sessions, after the page's own file."""
    began = time.perf_counter()
    await asyncio.to_thread(lambda: urllib.request.urlopen(url).read())
    await asyncio.to_thread(get, f"{url}api/sessions")
    return time.perf_counter() - began


async def started(url: str, session: str) -> None:
    """Wait until a session has begun."""
    while True:
        told = await asyncio.to_thread(get, f"{url}api/sessions")
        if session in [each["session"] for each in told["sessions"]]:
            return
        await asyncio.sleep(0.05)


async def watch(url: str, session: str, counts: list[int], number: int) -> None:
    """Read a session's events, and count their bytes."""
    host, port = url.split("//")[1].rstrip("/").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"GET /api/sessions/{session}/events HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
    while data := await reader.read(65536):
        counts[number] += len(data)


def get(url: str) -> Any:
    """The JSON at an address."""
    return json.load(urllib.request.urlopen(url))


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else VIEWERS))
