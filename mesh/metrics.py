"""The Prometheus metrics of the mesh, and the labels that all metrics share.

No label names a session, a story or an action, because their number is unbounded.
"""

from __future__ import annotations

from typing import Any, TypeAlias, TypeVar

from prometheus_client import REGISTRY, Counter, Gauge, Histogram, disable_created_metrics, make_wsgi_app

from schemas.envelope import ServiceRef

OF = ("service", "version", "cell")
"""The labels that every metric of a service begins with."""

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""The upper bounds of the histogram buckets."""

M = TypeVar("M", Counter, Gauge, Histogram)

disable_created_metrics()  # type: ignore[no-untyped-call]


Count: TypeAlias = Counter
"""The type that `counter` returns."""


def counter(name: str, what: str, *labels: str) -> Counter:
    """A metric that only grows; its name ends in `_total`."""
    return Counter(name, what, (*OF, *labels))


def gauge(name: str, what: str, *labels: str) -> Gauge:
    """A metric with a current value."""
    return Gauge(name, what, (*OF, *labels))


def histogram(name: str, what: str, *labels: str) -> Histogram:
    """A distribution of durations in seconds."""
    return Histogram(name, what, (*OF, *labels), buckets=SECONDS)


def wsgi_app() -> Any:
    """A WSGI application that serves all metrics of this process, and those about the process itself."""
    return make_wsgi_app(REGISTRY)


class Meter:
    """The metrics of one service in one cell."""

    def __init__(self, me: ServiceRef, cell: str) -> None:
        self._of = (me.name, me.version, cell)
        self._known: dict[tuple[object, tuple[str, ...]], Any] = {}

    def of(self, metric: M, *labels: str) -> M:
        """The metric with the labels of this service."""
        key = (metric, labels)
        found: M | None = self._known.get(key)
        if found is None:
            found = self._known[key] = metric.labels(*self._of, *labels)
        return found


HANDLED = counter(
    "lantern_messages_total",
    "Messages that were delivered, by outcome: handled or failed.",
    "kind",
    "outcome",
)
HANDLING = histogram(
    "lantern_handling_seconds", "Time to handle a message, including publishing the answers.", "kind"
)
IN_HAND = gauge("lantern_messages_in_hand", "Messages received and not yet handled.")
REDELIVERED = counter("lantern_redeliveries_total", "Messages that had been delivered before.", "kind")
DEAD = counter("lantern_dead_letters_total", "Messages kept as dead letters.")
PUBLISHED = counter(
    "lantern_publishes_total",
    "Messages published into the record: stored, mine (a repeat), lost (another's was first) or refused.",
    "kind",
    "outcome",
)
PUBLISHING = histogram("lantern_publish_seconds", "Time until the server acknowledged a message.", "kind")
SESSIONS = gauge("lantern_sessions_held", "Sessions whose state is in memory.")
CAUGHT_UP = counter("lantern_catch_up_steps_total", "Steps folded from the record to catch up.")
HEARTBEAT = gauge("lantern_heartbeat_timestamp_seconds", "Time of the service's last heartbeat.")
HEALTHY = gauge("lantern_healthy", "1: connected, consumer alive, loop ticking, nothing refused; else 0.")
LATE = gauge("lantern_loop_delay_seconds", "How late the event loop was at its last tick.")

RECONNECTS = Counter("lantern_reconnects_total", "Times that a connection to NATS came back.", ("client",))
BUS_ERRORS = Counter(
    "lantern_bus_errors_total",
    "Errors that NATS reported: refused (by permissions) or other.",
    ("client", "what"),
)
"""The last two count by connection: the services of one process share one."""
