"""What an instance shows of its own work: metrics, how long it takes lately, and the spans of traces."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from mesh import metrics
from mesh.metrics import Meter
from mesh.observability.spans import processed, published
from mesh.observability.tracing import Traces
from schemas.envelope import Envelope, ServiceRef

LATELY = 60.0
"""Seconds back from now that latencies are told of."""

REMEMBERED = 512
"""Durations kept at most."""

REFUSED = "refused"


@dataclass(slots=True)
class Publishing:
    """A publish under way, and what becomes of it."""

    outcome: str = REFUSED


class Telemetry:
    """Counts and times what one service of one cell does, and tells traces of it where they are wanted."""

    def __init__(self, me: ServiceRef, cell: str, traces: Traces | None = None) -> None:
        self.me, self.traces = me, traces
        self.meter = Meter(me, cell)
        self._durations: deque[tuple[float, float]] = deque(maxlen=REMEMBERED)

    @contextmanager
    def handling(self, envelope: Envelope) -> Iterator[None]:
        """The block reacts to a message."""
        began, start = time.monotonic(), time.time_ns()
        fault: str | None = "cut short"
        try:
            yield
            fault = None
        except Exception as error:
            fault = f"{type(error).__name__}: {error}"
            raise
        finally:
            seconds, kind = time.monotonic() - began, envelope.kind.value
            self._durations.append((began + seconds, seconds))
            self.meter.of(metrics.HANDLED, kind, "failed" if fault else "handled").inc()
            self.meter.of(metrics.HANDLING, kind).observe(seconds)
            if self.traces is not None:
                self.traces.send(processed(envelope, self.me, start, start + int(seconds * 1e9), fault))

    @contextmanager
    def publishing(self, envelope: Envelope) -> Iterator[Publishing]:
        """The block publishes a message, and notes the outcome; none is a refusal."""
        began, start = time.monotonic(), time.time_ns()
        under_way, fault = Publishing(), None
        try:
            yield under_way
        except Exception as error:
            fault = f"{type(error).__name__}: {error}"
            raise
        finally:
            seconds, kind = time.monotonic() - began, envelope.kind.value
            self.meter.of(metrics.PUBLISHED, kind, under_way.outcome).inc()
            self.meter.of(metrics.PUBLISHING, kind).observe(seconds)
            if self.traces is not None:
                end = start + int(seconds * 1e9)
                self.traces.send(published(envelope, start, end, under_way.outcome, fault))

    def latencies(self) -> tuple[float, float] | None:
        """Seconds to react to a message lately, p50 and p99; None: there was none."""
        oldest = time.monotonic() - LATELY
        lately = sorted(seconds for at, seconds in tuple(self._durations) if at >= oldest)
        if not lately:
            return None
        return lately[len(lately) // 2], lately[int(len(lately) * 0.99)]
