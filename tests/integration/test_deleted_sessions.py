"""`lantern sessions delete --force` under those who play, watch and step through a session."""

from __future__ import annotations

import os

from test_top import on_a_terminal

from tests.support.processes.command import Lantern

DELETED = "lantern: The session 's1' was deleted while it was played. Play a new session.\n"


def test_a_play_whose_session_is_deleted_ends_with_one_line(lantern: Lantern) -> None:
    playing = lantern.start("play", "--steps", "100000", "--session", "s1")
    playing.wait_for_step(3)

    assert lantern.run("sessions", "delete", "s1", "--force").returncode == 0
    done = playing.wait(20)

    assert (done.returncode, done.stderr) == (1, DELETED)
    assert lantern.sessions() == []
    lantern.wait_until_gone()
    again = lantern.play("--steps", "2", "--session", "s1")
    assert (again["steps"], again["degraded_steps"]) == (2, 0)


def test_a_served_session_is_deleted_and_the_other_goes_on(lantern: Lantern) -> None:
    serving = lantern.start("serve", "all")
    playing, other = (lantern.start("play", "--steps", "100000", "--session", name) for name in ("s1", "s2"))
    playing.wait_for_step(3)
    other.wait_for_step(1)
    watching = lantern.start("watch", "s1")
    watching.wait_for_step(2)

    with on_a_terminal(lantern, "replay", "s1", "--step") as stepping:
        stepping.wait_for("step 0>")
        assert lantern.run("sessions", "delete", "s1", "--force").returncode == 0
        for left in (playing.wait(20), watching.wait(20)):
            assert (left.returncode, left.stderr) == (1, DELETED)
        os.write(stepping.keyboard, b"n\n")
        stepping.wait_for("step 1>")
        os.write(stepping.keyboard, b"q\n")
        assert stepping.end() == 0

    [kept] = lantern.sessions()
    other.wait_for_step(kept["steps"] + 2)
    for process, code in ((other, 130), (serving, 0)):
        process.process.terminate()
        assert process.wait(30).returncode == code
    lantern.wait_until_gone()
