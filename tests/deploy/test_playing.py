"""Playing through a mesh that is deployed: in containers, from the host, several at once, in two cells."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stack import SERVICES, Stack, until


def zork(stack: Stack) -> Path:
    story = stack.stories / "zork1.z5"
    if not story.is_file():
        pytest.skip("zork1.z5 is not there: the development stories are not part of the repository")
    return story


def test_a_game_is_played_and_verified_in_containers(mesh: Stack) -> None:
    played = mesh.compose(
        "run", "--rm", "-T", "play", "kelder.z5", "--steps", "15", "--session", "kelder", "--json"
    )
    counts = json.loads(played.stdout)
    assert (counts["steps"], counts["ended"]) == (15, "budget"), played.stderr

    verified = mesh.compose("run", "--rm", "-T", "lantern", "sessions", "verify", "kelder")
    assert verified.stdout.startswith("kelder: 15 steps verified"), verified.stderr


def test_the_operators_commands_run_in_a_container_too(mesh: Stack) -> None:
    provisioned = mesh.compose("run", "--rm", "-T", "operator", "provision")
    assert provisioned.stdout.startswith("provisioned: "), provisioned.stderr

    examined = mesh.compose("run", "--rm", "-T", "lantern", "doctor")
    assert "ok    nats" in examined.stdout and "Traceback" not in examined.stderr, examined.stderr


def test_a_story_of_the_users_is_played_from_the_host(mesh: Stack) -> None:
    with mesh.playing(zork(mesh), "zork", 25) as play:
        play.finish()

    mesh.verify("zork")
    assert len(play.steps()) == 26


def test_sessions_at_once_are_shared_by_several_containers(mesh: Stack) -> None:
    scaled = mesh.compose("up", "-d", "--no-recreate", "--scale", "narrator=2", "--scale", "actor=2")
    assert scaled.returncode == 0, scaled.stderr
    until(lambda: len(mesh.json("status")) == len(SERVICES) + 2, "two more are live")

    with mesh.playing("bundled", "one", 12) as one, mesh.playing("bundled", "two", 12) as two:
        one.finish()
        two.finish()

    for session in ("one", "two"):
        mesh.verify(session)
    assert mesh.compose("up", "-d", "--no-recreate").returncode == 0


def test_two_cells_on_one_nats_do_not_see_each_others_sessions(mesh: Stack) -> None:
    made = mesh.deploy("cell", "second")
    assert made.returncode == 0, made.stdout + made.stderr
    assert "--cell second" in made.stdout
    second = Stack(mesh.directory / "cells" / "second", f"{mesh.project}-second")
    try:
        mesh.wait_until_well()
        with mesh.playing("bundled", "here", 6) as here, second.playing("bundled", "there", 6) as there:
            here.finish()
            there.finish()
        mesh.verify("here")
        second.verify("there")

        assert "here" in mesh.sessions() and "there" not in mesh.sessions()
        assert second.sessions() == ["there"]
        handled = {alive["name"]: alive["handled"] for alive in second.json("status")}
        assert handled.keys() == {*SERVICES}
        assert handled["narrator"] == 9  # a start, steps 0 to 6, an end: its own session and nothing else
    finally:
        second.deploy("down")
