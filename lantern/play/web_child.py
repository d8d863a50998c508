"""The page beside a session that is played: `lantern web` in a child process, which ends with this one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import mesh.child_process
from mesh.child_process import child_environment
from mesh.errors import FailureError
from mesh.settings import MeshSettings

ENDS_WITHIN = 10.0
"""Seconds that the page may take to end."""


class PageNotServed(FailureError):
    """The page has ended before it was served."""


@contextmanager
def page_beside(session: str, settings: MeshSettings, *, control: bool) -> Iterator[str]:
    """Serve the page of a session while the block runs; its address.

    Raises:
        PageNotServed: it cannot be served.
    """
    nats = ["--nats", settings.nats_url] if settings.nats_url else []
    process = subprocess.Popen(
        [
            *(sys.executable, mesh.child_process.__file__, str(os.getpid())),
            *(sys.executable, "-m", "lantern.cli", "web", "--port", "0", "--session", session),
            *(["--control"] if control else []),
            *nats,
        ],
        env={**os.environ, **child_environment(), "LANTERN_HOME": str(settings.home.absolute())},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    try:
        yield _address(process)
    finally:
        process.terminate()
        try:
            process.wait(ENDS_WITHIN)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _address(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None and process.stderr is not None
    if address := process.stdout.readline().strip():
        return address
    said = process.stderr.read().strip().splitlines()
    raise PageNotServed(
        said[-1].removeprefix("lantern: ") if said else "The web page has ended. See web.log."
    )
