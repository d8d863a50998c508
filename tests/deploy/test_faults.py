"""What goes wrong under way: nothing of it costs a step."""

from __future__ import annotations

from engine import docker
from stack import SERVICES, Stack, until


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
