"""Evaluations as a user runs them: by several workers, one of which may be killed; runs that go on."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from test_resume import in_the_store

from games import BUNDLED
from schemas.experience import StoryExperience
from tests.support.processes.command import Lantern, Running

SERIAL = slice(0x12, 0x18)
"""Where a story's header has its serial number: with another, it is another story that plays the same."""

PLAN = """\
games = ["{games}"]
seeds = 1

[regime]
steps = {steps}
valid_actions = false

[[agents]]
name = "by chance"
policy = "random"
without = ["memory", "narrator", "hint", "npc_tracker"]

[[agents]]
name = "by rules"
policy = "heuristic"
without = ["critic", "narrator"]
"""


ONE_LIFE = """\
games = ["bundled"]
seeds = [3]

[regime]
steps = 80
episodes = 1
emulator_seed = 1

[[agents]]
name = "by rules"
policy = "heuristic"
"""

WITH_EXPERIENCE = """\
games = ["bundled"]
seeds = [4, 2]

[regime]
steps = 30
valid_actions = false

[[agents]]
name = "one"
policy = "heuristic"
experience = true

[[agents]]
name = "another"
policy = "heuristic"
without = ["narrator"]
experience = true
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two stories."""
    stories = tmp_path / "stories"
    stories.mkdir()
    shutil.copy(BUNDLED, stories / BUNDLED.name)
    other = bytearray(BUNDLED.read_bytes())
    other[SERIAL] = b"000001"
    (stories / f"other{BUNDLED.suffix}").write_bytes(other)
    return tmp_path


def a_plan(folder: Path, *, games: str = "stories", steps: int = 12) -> str:
    path = folder / "plan.toml"
    path.write_text(PLAN.format(games=games, steps=steps))
    return str(path)


def results(directory: Path) -> list[dict[str, Any]]:
    path = directory / "results.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def by_play(directory: Path) -> dict[str, dict[str, Any]]:
    """The results without what differs between two runs."""
    own = ("session", "cell", "seconds")
    return {each["play"]: {k: v for k, v in each.items() if k not in own} for each in results(directory)}


def workers(coordinator: Running) -> Iterator[psutil.Process]:
    for child in psutil.Process(coordinator.process.pid).children():
        if "worker" in child.cmdline():
            yield child


def wait_until(happened: Callable[[], object], running: Running) -> None:
    deadline = time.monotonic() + 90
    while not happened():
        assert time.monotonic() < deadline and running.process.poll() is None, running.err.read_text()
        time.sleep(0.05)


def begun(directory: Path) -> int:
    log = directory / "workers.log"
    return log.read_text().count("play_begun") if log.exists() else 0


def test_two_runs_of_one_plan_have_equal_results_and_every_play_is_a_session(
    lantern: Lantern, folder: Path
) -> None:
    plan = a_plan(folder)

    done = lantern.run("evaluate", plan, "--out", str(folder / "one"), "--json", timeout=120)
    again = lantern.run("evaluate", plan, "--out", str(folder / "two"), "--jobs", "1", timeout=120)

    assert (done.returncode, done.stderr, again.returncode) == (0, "", 0)
    printed = [json.loads(line) for line in done.stdout.splitlines()]
    assert printed[:-1] == results(folder / "one")
    assert printed[-1] == json.loads((folder / "one" / "summary.json").read_text())
    assert (folder / "one" / "report.html").exists()
    assert len(by_play(folder / "one")) == 4
    assert by_play(folder / "one") == by_play(folder / "two")
    assert all(each["state"] == "finished" and each["steps"] == 12 for each in results(folder / "one"))
    assert all(each["opening_score"] == 0 and not each["degraded_steps"] for each in results(folder / "one"))
    sessions = {(each["session"], each["cell"]) for each in lantern.sessions()}
    assert {(each["session"], each["cell"]) for each in results(folder / "one")} <= sessions
    verified = lantern.run("sessions", "verify", results(folder / "one")[0]["session"])
    assert verified.returncode == 0, verified.stderr


LONG = 300
"""Steps of a play that takes seconds, so that a worker is killed within it and not between two."""


def test_the_play_of_a_killed_worker_is_finished_once_by_another(lantern: Lantern, folder: Path) -> None:
    out = folder / "run"
    running = lantern.start(
        "evaluate", a_plan(folder, games="bundled", steps=LONG), "--out", str(out), "--jobs", "1"
    )
    wait_until(lambda: begun(out), running)
    [worker] = workers(running)
    wait_until(lambda: any(each["steps"] > 2 for each in lantern.sessions()), running)

    worker.kill()
    ended = running.wait(120)

    assert (ended.returncode, ended.stderr) == (0, "")
    assert begun(out) == 3
    assert [each["steps"] for each in results(out)] == [LONG] * 2
    assert len(by_play(out)) == 2
    assert len(lantern.sessions()) == 2


