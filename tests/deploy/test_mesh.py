"""The mesh as it is deployed: each container, each fault, each command of the user's path."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import a_stack
from engine import docker
from stack import IMAGE, SERVICES, Stack, until

from mesh.subjects import Place, subject_of
from schemas.base import Kind


@pytest.fixture(scope="module")
def deployed(stories: Path) -> Iterator[Stack]:
    yield from a_stack("lanterntest", stories)


@pytest.fixture
def mesh(deployed: Stack) -> Stack:
    """The stack that all tests share; whatever one did to it, it is well again."""
    deployed.wait_until_well()
    return deployed


def zork(stack: Stack) -> Path:
    story = stack.stories / "zork1.z5"
    if not story.is_file():
        pytest.skip("zork1.z5 is not there: the development stories are not part of the repository")
    return story


# -- what runs


def test_every_service_is_well_and_nats_alone_can_be_reached_on_loopback(mesh: Stack) -> None:
    for service in (*SERVICES, "nats"):
        published = mesh.inspect(service)["NetworkSettings"]["Ports"]
        addresses = {address["HostIp"] for taken in published.values() for address in taken or ()}
        assert addresses == ({"127.0.0.1"} if service == "nats" else set()), service
    assert {alive["name"] for alive in mesh.json("status")} == {*SERVICES}


@pytest.mark.parametrize("service", [*SERVICES, "nats"])
def test_a_container_may_next_to_nothing(mesh: Stack, service: str) -> None:
    found = mesh.inspect(service)
    told, process = found["HostConfig"], Path(f"/proc/{found['State']['Pid']}/status").read_text()
    assert "Uid:\t10001\t10001\t10001\t10001\n" in process
    assert "CapBnd:\t0000000000000000\n" in process
    for path in ("/written", "/opt/written", "/etc/written", "/opt/code/written"):
        refused = mesh.execute(service, "sh", "-c", f": > {path}")
        assert refused.returncode != 0 and ("Read-only" in refused.stderr or "nonexistent" in refused.stderr)
    assert (told["ReadonlyRootfs"], told["CapDrop"], told["Privileged"]) == (True, ["ALL"], False)
    assert told["SecurityOpt"] == ["no-new-privileges:true"]
    assert told["RestartPolicy"]["Name"] == "unless-stopped"
    assert told["Memory"] and told["NanoCpus"] and told["PidsLimit"]


FORGE = """
import asyncio, sys
from lantern.compose import connection
from lantern.options import settings_with
from mesh.errors import NotAllowed

async def main():
    async with connection(settings_with(None).server(), "main") as bus:
        try:
            await bus.nc.request(sys.argv[1], b"{}", timeout=10)
        except NotAllowed as refused:
            print(refused)

