"""A real browser for the tests: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.support.processes.command import Lantern, Running

OPTIONS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()

PATIENCE = 30_000
"""Milliseconds: a busy machine is slow."""

VIEWPORT = {"width": 1440, "height": 900}


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser with a fresh profile; without Chromium the test is skipped, where it is not required."""
    program = shutil.which("chromium")
    if program is None:
        assert os.environ.get("LANTERN_TEST_BROWSER") != "required", (
            "Chromium is missing: apt-get install chromium"
        )
        pytest.skip("Chromium is missing; `apt-get install chromium` installs it")
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=OPTIONS)
        try:
            yield browser
        finally:
            browser.close()


class FaultyPage(AssertionError):
    """A page has logged an error, or asked for something elsewhere."""


@contextmanager
def opened(browser: Browser, url: str, **options: object) -> Iterator[Page]:
    """A page in a context of its own. It must log no error but those of a server that is away."""
    context = browser.new_context(**{"viewport": VIEWPORT, "reduced_motion": "reduce", **options})
    context.set_default_timeout(PATIENCE)
    page, faults, origin = context.new_page(), list[str](), "/".join(url.split("/")[:3])
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda told: faults.append(told.text) if told.type == "error" else None)
    page.on(
        "request",
        lambda asked: None if asked.url.startswith((origin, "data:", "blob:")) else faults.append(asked.url),
    )
    try:
        page.goto(url)
        yield page
    finally:
        context.close()
    if unexpected := [fault for fault in faults if "Failed to load resource" not in fault]:
        raise FaultyPage(unexpected)


@contextmanager
def web(lantern: Lantern, *arguments: str) -> Iterator[str]:
    """`lantern web` on a free port; its address."""
    running = lantern.start("web", "--port", "0", *arguments)
    try:
        yield _address(running)
    finally:
        running.process.terminate()
        assert (running.wait().returncode, running.err.read_text()) == (0, "")


def _address(running: Running) -> str:
    deadline = time.monotonic() + 60
    while "\n" not in (told := running.out.read_text()):
        assert running.process.poll() is None and time.monotonic() < deadline, running.err.read_text()
        time.sleep(0.02)
    return told.split()[0]


def stopped(running: Running) -> subprocess.CompletedProcess[str]:
    """End a command as Ctrl-C would."""
    running.process.terminate()
    return running.wait()
