"""What the web page costs: how soon it is there, whether a live game stutters, what viewers cost the game.

Usage: python -m benchmarks.web [VIEWERS]
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, NamedTuple, TypeVar

from playwright.sync_api import Browser, Page, expect

from benchmarks.long_record import LONG, record_long_session, record_session_live
from tests.support.browser.chromium import chromium

T = TypeVar("T")
VIEWERS = 200
STEPS = 1_500
OPENINGS = 3
SECONDS = 15
"""Of a live game in the browser."""
WATCHED = "watched-live"
RATE = 60
"""Steps a second of it."""
COMMAND = (sys.executable, "-m", "lantern.cli")
TICKS = os.sysconf("SC_CLK_TCK")

LATE = 50
"""Milliseconds between two pictures from which on one sees it."""
LISTED = "document.querySelector('#rows tr')"
SHOWN = "document.querySelector('#transcript li.here .text')?.textContent.length > 1"
WHOLE = "!document.querySelector('#state').hidden"
DRAWN = "document.querySelector('.room.here')"

WATCH_FRAMES = """() => {
  window.frames = []; window.tasks = [];
  const seen = (list) => { for (const each of list.getEntries()) tasks.push(each.duration); };
  new PerformanceObserver(seen).observe({ type: "longtask" });
  let last = performance.now();
  const tick = (now) => { frames.push(now - last); last = now; requestAnimationFrame(tick); };
  requestAnimationFrame(tick);
}"""


class Played(NamedTuple):
    """What a play came to."""

    steps_per_second: float
    milliseconds: float
    """Of processor time for each step, the command's start included, the NATS server's not."""

    def __str__(self) -> str:
        return f"{self.steps_per_second:.1f} steps/s, {self.milliseconds:.1f} ms of processor time a step"


class Served(NamedTuple):
    """A page that is served."""

    url: str
    process: int

    def processor_seconds(self) -> float:
        """What its process has used so far."""
        fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS


def main(viewers: int) -> None:
    """Print the table of benchmarks/README.md."""
    with TemporaryDirectory(prefix="lantern-web-") as folder, chromium() as browser:
        env = {**os.environ, "LANTERN_HOME": str(Path(folder) / "home")}
        print(f"load average {os.getloadavg()[0]:.1f}")
        alone = play(env, "alone")
        run_apart(record_long_session(Path(env["LANTERN_HOME"])))
        for _ in range(OPENINGS):
            with served(env) as page:
                print(opening(browser, page))
        with served(env) as page:
            live(browser, page, Path(env["LANTERN_HOME"]))
        print(f"game alone: {alone}")
        with served(env) as page:
            counts, played = run_apart(watched_play(env, page.url, viewers))
            print(f"game with {viewers} viewers: {played}")
            print(f"bytes told to a viewer: {min(counts):,} to {max(counts):,}")


def opening(browser: Browser, served: Served) -> str:
    """How soon the list, and a session of 10,000 steps are there, in a browser and a server that are cold."""
    with opened(browser) as page:
        began = time.perf_counter()
        page.goto(served.url)
        page.wait_for_function(LISTED)
        listed = time.perf_counter() - began
    before = served.processor_seconds()
    with opened(browser) as page:
        began = time.perf_counter()
        page.goto(f"{served.url}sessions/{LONG}")
        page.wait_for_function(SHOWN)
        shown = time.perf_counter() - began
        page.wait_for_function(WHOLE)
        whole = time.perf_counter() - began
        page.wait_for_function(DRAWN)
        drawn = time.perf_counter() - began
    used = served.processor_seconds() - before
    return (
        f"cold: the list after {listed:.2f} s; of 10,000 steps the last one after {shown:.2f} s, "
        f"the timeline after {whole:.2f} s, the map after {drawn:.2f} s; "
        f"{used:.2f} s of the server's processor time"
    )


def live(browser: Browser, served: Served, home: Path) -> None:
    """Watch a game of 60 steps a second in a browser."""
    published: list[float] = []
    game = Thread(
        target=asyncio.run, args=(record_session_live(home, WATCHED, RATE, SECONDS + 8, published),)
    )
    game.start()
    while len(published) < RATE:
        time.sleep(0.05)
    lags = []
    with opened(browser) as page:
        page.goto(f"{served.url}sessions/{WATCHED}")
        expect(page.locator("#state")).to_have_text("live")
        time.sleep(2)
        page.evaluate(WATCH_FRAMES)
        metrics = page.context.new_cdp_session(page)
        metrics.send("Performance.enable")
        busy, used, steps = busy_seconds(metrics), served.processor_seconds(), len(published)
        began = time.perf_counter()
        while time.perf_counter() < began + SECONDS:
            time.sleep(0.5)
            shown, now = int(page.locator("#strip").get_attribute("aria-valuenow") or -1), time.perf_counter()
            lags.append(now - published[min(shown, len(published) - 1)])
        seconds = time.perf_counter() - began
        frames, tasks = page.evaluate("[frames, tasks]")
        busy, used = busy_seconds(metrics) - busy, served.processor_seconds() - used
        rate = (len(published) - steps) / seconds
    game.join()
    frames.sort()
    print(
        f"live: {rate:.1f} steps/s; {len(frames) / seconds:.1f} frames/s, "
        f"half within {statistics.median(frames):.0f} ms, "
        f"99 of 100 within {frames[len(frames) * 99 // 100]:.0f} ms, the longest {frames[-1]:.0f} ms, "
        f"{sum(each > LATE for each in frames)} of more than {LATE} ms"
    )
    print(
        f"live: {len(tasks)} long tasks, the longest {max(tasks, default=0):.0f} ms; "
        f"the page's thread takes {busy / seconds:.0%} of a processor, the server {used / seconds:.0%}; "
        f"what is shown is {statistics.median(lags):.2f} s old, at most {max(lags):.2f} s"
    )


def run_apart(measured: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in a thread of its own: Playwright's loop is running in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, measured).result()


def busy_seconds(metrics: Any) -> float:
    """Seconds of processor time of the page's thread in the browser."""
    told = {each["name"]: each["value"] for each in metrics.send("Performance.getMetrics")["metrics"]}
    return float(told["ThreadTime"])


