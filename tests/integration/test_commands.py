"""The commands: what they print, and what they keep."""

from __future__ import annotations

import asyncio
import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from lantern.nats.connection import connection
from lantern.nats.embedded_nats import embedded_nats
from tests.support.processes.command import Lantern

COUNTS = {
    "session", "game", "policy", "agent", "seed", "steps", "episodes", "score", "best_score", "max_score",
    "ended", "handicaps", "probes", "model", "without", "without_behaviours", "degraded_steps", "degraded",
    "search_cut", "models", "seconds", "seconds_per_step",
}  # fmt: skip


def test_a_play_prints_one_json_object_and_nothing_else(lantern: Lantern) -> None:
    counts = lantern.play("--steps", "20")

    assert counts.keys() == COUNTS
    assert (counts["game"], counts["steps"], counts["ended"]) == ("kelder", 20, "budget")
    assert counts["degraded_steps"] == 0
    assert counts["seconds_per_step"]["p50"] > 0
    assert set(counts["handicaps"]) == {"valid_actions", "object_tree", "world_hash", "score"}


def test_a_text_only_play_has_no_handicap_and_a_score_in_every_summary(lantern: Lantern) -> None:
    counts = lantern.play("--steps", "5", "--text-only", "--no-valid-actions", "--session", "s1")
    shown = json.loads(lantern.run("sessions", "show", "s1", "--json").stdout)
    [listed] = lantern.sessions()

    assert counts["handicaps"] == []
    for told in (counts, shown, listed):
        assert (told["score"], told["max_score"]) == (0, 50)


def test_a_text_only_play_shows_the_room_that_the_text_tells(lantern: Lantern) -> None:
    played = lantern.run("play", "--steps", "2", "--text-only", "--session", "s1")
    shown = lantern.run("sessions", "show", "s1")

    for text in (played.stdout, shown.stdout):
        assert [line for line in text.splitlines() if line.startswith("[2]")] == ["[2] Jetty"]


@pytest.mark.parametrize("policy", ["heuristic", "random"])
def test_the_same_story_seed_and_policy_give_the_same_actions(lantern: Lantern, policy: str) -> None:
    sessions = []
    for seed in ("1", "2"):
        lantern.env["PYTHONHASHSEED"] = seed  # so each is a process of its own
        sessions.append(lantern.play("--steps", "20", "--policy", policy)["session"])

    first, second = map(lantern.actions, sessions)
    assert len(first) == 20
    assert first == second


def test_without_a_terminal_it_prints_plain_lines(lantern: Lantern) -> None:
    done = lantern.run("play", "--steps", "3")

    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert "[3] " in done.stdout
    assert "  actor: " in done.stdout
    assert "ended: budget" in done.stdout


def test_a_session_survives_export_delete_and_import(lantern: Lantern, tmp_path: Path) -> None:
    session = lantern.play("--steps", "5")["session"]
    shown = lantern.run("sessions", "show", session).stdout
    file = str(tmp_path / "kept.jsonl")

    assert lantern.run("sessions", "export", session, file).returncode == 0
    assert lantern.run("sessions", "delete", session).returncode == 0
    assert lantern.sessions() == []
    assert lantern.run("sessions", "import", file).returncode == 0

    assert lantern.run("sessions", "show", session).stdout == shown


def test_a_changed_export_is_refused_and_the_line_is_named(lantern: Lantern, tmp_path: Path) -> None:
    session = lantern.play("--steps", "2")["session"]
    file = tmp_path / "kept.jsonl"
    lantern.run("sessions", "export", session, str(file))
    lines = file.read_text().splitlines()
    told = json.loads(lines[5])
    lines[5] = lines[5].replace('"step":', '"step": ', 1)
    file.write_text("\n".join(lines) + "\n")
    lantern.run("sessions", "delete", session)

    done = lantern.run("sessions", "import", str(file))

    assert done.returncode == 2
    assert f"Line 6 ({told['subject']})" in done.stderr
    assert lantern.sessions() == []


