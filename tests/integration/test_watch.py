"""`lantern play` and `lantern watch` on terminals: keys, the end, and the terminal afterwards."""

from __future__ import annotations

import os
import signal

import pytest
from test_top import on_a_terminal

from tests.support.processes.command import Lantern


def test_a_session_is_paused_on_one_terminal_and_let_go_on_from_another(lantern: Lantern) -> None:
    with on_a_terminal(lantern, "play", "--steps", "5000", "--session", "s1") as playing:
        playing.wait_for("playing")
        assert not playing.waits_for_enter()
        os.write(playing.keyboard, b" ")
        playing.wait_for("paused")
        playing.shown = ""

        with on_a_terminal(lantern, "watch", "s1") as watching:
            watching.wait_for("paused")
            os.write(watching.keyboard, b" ")
            playing.wait_for("playing")
            os.write(watching.keyboard, b"q")
            assert watching.end() == 0
            assert watching.waits_for_enter()

        playing.process.send_signal(signal.SIGINT)
        playing.wait_for("stopping")
        assert playing.end() == 130
        assert "ended: stopped" in playing.shown
        assert playing.waits_for_enter()


@pytest.mark.parametrize("signals", [1, 2])
def test_a_terminal_is_as_it_was_after_a_signal(lantern: Lantern, signals: int) -> None:
    with on_a_terminal(lantern, "play", "--steps", "5000") as playing:
        playing.wait_for("playing")
        assert not playing.waits_for_enter()
        for _ in range(signals):
            playing.process.send_signal(signal.SIGTERM)

        assert playing.end() == 130
        assert playing.waits_for_enter()
        assert "Traceback" not in playing.shown


def test_a_record_is_watched_on_a_terminal_and_without_one(lantern: Lantern) -> None:
    assert lantern.run("play", "--steps", "3", "--session", "s1", "--json").returncode == 0

    told = lantern.run("watch", "s1")
    assert (told.returncode, told.stderr) == (0, "")
    assert "\n[3] " in told.stdout
    assert "\nended: budget\n" in told.stdout

    with on_a_terminal(lantern, "watch", "s1") as watching:
        watching.wait_for("ended: budget")
        os.write(watching.keyboard, b"\x1b[D")
        watching.wait_for("paused")
        os.write(watching.keyboard, b"q")
        assert watching.end() == 0
        assert watching.waits_for_enter()

    unknown = lantern.run("watch", "nobody")
    assert (unknown.returncode, unknown.stdout, unknown.stderr.count("\n")) == (2, "", 1)
    assert "'nobody'" in unknown.stderr