@pytest.mark.exhaustive
def test_a_run_that_is_stopped_keeps_its_plays_and_goes_on(lantern: Lantern, folder: Path) -> None:
    out = folder / "run"
    whole = folder / "whole"
    running = lantern.start(
        "evaluate", a_plan(folder, games="bundled", steps=40), "--out", str(out), "--jobs", "1"
    )
    wait_until(lambda: results(out) and begun(out) > len(results(out)), running)

    running.process.send_signal(signal.SIGINT)
    stopped = running.wait(60)
    kept = results(out)
    resumed = lantern.run("evaluate", "--resume", "--out", str(out), timeout=120)

    assert stopped.returncode == 130
    assert f"{len(kept)} of 2 plays have ended and are kept. Go on: " in stopped.stderr
    assert stopped.stderr.count("\n") == 1
    assert len(kept) == 1
    assert (resumed.returncode, resumed.stderr) == (0, "")
    assert results(out)[: len(kept)] == kept
    assert (
        lantern.run(
            "evaluate", a_plan(folder, games="bundled", steps=40), "--out", str(whole), timeout=120
        ).returncode
        == 0
    )
    assert by_play(out) == by_play(whole)


def test_a_story_that_cannot_be_played_ends_its_plays_with_a_reason_and_not_the_run(
    lantern: Lantern, folder: Path
) -> None:
    (folder / "stories" / "broken.z5").write_bytes(os.urandom(64))
    out = folder / "run"

    done = lantern.run("evaluate", a_plan(folder, steps=3), "--out", str(out), timeout=120)

    states = {(each["game"], each["state"]) for each in results(out)}
    assert done.returncode == 1
    assert states == {("broken", "failed"), (BUNDLED.stem, "finished"), ("other", "finished")}
    assert all("broken.z5" in each["failure"] for each in results(out) if each["state"] == "failed")
    assert "failed: " in done.stdout


def test_a_play_ends_with_its_last_episode_and_its_policy_may_have_a_seed_of_its_own(
    lantern: Lantern, folder: Path
) -> None:
    plan = folder / "plan.toml"
    plan.write_text(ONE_LIFE)

    done = lantern.run("evaluate", str(plan), "--out", str(folder / "run"), timeout=120)

    assert (done.returncode, done.stderr) == (0, "")
    [dead] = results(folder / "run")
    assert (dead["episodes"], dead["episode_ends"], dead["deaths"]) == (1, [dead["steps"]], 1)
    assert dead["steps"] < 80
    assert (dead["emulator_seed"], dead["agent_seed"]) == (1, 3)
    assert dead["score_changes"][0] == [0, dead["opening_score"]]
    verified = lantern.run("sessions", "verify", dead["session"])
    assert verified.returncode == 0, verified.stderr


def test_an_agent_with_experience_knows_its_own_earlier_plays_of_the_story(
    lantern: Lantern, folder: Path
) -> None:
    plan = folder / "plan.toml"
    plan.write_text(WITH_EXPERIENCE)

    done = lantern.run("evaluate", str(plan), "--out", str(folder / "one"), "--jobs", "2", timeout=120)

    assert (done.returncode, done.stderr) == (0, "")
    played = {(each["agent"], each["agent_seed"]): each for each in results(folder / "one")}
    assert all(each["experience"] and "experience" in each["handicaps"] for each in played.values())
    starts = in_the_store(lantern, lambda bus: bus.reader.sessions())
    known = {start.session: start.body.experience for start in starts}  # type: ignore[attr-defined]
    for agent in ("one", "another"):
        first, second = played[agent, 4], played[agent, 2]
        assert known[first["session"]] == StoryExperience()
        assert known[second["session"]].sessions == 1
        assert known[second["session"]].best_session in ("", first["session"])
        assert known[second["session"]].best_score == first["best_score"]
    assert "nothing is known" in lantern.run("experience", "show", "bundled").stderr


@pytest.mark.exhaustive
def test_what_agents_learn_from_play_to_play_does_not_depend_on_the_number_of_jobs(
    lantern: Lantern, folder: Path
) -> None:
    plan = folder / "plan.toml"
    plan.write_text(WITH_EXPERIENCE)

    for jobs in ("1", "2"):
        done = lantern.run("evaluate", str(plan), "--out", str(folder / jobs), "--jobs", jobs, timeout=120)
        assert (done.returncode, done.stderr) == (0, "")

    assert by_play(folder / "1") == by_play(folder / "2")