def test_a_session_id_cannot_be_used_twice(lantern: Lantern) -> None:
    lantern.play("--steps", "2", "--session", "mine")

    done = lantern.run("play", "--steps", "3", "--session", "mine")

    assert done.returncode == 2
    assert "'mine' is taken" in done.stderr
    assert [listed["steps"] for listed in lantern.sessions()] == [2]


def test_a_dead_letter_is_listed_shown_retried_in_vain_and_dropped(lantern: Lantern) -> None:
    lantern.play("--steps", "2", "--session", "mine")
    server = lantern.start("serve", "narrator")
    while not json.loads(lantern.run("status", "--json").stdout):
        assert server.process.poll() is None

    asyncio.run(publish_rubbish(lantern.home))
    while not (listed := json.loads(lantern.run("dead-letters", "list", "--json").stdout)):
        assert server.process.poll() is None
    number = str(listed[0]["number"])
    shown = lantern.run("dead-letters", "show", number)
    retried = lantern.run("dead-letters", "retry", number)
    dropped = lantern.run("dead-letters", "drop", number)
    left = lantern.run("dead-letters", "list", "--json").stdout
    server.process.terminate()

    assert (listed[0]["service"], listed[0]["subject"]) == ("narrator", "lantern.main.mine.step.9")
    assert "payload: rubbish" in shown.stdout
    assert (retried.returncode, dropped.returncode, json.loads(left)) == (1, 0, [])
    assert (
        f"Dead letter {number} still cannot be handled: The step for step 9 is invalid: Not JSON"
        in retried.stderr
    )
    assert server.wait(30).returncode == 0


async def publish_rubbish(home: Path) -> None:
    async with embedded_nats(home) as url, connection(url, "main") as bus:
        await bus.cell.js.publish("lantern.main.mine.step.9", b"rubbish")


def test_the_doctor_finds_all_well_and_says_what_is_not(lantern: Lantern) -> None:
    well = lantern.run("doctor")
    ill = lantern.run("doctor", "--nats", "nats://127.0.0.1:1")

    assert well.returncode == 0
    assert [line.split()[0] for line in well.stdout.splitlines()] == ["ok"] * 8
    assert ill.returncode == 1
    assert "FAIL  nats: No NATS server answers at nats://127.0.0.1:1" in ill.stdout


def test_sessions_list_has_a_header_and_says_who_is_played_and_who_was_killed(lantern: Lantern) -> None:
    lantern.play("--steps", "3", "--session", "whole")
    lantern.run("fork", "whole", "--at", "2", "--no-play", "--session", "part")
    process = lantern.start("play", "--steps", "100000", "--session", "killed", "--policy", "random")
    process.wait_for_step(2)
    during = {each["session"]: each["state"] for each in lantern.sessions()}
    process.process.kill()
    process.wait()

    header, *lines = lantern.run("sessions", "list").stdout.splitlines()
    stopped = json.loads(lantern.run("sessions", "list", "--state", "stopped", "--json").stdout)
    none = lantern.run("sessions", "list", "--policy", "reflact", "--since", "1d")
    wrong = lantern.run("sessions", "list", "--since", "soon")

    assert during == {"whole": "budget", "part": "stopped", "killed": "running"}
    assert header.split() == "session date story policy seed steps score state parent".split()
    assert [line.split()[0] for line in lines] == ["whole", "part", "killed"]
    assert [(each["session"], each["parent"]) for each in stopped] == [("part", "whole@2"), ("killed", None)]
    assert (none.returncode, none.stdout, none.stderr) == (0, "", "none of 3 sessions fits\n")
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)


def test_a_command_in_a_folder_that_was_deleted_says_so_in_one_line(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    command = (
        f"rmdir {shlex.quote(str(gone))}; exec {shlex.quote(sys.executable)} -P -m lantern.cli --version"
    )

    done = subprocess.run(["sh", "-c", command], cwd=gone, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "lantern: The folder that this shell is in was deleted. Change to another one: cd\n"
