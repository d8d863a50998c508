"""`lantern search` as a user runs it: what it prints was earned again in a recorded session."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lantern.commands.playing.search import CLEARED, ProgressLines
from search.running import SearchState
from tests.support.scenes.stories import story_path
from zmachine.story_file import story_of


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


@pytest.mark.parametrize("content", ["{", '{"method": 3}', "\udcff"])
def test_a_kept_search_that_is_damaged_is_one_line(tmp_path: Path, content: str) -> None:
    story = story_of(story_path("detective.z5").read_bytes())
    kept = tmp_path / "searches" / f"{story.md5}-frontier-1.json"
    kept.parent.mkdir()
    kept.write_bytes(content.encode(errors="surrogateescape"))

    done = lantern(tmp_path, "search", str(story_path("detective.z5")), "--resume")

    assert done.returncode == 2
    assert done.stderr.startswith("lantern: There is no search to resume in")
    assert done.stderr.count("\n") == 1


def test_a_folder_that_cannot_be_written_is_told_before_the_search(tmp_path: Path) -> None:
    (tmp_path / "searches").write_text("in the way")

    done = lantern(tmp_path, "search", str(story_path("detective.z5")))

    assert done.returncode == 2
    assert done.stderr.startswith("lantern: Lantern cannot write to")
    assert done.stderr.count("\n") == 1


def test_an_id_that_is_taken_is_told_before_the_search(tmp_path: Path) -> None:
    played = lantern(tmp_path, "play", "bundled", "--steps", "1", "--session", "mine")

    done = lantern(tmp_path, "search", "bundled", "--session", "mine")

    assert (played.returncode, done.returncode) == (0, 2)
    assert done.stderr == (
        "lantern: The session id 'mine' is taken. Choose another, or delete that session.\n"
    )


def test_two_processes_search_together_and_leave_none_behind(tmp_path: Path) -> None:
    found = searched(tmp_path, "--jobs", "2", "--probes", "3000")

    assert found["score"] >= 40
    assert found["probes"] > 1500


def test_progress_on_a_terminal_leaves_nothing_of_longer_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    progress = ProgressLines()
    progress.show(SearchState(score=5, actions=("north",), probes={0: 123_456}))
    progress.show(SearchState(score=6, actions=("south",), probes={0: 7}))
    progress.end()

    lines = capsys.readouterr().err.split("\n")
    assert all(line.startswith(CLEARED) for line in lines)
    assert lines[-1] == CLEARED


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
