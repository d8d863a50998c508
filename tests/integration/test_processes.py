"""Signals and kills: nothing lost, no process left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import psutil
import pytest

from lantern.standard_streams import OUTPUT_CLOSED
from tests.support.processes.command import Lantern, Running


def test_ctrl_c_ends_the_session_after_the_step_under_way(lantern: Lantern) -> None:
    process = lantern.start("play", "--steps", "100000", "--session", "long")
    process.wait_for_step(3)

    process.process.send_signal(signal.SIGINT)
    done = process.wait(30)

    assert done.returncode == 130
    assert "ended: stopped" in done.stdout
    assert done.stderr == "lantern: stopping after the step under way\n"
    [listed] = lantern.sessions()
    assert (listed["session"], listed["ended"]) == ("long", "stopped")


@pytest.fixture
def heard_hangups() -> Iterator[None]:
    """What is started hears of a closed terminal, though the suite may not (`nohup`)."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("heard_hangups")
@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_a_closed_terminal_ends_the_session_like_sigterm(lantern: Lantern, number: int) -> None:
    process = lantern.start("play", "--steps", "100000", "--session", "long")
    process.wait_for_step(1)

    process.process.send_signal(number)

    assert process.wait(30).returncode == 130
    assert "ended: stopped\n" in lantern.run("sessions", "show", "long").stdout
    lantern.wait_until_gone()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_upon_signal_ends_it_without_a_word_more(lantern: Lantern, number: int) -> None:
    process = lantern.start("play", "--steps", "100000")
    process.wait_for_step(1)

    until = time.monotonic() + 20
    while process.process.poll() is None and time.monotonic() < until:
        process.process.send_signal(number)
        time.sleep(0.1)

    done = process.wait(30)
    assert done.returncode in (130, -number)
    assert done.stderr in ("", "lantern: stopping after the step under way\n")
    lantern.wait_until_gone()


def test_a_killed_play_leaves_no_process_and_its_steps(lantern: Lantern) -> None:
    process = lantern.start("play", "--steps", "100000", "--session", "killed")
    process.wait_for_step(3)

    process.process.kill()
    process.wait()

    lantern.wait_until_gone()
    [listed] = lantern.sessions()
    assert listed["ended"] == "stopped"
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


def emulators_of(running: Running) -> list[psutil.Process]:
    """The session's own emulator, its scout's, and the spare ones."""
    children = psutil.Process(running.process.pid).children(recursive=True)
    return [child for child in children if "emulator.interpreter.worker" in " ".join(child.cmdline())]


@pytest.mark.exhaustive
def test_killing_the_emulator_under_way_costs_nothing(lantern: Lantern) -> None:
    undisturbed = lantern.actions(lantern.play("--steps", "60")["session"])
    process = lantern.start("play", "--steps", "60", "--session", "disturbed")
    process.wait_for_step(3)

    for emulator in emulators_of(process):
        emulator.kill()
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


def test_when_a_command_has_ended_so_has_its_server(lantern: Lantern) -> None:
    for _ in range(3):
        lantern.run("sessions", "list")
        lantern.run("status")

        assert lantern.processes() == []


def test_who_would_be_started_again_and_again_complains_once_and_waits(lantern: Lantern) -> None:
    held = lantern.start("serve", "nobody", "--hold")
    deadline = time.monotonic() + 60
    while "\n" not in held.err.read_text():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert held.process.poll() is None

    held.process.terminate()
    done = held.wait(30)

    assert done.returncode == 2
    assert done.stderr.startswith("lantern: There is no service 'nobody'.") and done.stderr.count("\n") == 1


def test_who_reads_no_more_of_a_session_ends_it(lantern: Lantern) -> None:
    shown = subprocess.Popen(
        [sys.executable, "-m", "lantern.cli", "play", "--steps", "5000", "--session", "mine"],
        env=lantern.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert shown.stdout is not None and shown.stderr is not None
    shown.stdout.readline()
    shown.stdout.close()

    assert (shown.wait(60), shown.stderr.read()) == (OUTPUT_CLOSED, b"")
    assert [session["ended"] for session in lantern.sessions()] == ["stopped"]
    lantern.wait_until_gone()