asyncio.run(main())
"""


@pytest.mark.parametrize("service", ["narrator", "critic", "memory"])
def test_a_service_cannot_say_what_is_anothers_to_say(mesh: Stack, service: str) -> None:
    forged = subject_of(Place("main", "forged", Kind.STEP, 1))

    done = mesh.execute(service, "python3", "-c", FORGE, forged)

    assert f"NATS does not let the user {service} publish {forged}" in done.stdout, done.stderr


def test_a_container_has_its_own_password_alone(mesh: Stack) -> None:
    for service in SERVICES:
        held = {*mesh.execute(service, "ls", "/run/secrets").stdout.split()}
        assert held - {"anthropic"} == {service}


# -- what is played


def test_a_game_is_played_and_verified_in_containers(mesh: Stack) -> None:
    played = mesh.compose(
        "run", "--rm", "-T", "play", "kelder.z5", "--steps", "15", "--session", "kelder", "--json"
    )
    counts = json.loads(played.stdout)
    assert (counts["steps"], counts["ended"]) == (15, "budget"), played.stderr

    verified = mesh.compose("run", "--rm", "-T", "lantern", "sessions", "verify", "kelder")
    assert verified.stdout.startswith("kelder: 15 steps verified"), verified.stderr


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


# -- what goes wrong under way


def test_a_service_is_swapped_under_way_and_no_step_is_lost(mesh: Stack) -> None:
    before = mesh.container("narrator")
    with mesh.playing("bundled", "swapped", 30) as play:
        play.wait_for_step(8)
        swapped = mesh.compose("up", "-d", "--no-deps", "--build", "--force-recreate", "narrator")
        assert swapped.returncode == 0, swapped.stderr
        play.finish()

    mesh.verify("swapped")
    assert mesh.container("narrator") != before


def test_every_container_and_nats_are_killed_under_way_and_the_session_finishes(mesh: Stack) -> None:
    with mesh.playing("bundled", "killed", 64) as play:
        for number, victim in enumerate((*SERVICES, "nats")):
            play.wait_for_step(6 + 6 * number)
            assert play.process.poll() is None
            mesh.kill(victim)
        play.finish()

    mesh.verify("killed")
    assert {mesh.inspect(service)["RestartCount"] for service in (*SERVICES, "nats")} != {0}


def test_a_service_that_is_cut_off_is_not_well_until_it_is_back(mesh: Stack) -> None:
    [network] = [
        name for name in mesh.inspect("critic")["NetworkSettings"]["Networks"] if name.endswith("_mesh")
    ]
    container = mesh.container("critic")

    docker("network", "disconnect", network, container)
    until(lambda: mesh.health("critic") == "unhealthy", "the critic is not well")
    docker("network", "connect", "--alias", "critic", network, container)

    mesh.wait_until_well("critic")
    assert mesh.inspect("critic")["RestartCount"] == 0 or mesh.container("critic") == container


# -- what is kept


def test_sessions_outlast_down_and_up(mesh: Stack) -> None:
    with mesh.playing("bundled", "kept", 5) as play:
        play.finish()
    before = mesh.sessions()

    assert mesh.deploy("down").returncode == 0
    assert docker("ps", "-q", "--filter", f"label=com.docker.compose.project={mesh.project}") == ""
    assert mesh.up().returncode == 0

    assert mesh.sessions() == before
    mesh.verify("kept")


def test_sessions_are_backed_up_and_restored(mesh: Stack, tmp_path: Path) -> None:
    with mesh.playing("bundled", "saved", 5) as play:
        play.finish()
    saved = mesh.deploy("backup", str(tmp_path / "saved.tar"))
    assert saved.returncode == 0, saved.stderr
    mesh.wait_until_well()
    assert mesh.lantern("sessions", "delete", "saved", user="operator").returncode == 0
    assert "saved" not in mesh.sessions()

    restored = mesh.deploy("restore", str(tmp_path / "saved.tar"))

    assert restored.returncode == 0, restored.stderr
    mesh.verify("saved")


# -- several meshes


def test_two_cells_on_one_nats_do_not_see_each_others_sessions(mesh: Stack) -> None:
    made = mesh.deploy("cell", "second")
    assert made.returncode == 0, made.stdout + made.stderr
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


# -- what a user may get wrong


def one_line(done: subprocess.CompletedProcess[str]) -> str:
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode != 0 and not done.stderr.count("Traceback"), done.stderr
    return last


def test_a_directory_of_stories_that_is_not_there_is_told(mesh: Stack, tmp_path: Path) -> None:
    told = one_line(mesh.deploy("up", "--stories", str(tmp_path / "nowhere")))

    assert told == (
        f"deploy: There is no directory of stories at {tmp_path / 'nowhere'}. "
        "Give one: make deploy STORIES=directory"
    )
    mesh.wait_until_well()


def test_a_port_in_use_is_told(mesh: Stack, tmp_path: Path) -> None:
    port = mesh.env()["NATS_URL"].rpartition(":")[2]
    other = Stack(tmp_path, "lanterntest-other")
    other.stories = mesh.stories

    told = one_line(other.up("--port", port))

    assert told.startswith(f"deploy: Port {port} cannot be used (") and "make deploy PORT=" in told
    assert docker("ps", "-aq", "--filter", f"label=com.docker.compose.project={other.project}") == ""


def test_secrets_that_were_not_generated_are_told(mesh: Stack, tmp_path: Path) -> None:
    other = Stack(tmp_path, "lanterntest-other")
    (tmp_path / ".env").write_text(
        "# nothing\nCOMPOSE_PROJECT_NAME=lanterntest-other\nLANTERN_FILES=compose.yaml\n"
    )

    told = one_line(other.compose("up", "-d"))

    assert "make deploy" in told
    assert docker("ps", "-aq", "--filter", f"label=com.docker.compose.project={other.project}") == ""


OTHER = f"""\
FROM {IMAGE}:base
USER 0
RUN sed -i 's/str\\] = "[0-9]*/str] = "9/' /opt/code/schemas/fragment.py \\
 && find /opt/code/schemas -name 'fragment*.pyc' -delete
USER 10001
"""


def test_an_image_for_other_messages_says_so_once_and_is_not_started_again(
    mesh: Stack, tmp_path: Path
) -> None:
    tag = f"{IMAGE}:other"
    subprocess.run(
        ["docker", "build", "-q", "-t", tag, "-"], input=OTHER, text=True, check=True, capture_output=True
    )
    override = tmp_path / "other.yaml"
    override.write_text(f'services: {{narrator: {{image: "{tag}"}}}}\n')

    mesh.compose("up", "-d", "--no-deps", "--no-build", "narrator", files=(override,))
    container = mesh.container("narrator")
    try:
        until(lambda: "lantern: " in logs_of(container), "the narrator has complained")
        until(lambda: mesh.health("narrator") != "healthy", "the narrator is not well")
        told = [line for line in logs_of(container).splitlines() if line.startswith("lantern: ")]
        assert told == [
            "lantern: The stream LANTERN is for fragment messages of version 1.x, "
            "and this Lantern is for 9.x. Run `lantern provision` of this version as the operator."
        ]
        assert mesh.inspect("narrator")["RestartCount"] == 0
    finally:
        mesh.compose("up", "-d", "--no-deps", "narrator")


def logs_of(container: str) -> str:
    done = subprocess.run(["docker", "logs", container], capture_output=True, text=True, check=True)
    return done.stdout + done.stderr


# -- how much it takes


def test_memory_stays_under_its_limits(mesh: Stack) -> None:
    with mesh.playing("bundled", "measured", 8) as play:
        play.finish()
    for service in (*SERVICES, "nats"):
        told = mesh.inspect(service)
        read = ("docker", "stats", "--no-stream", "--format", "{{.MemPerc}} {{.MemUsage}}", told["Id"])
        percent, *usage = subprocess.run(read, capture_output=True, text=True, check=True).stdout.split()
        print(f"{service:12} {' '.join(usage)}")
        assert float(percent.rstrip("%")) < 90, service
        assert not told["State"]["OOMKilled"], service
    print(docker("images", "--format", "{{.Repository}}:{{.Tag}} {{.Size}}", IMAGE))