@contextmanager
def opened(browser: Browser) -> Iterator[Page]:
    """A page with an empty cache; what is measured is evaluated in it, which its policy forbids."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, bypass_csp=True)
    try:
        yield context.new_page()
    finally:
        context.close()


def play(env: dict[str, str], session: str) -> Played:
    """Play a session of its own processes."""
    options = (
        "--policy",
        "random",
        "--no-valid-actions",
        "--steps",
        str(STEPS),
        "--json",
        "--session",
        session,
    )
    with subprocess.Popen((*COMMAND, "play", *options), env=env, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        told = json.loads(process.stdout.read())
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = 0
    return Played(STEPS / told["seconds"], (used.ru_utime + used.ru_stime) / STEPS * 1000)


async def watched_play(env: dict[str, str], url: str, viewers: int) -> tuple[list[int], Played]:
    """Play with so many viewers; the bytes told to each."""
    watched = asyncio.create_task(asyncio.to_thread(play, env, "watched"))
    await asyncio.to_thread(wait_for, url, "watched")
    counts = [0] * viewers
    watching = [asyncio.create_task(watch(url, "watched", counts, each)) for each in range(viewers)]
    played = await watched
    for each in watching:
        each.cancel()
    await asyncio.gather(*watching, return_exceptions=True)
    return counts, played


@contextmanager
def served(env: dict[str, str]) -> Iterator[Served]:
    """A page of its own process."""
    with subprocess.Popen(
        (*COMMAND, "web", "--port", "0"), env=env, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield Served(process.stdout.readline().strip(), process.pid)
        finally:
            process.terminate()


async def watch(url: str, session: str, counts: list[int], number: int) -> None:
    """Read a session's events, and count their bytes."""
    host, port = url.split("//")[1].rstrip("/").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"GET /api/sessions/{session}/events HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
    while data := await reader.read(65536):
        counts[number] += len(data)


def wait_for(url: str, session: str) -> None:
    """Wait until a session has begun."""
    while session not in [each["session"] for each in get(f"{url}api/sessions")["sessions"]]:
        time.sleep(0.05)


def get(url: str) -> Any:
    """The JSON at an address."""
    return json.load(urllib.request.urlopen(url))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else VIEWERS)
