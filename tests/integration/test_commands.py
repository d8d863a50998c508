"""The command line as a user has it: processes, exit codes, one-line errors, nothing left behind."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from lantern.compose import connection
from lantern.embedded_nats import embedded_nats

ROOT = Path(__file__).parents[2]
COUNTS = {
    "session", "game", "policy", "seed", "steps", "episodes", "score", "best_score", "max_score",
    "ended", "handicaps", "degraded_steps", "seconds", "seconds_per_step",
}  # fmt: skip


class Running:
    """A command under way; what it prints goes to files, so that it never waits for a reader."""

    def __init__(self, arguments: tuple[str, ...], env: dict[str, str], directory: Path) -> None:
        self.arguments = arguments
        directory = directory if directory.is_dir() else directory.parent
        self.out, self.err = (Path(tempfile.mkstemp(dir=directory)[1]) for _ in range(2))
        with self.out.open("w") as out, self.err.open("w") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "lantern.cli", *arguments],
                env=env,
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
            )

    def wait(self, timeout: float = 60) -> subprocess.CompletedProcess[str]:
        code = self.process.wait(timeout)
        return subprocess.CompletedProcess(self.arguments, code, self.out.read_text(), self.err.read_text())

    def wait_for_step(self, number: int) -> None:
        deadline = time.monotonic() + 60
        while f"\n[{number}] " not in self.out.read_text():
            assert time.monotonic() < deadline and self.process.poll() is None, self.err.read_text()
            time.sleep(0.02)


class Lantern:
    """The command in a home of its own."""

    def __init__(self, home: Path) -> None:
        self.home = home
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        self.env = {**kept, "LANTERN_HOME": str(home), "TERM": "dumb"}

    def start(self, *arguments: str) -> Running:
        return Running(arguments, self.env, self.home.parent)

    def run(self, *arguments: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
        return self.start(*arguments).wait(timeout)

    def play(self, *arguments: str) -> dict[str, Any]:
        done = self.run("play", *arguments, "--json", timeout=120)
        assert (done.returncode, done.stderr) == (0, "")
        counts: dict[str, Any] = json.loads(done.stdout)
        return counts

    def actions(self, session: str) -> list[str]:
        done = self.run("sessions", "show", session)
        return [line for line in done.stdout.splitlines() if line.startswith("> ")]

    def sessions(self) -> list[dict[str, Any]]:
        if not (self.home / "nats").exists():
            return []
        listed: list[dict[str, Any]] = json.loads(self.run("sessions", "list", "--json").stdout)
        return listed

    def processes(self) -> list[psutil.Process]:
        """Every process that works for this home."""
        return [process for process in psutil.process_iter() if self._is_ours(process)]

    def wait_until_gone(self) -> None:
        deadline = time.monotonic() + 15
        while (left := self.processes()) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert left == []

    def _is_ours(self, process: psutil.Process) -> bool:
        try:
            told = f"{process.cmdline()} {process.environ().get('LANTERN_HOME')}"
        except psutil.Error:
            return False
        return str(self.home) in told and process.pid != os.getpid()


@pytest.fixture
def lantern(tmp_path: Path) -> Iterator[Lantern]:
    """A command with an empty home; whatever it started is gone afterwards."""
    command = Lantern(tmp_path / "home")
    yield command
    try:
        command.wait_until_gone()
    finally:
        for left in command.processes():
            left.kill()


def test_a_play_prints_one_json_object_and_nothing_else(lantern: Lantern) -> None:
    counts = lantern.play("--steps", "20")

    assert counts.keys() == COUNTS
    assert (counts["game"], counts["steps"], counts["ended"]) == ("kelder", 20, "budget")
    assert counts["degraded_steps"] == 0
    assert counts["seconds_per_step"]["p50"] > 0
    assert set(counts["handicaps"]) == {"valid_actions", "object_tree", "world_hash", "score"}


@pytest.mark.parametrize("policy", ["heuristic", "random"])
def test_the_same_story_seed_and_policy_give_the_same_actions(lantern: Lantern, policy: str) -> None:
    sessions = [lantern.play("--steps", "40", "--policy", policy)["session"] for _ in range(2)]

    first, second = map(lantern.actions, sessions)
    assert len(first) == 40
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
    lines[5] = json.dumps({**told, "payload": told["payload"][:-8] + "AAAAAAAA"})
    file.write_text("\n".join(lines) + "\n")
    lantern.run("sessions", "delete", session)

    done = lantern.run("sessions", "import", str(file))

    assert done.returncode == 2
    assert f"Line 6 ({told['subject']})" in done.stderr
    assert lantern.sessions() == []


def a_file(name: str, data: bytes) -> Callable[[Path], list[str]]:
    def arguments(directory: Path) -> list[str]:
        path = directory / name
        path.write_bytes(data)
        return ["play", str(path)]

    return arguments


def given(*arguments: str) -> Callable[[Path], list[str]]:
    return lambda directory: list(arguments)


BUNDLED = (ROOT / "games" / "kelder.z5").read_bytes()
BAD_INPUT = {
    "a missing story": (given("play", "nowhere.z5"), 2, "No story at nowhere.z5"),
    "a directory as story": (lambda directory: ["play", str(directory)], 2, "No story at"),
    "an empty story": (a_file("empty.z5", b""), 2, "empty.z5 cannot be played"),
    "a truncated story": (a_file("short.z5", BUNDLED[:5000]), 2, "short.z5 cannot be played"),
    "a Glulx story": (a_file("game.ulx", b"Glul" + bytes(5000)), 2, "Glulx"),
    "a text as story": (a_file("notes.txt", b"Dear diary, today\n" * 99), 2, "notes.txt cannot be played"),
    "no steps": (given("play", "--steps", "0"), 2, "--steps cannot be 0"),
    "steps below none": (given("play", "--steps", "-1"), 2, "--steps cannot be -1"),
    "steps that are no number": (given("play", "--steps", "many"), 2, "--steps"),
    "a seed that is none": (given("play", "--seed", "0"), 2, "--seed cannot be 0"),
    "an unknown policy": (given("play", "--policy", "brave"), 2, "heuristic, random"),
    "a session id with a dot": (given("play", "--session", "a.b"), 2, "A session id cannot be 'a.b'"),
    "a reserved session id": (given("play", "--session", "ask"), 2, "A session id cannot be 'ask'"),
    "a cell with a star": (given("play", "--cell", "*"), 2, "A cell cannot be '*'"),
    "a NATS that is not there": (given("play", "--nats", "nats://127.0.0.1:1"), 1, "127.0.0.1:1"),
    "an unknown command": (given("dance"), 2, "dance"),
    "an unknown option": (given("play", "--fast"), 2, "--fast"),
    "an unknown service": (given("serve", "weather"), 2, "no service 'weather'"),
    "an unknown session": (given("sessions", "show", "nobody"), 2, "no session 'nobody'"),
    "an unknown dead letter": (given("dead-letters", "show", "7"), 2, "no dead letter 7"),
    "an import of no export": (a_file("x.z5", BUNDLED), 2, "x.z5"),
}


@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input_is_one_line_at_once_and_leaves_nothing(
    lantern: Lantern, tmp_path: Path, case: str
) -> None:
    arguments, code, told = BAD_INPUT[case]
    wish = arguments(tmp_path)
    if case == "an import of no export":
        wish = ["sessions", "import", *wish[1:]]

    started = time.monotonic()
    done = lantern.run(*wish)

    assert time.monotonic() - started < 15
    assert (done.returncode, done.stdout) == (code, "")
    assert told in done.stderr
    assert done.stderr.startswith("lantern: ")
    assert done.stderr.count("\n") == 1
    assert lantern.sessions() == []


def test_a_home_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")
    lantern = Lantern(tmp_path / "file" / "home")

    done = lantern.run("play", "--steps", "2")

    assert done.returncode == 2
    assert "LANTERN_HOME" in done.stderr
    assert done.stderr.count("\n") == 1
    lantern.wait_until_gone()


def test_a_session_id_cannot_be_used_twice(lantern: Lantern) -> None:
    lantern.play("--steps", "2", "--session", "mine")

    done = lantern.run("play", "--steps", "3", "--session", "mine")

    assert done.returncode == 2
    assert "'mine' is taken" in done.stderr
    assert [listed["steps"] for listed in lantern.sessions()] == [2]


def test_ctrl_c_ends_the_session_after_the_step_under_way(lantern: Lantern) -> None:
    process = lantern.start("play", "--steps", "100000", "--session", "long")
    process.wait_for_step(3)

    process.process.send_signal(signal.SIGINT)
    done = process.wait(30)

    assert done.returncode == 130
    assert "ended: stopped" in done.stdout
    assert done.stderr == ""
    [listed] = lantern.sessions()
    assert (listed["session"], listed["ended"]) == ("long", "stopped")


def test_a_killed_play_leaves_no_process_and_its_steps(lantern: Lantern) -> None:
    process = lantern.start("play", "--steps", "100000", "--session", "killed")
    process.wait_for_step(3)

    process.process.kill()
    process.wait()

    lantern.wait_until_gone()
    [listed] = lantern.sessions()
    assert listed["ended"] == "running"
    assert listed["steps"] >= 3


def test_when_the_server_is_killed_play_says_so_and_the_session_is_kept(lantern: Lantern) -> None:
    process = lantern.start("play", "--steps", "100000", "--session", "kept")
    process.wait_for_step(3)
    server = json.loads((lantern.home / "nats" / "server.json").read_text())["server"]

    os.kill(server, signal.SIGKILL)
    done = process.wait(30)

    assert done.returncode == 1
    assert done.stderr.startswith("lantern: The NATS server is gone")
    assert done.stderr.count("\n") == 1
    [listed] = lantern.sessions()
    assert listed["steps"] >= 3


def test_a_second_play_joins_the_server_and_outlives_the_first(lantern: Lantern) -> None:
    first = lantern.start("play", "--steps", "100000", "--session", "first")
    first.wait_for_step(3)
    second = lantern.start("play", "--steps", "40", "--session", "second")
    second.wait_for_step(3)

    first.process.send_signal(signal.SIGINT)
    first.wait(30)
    done = second.wait()

    assert done.returncode == 0
    assert "40 steps" in done.stdout
    assert {listed["session"] for listed in lantern.sessions()} == {"first", "second"}


def emulator_of(running: Running) -> psutil.Process:
    children = psutil.Process(running.process.pid).children(recursive=True)
    [child] = [child for child in children if "emulator.worker" in " ".join(child.cmdline())]
    return child


def test_killing_the_emulator_under_way_costs_nothing(lantern: Lantern) -> None:
    undisturbed = lantern.actions(lantern.play("--steps", "60")["session"])
    process = lantern.start("play", "--steps", "60", "--session", "disturbed")
    process.wait_for_step(3)

    emulator_of(process).kill()
    done = process.wait()

    assert (done.returncode, done.stderr) == (0, "")
    assert "60 steps" in done.stdout
    assert lantern.actions("disturbed") == undisturbed


def test_served_services_play_for_who_asks_and_leave_at_sigterm(lantern: Lantern) -> None:
    server = lantern.start("serve", "all")
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        live = json.loads(lantern.run("status", "--json").stdout)
        if len(live) == 7:
            break
    assert sorted(alive["name"] for alive in live) == sorted(
        ["actor", "critic", "game", "hint", "memory", "narrator", "npc_tracker"]
    )

    counts = lantern.play("--steps", "10")
    handled = {
        alive["name"]: alive["handled"] for alive in json.loads(lantern.run("status", "--json").stdout)
    }
    server.process.terminate()
    done = server.wait(30)

    assert (counts["steps"], counts["degraded_steps"]) == (10, 0)
    assert min(handled.values()) >= 10
    assert done.returncode == 0


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
    assert f"Dead letter {number} still cannot be handled: Not JSON" in retried.stderr
    assert server.wait(30).returncode == 0


async def publish_rubbish(home: Path) -> None:
    async with embedded_nats(home) as url, connection(url, "main") as bus:
        await bus.js.publish("lantern.main.mine.step.9", b"rubbish")


def test_the_doctor_finds_all_well_and_says_what_is_not(lantern: Lantern) -> None:
    well = lantern.run("doctor")
    ill = lantern.run("doctor", "--nats", "nats://127.0.0.1:1")

    assert well.returncode == 0
    assert [line.split()[0] for line in well.stdout.splitlines()] == ["ok"] * 6
    assert ill.returncode == 1
    assert "FAIL  nats: No NATS server to talk to at nats://127.0.0.1:1" in ill.stdout


def test_when_a_command_has_ended_so_has_its_server(lantern: Lantern) -> None:
    for _ in range(3):
        lantern.run("sessions", "list")
        lantern.run("status")

        assert lantern.processes() == []
