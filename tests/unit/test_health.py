"""What ails a service, from signs and a clock that are given."""

from __future__ import annotations

from collections import deque
from types import SimpleNamespace
from typing import Any

import pytest

from mesh.metrics import Meter
from mesh.runner.health import DEAF_AFTER, REFUSED_FOR, TICK, Health
from mesh.settings import MeshSettings
from schemas.envelope import ServiceRef
from schemas.mesh import ServiceState


class World:
    """A service's surroundings at a time that the test sets."""

    def __init__(self) -> None:
        self.time = 100.0
        self.refusals: deque[tuple[float, str]] = deque()
        self.connection = SimpleNamespace(is_connected=True)
        cell = SimpleNamespace(nc=self.connection, events=SimpleNamespace(refusals=self.refusals, full=None))
        self.consumer: Any = SimpleNamespace(
            cell=cell, settings=MeshSettings(dead_after=3.0), last_sign=self.time
        )
        self.health = Health(
            self.consumer,
            Meter(ServiceRef(name="compass", version="1.0.0", instance="i1"), "test"),
            lambda: self.time,
        )

    def live(self, seconds: float, *, hears: bool = True) -> None:
        """The loop ticks for so long; the server shows signs of life, or does not."""
        for _ in range(int(seconds / TICK)):
            self.time += TICK
            self.health.ticked()
            if hears:
                self.consumer.last_sign = self.time

    def problems(self, state: ServiceState = ServiceState.READY) -> tuple[str, ...]:
        return self.health.problems(state)


@pytest.fixture
def world() -> World:
    return World()


def test_who_is_connected_and_hears_the_server_is_well(world: World) -> None:
    world.live(60)

    assert world.problems() == ()


def test_a_loop_that_does_not_tick_is_stuck_and_nothing_else_is_known(world: World) -> None:
    world.connection.is_connected = False
    world.time += 5

    assert world.problems() == ("its event loop has been stuck for 5 s",)


def test_a_loop_that_was_stuck_first_reads_the_signs_that_came_meanwhile(world: World) -> None:
    world.time += 60
    world.health.ticked()
    assert world.problems() == ()

    world.live(DEAF_AFTER + 1, hears=False)
    assert world.problems() == ("its consumer has been silent for 4 s",)


def test_a_draining_service_needs_no_consumer_and_a_warming_one_is_not_well(world: World) -> None:
    world.live(60, hears=False)

    assert world.problems(ServiceState.DRAINING) == ()
    assert world.problems(ServiceState.WARMING) == ("it takes no messages yet",)


def test_without_a_connection_the_consumer_is_not_blamed(world: World) -> None:
    world.live(60, hears=False)
    world.connection.is_connected = False

    assert world.problems() == ("it is not connected to NATS",)


def test_a_refusal_is_told_once_for_a_while(world: World) -> None:
    world.refusals.extend([(world.time, "no"), (world.time + 1, "no")])
    assert world.problems() == ("NATS refuses it: no",)

    world.live(REFUSED_FOR + 2)
    assert world.problems() == ()
