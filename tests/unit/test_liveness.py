"""The roll of who is live."""

from datetime import UTC, datetime, timedelta

from mesh.observability.liveness import LivenessTracker
from schemas.mesh import ServiceAlive, ServiceState

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def alive(state: ServiceState, seconds: int) -> ServiceAlive:
    told = {"name": "narrator", "version": "1.0.0", "instance": "a", "cell": "main", "gives_fragments": True}
    since = NOON if state is ServiceState.READY else None
    return ServiceAlive(**told, state=state, since=since, time=NOON + timedelta(seconds=seconds))


def services(*heard: ServiceAlive) -> frozenset[str]:
    liveness = LivenessTracker(3.0, monotonic=lambda: 0.0)
    for told in heard:
        liveness.note(told)
    return liveness.fragment_services("s1", NOON + timedelta(seconds=9))


def test_who_is_ready_answers_and_who_is_warming_or_leaving_does_not() -> None:
    warming, ready = alive(ServiceState.WARMING, 0), alive(ServiceState.READY, 1)
    draining = alive(ServiceState.DRAINING, 2)
    assert services(warming) == frozenset()
    assert services(warming, ready) == {"narrator"}
    assert services(ready, draining) == frozenset()


def test_older_news_that_comes_later_changes_nothing() -> None:
    assert services(alive(ServiceState.READY, 1), alive(ServiceState.WARMING, 0)) == {"narrator"}
