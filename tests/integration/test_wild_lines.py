"""No command line, however wild, ends in a traceback, runs for ever, or complains in more than a line."""

from __future__ import annotations

import contextlib
import io
import os
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
import structlog

from lantern import cli
from tests.support.processes.wild_lines import make_wild_files, wild_lines, wild_settings

LIMIT = 40.0
"""Seconds within which a line ends; one that would run until Ctrl-C gets it after `PATIENCE`."""
PATIENCE = 6.0

HANDFUL = (
    ("dead-letters", "show", "0"),
    ("dead-letters", "retry", "-1"),
    ("dead-letters", "drop", "9" * 30),
    ("dead-letters", "show", "9" * 5000),
    ("play", "a" * 255),
    ("play", "a" * 300 + ".z5"),
    ("play", "/dev/zero"),
    ("play", "\udcff.z5"),
    ("replay", "nobody", "--speed", "x1e-300"),
    ("replay", "nobody", "--speed", "x" + "9" * 400),
    ("serve", "/dev/zero:A"),
    ("serve", "folder:A"),
    ("sessions", "list", "--nats", "nats://a%0Ab:c@127.0.0.1:1"),
    ("nats-config", "--agent", "two\nlines"),
    ("nats-config", "--cell", "two\nlines"),
    ("memory", "graph", "nobody", "--at", "9" * 30),
    ("fork", "nobody", "--at", "9" * 400),
    ("top", "--interval", "nan"),
    ("play", "--budget-usd", "nan"),
    ("play", "--seed", "9" * 400),
    ("evaluate", "--games", "a/" * 3000),
    ("evaluate", "compare", "a/" * 3000, "a" * 300),
    ("evaluate", "--games", "bundled", "--policy", "random", "--out", "a" * 300),
    ("evaluate", "--games", "bundled", "--agent", "a" * 300 + ".py:A"),
    ("play", "--agent", "a" * 300 + ".py:A"),
    ("web", "--evaluations", "a" * 300),
)


@pytest.fixture
def here(tmp_path: Path, nats_url: str) -> Iterator[Path]:
    """A working directory with wild files, and the settings of a user in it."""
    folder = tmp_path / "deep" / "down"
    folder.mkdir(parents=True)
    make_wild_files(folder)
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    ours = {"LANTERN_HOME": str(tmp_path / "home"), "NATS_URL": nats_url, "TERM": "dumb", "COLUMNS": "100"}
    with (
        mock.patch.dict(os.environ, {**kept, **ours}, clear=True),
        mock.patch("mesh.file_reading.WITHIN", 0.1),
        contextlib.chdir(folder),
    ):
        yield folder


def outcome(line: tuple[str, ...]) -> tuple[int, str, float]:
    """The exit code, what was printed on standard error, and the seconds that it took."""
    out, err, began = io.TextIOWrapper(io.BytesIO()), io.StringIO(), time.monotonic()
    before = signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    signal.setitimer(signal.ITIMER_REAL, PATIENCE, 2 * PATIENCE)
    try:
        with Path(os.devnull).open() as nothing, mock.patch("sys.stdin", nothing):
            code = cli.run(line, out, err)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        structlog.reset_defaults()
    return code, err.getvalue(), time.monotonic() - began


def check(line: tuple[str, ...]) -> None:
    code, complaint, seconds = outcome(line)

    assert code in (0, 1, 2, 130), (line, complaint)
    assert "Traceback" not in complaint, (line, complaint)
    assert seconds < LIMIT, (line, seconds)
    assert "\x1b" not in complaint, (line, complaint)
    if code == 2:
        assert complaint.count("\n") == 1 and complaint.startswith("lantern: "), (line, complaint)


@pytest.mark.parametrize(
    "line", HANDFUL, ids=lambda line: " ".join(line)[:40].encode(errors="replace").decode()
)
def test_a_wild_line_is_one_line(here: Path, line: tuple[str, ...]) -> None:
    check(line)


@pytest.mark.exhaustive
@pytest.mark.timeout(1000)
@pytest.mark.parametrize("seed", range(6))
def test_many_wild_lines_are_one_line_each(here: Path, seed: int) -> None:
    chance = random.Random(seed)
    for line in wild_lines(60, seed):
        with mock.patch.dict(os.environ, wild_settings(chance)):
            check(line)
