"""`lantern search` as a user runs it: what it prints was earned again in a recorded session."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.scenes.stories import story_path


def lantern(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from lantern.cli import main; main()", *arguments],
        env={"LANTERN_HOME": str(home), "PATH": "/usr/bin:/bin"},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
        timeout=150,
    )


def searched(home: Path, *arguments: str) -> dict[str, Any]:
    story = str(story_path("detective.z5"))
    done = lantern(home, "search", story, "--emulator-seed", "0", "--json", *arguments)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_what_a_search_finds_is_recorded_shown_and_taken_up_again(tmp_path: Path) -> None:
    found = searched(tmp_path, "--probes", "1500")
    session = json.loads(lantern(tmp_path, "sessions", "show", found["session"], "--json").stdout)
    again = searched(tmp_path, "--probes", "200", "--resume")

    assert found["score"] >= 40
    assert (session["score"], session["steps"]) == (found["score"], found["steps"])
    assert "lookahead" in session["handicaps"]
    assert again["score"] >= found["score"]
    assert again["probes"] > found["probes"]


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (("--method", "fronteer"), "No method is called 'fronteer'. Did you mean frontier?"),
        (("--probes", "0"), "--probes cannot be 0: it is at least 1."),
        (("--resume",), "There is no search to resume in"),
    ],
)
def test_what_cannot_be_searched_is_one_line(tmp_path: Path, options: tuple[str, ...], line: str) -> None:
    done = lantern(tmp_path, "search", "bundled", *options)

    assert done.returncode == 2
    assert done.stderr.startswith(f"lantern: {line}")
    assert done.stderr.count("\n") == 1


def test_ctrl_c_keeps_and_plays_the_best_so_far(tmp_path: Path) -> None:
    running = subprocess.Popen(
        [
            *(sys.executable, "-c", "from lantern.cli import main; main()", "search"),
            *(str(story_path("detective.z5")), "--json"),
        ],
        env={"LANTERN_HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stderr is not None
    while "best score" not in running.stderr.readline():
        pass
    running.send_signal(signal.SIGINT)
    printed, _ = running.communicate(timeout=120)

    found = json.loads(printed)
    assert running.returncode == 130
    assert found["stopped"]
    assert found["session"] and found["score"] > 10
