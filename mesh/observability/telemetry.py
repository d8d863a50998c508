"""The telemetry of one instance: metrics, recent latencies, and the spans of traces."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from mesh import metrics
from mesh.metrics import Meter
from mesh.observability.spans import process_span, publish_span
from mesh.observability.tracing import Traces
from schemas.envelope import Envelope, ServiceRef

LATELY = 60.0
"""Seconds back from now over which latencies are computed."""

REMEMBERED = 512
"""Durations kept at most."""

REFUSED = "refused"


@dataclass(slots=True)
class Publishing:
    """A publish in progress, and its outcome."""

    outcome: str = REFUSED


class Telemetry:
    """Counts and times the work of one service in one cell, and sends spans if traces are on."""

    def __init__(self, me: ServiceRef, cell: str, traces: Traces | None = None) -> None:
        self.me, self.traces = me, traces
        self.meter = Meter(me, cell)
        self._durations: deque[tuple[float, float]] = deque(maxlen=REMEMBERED)

    @contextmanager
    def handling(self, envelope: Envelope) -> Iterator[None]:
        """Time the block, which handles a message."""
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
                self.traces.send(process_span(envelope, self.me, start, start + int(seconds * 1e9), fault))

    @contextmanager
    def publishing(self, envelope: Envelope) -> Iterator[Publishing]:
        """Time the block, which publishes a message and sets the outcome (refused, if it does not)."""
        began, start = time.monotonic(), time.time_ns()
        publishing, fault = Publishing(), None
        try:
            yield publishing
        except Exception as error:
            fault = f"{type(error).__name__}: {error}"
            raise
        finally:
            seconds, kind = time.monotonic() - began, envelope.kind.value
            self.meter.of(metrics.PUBLISHED, kind, publishing.outcome).inc()
            self.meter.of(metrics.PUBLISHING, kind).observe(seconds)
            if self.traces is not None:
                end = start + int(seconds * 1e9)
                self.traces.send(publish_span(envelope, start, end, publishing.outcome, fault))

    def latencies(self) -> tuple[float, float] | None:
        """The recent latency of handling in seconds, p50 and p99; None: no message came."""
        oldest = time.monotonic() - LATELY
        lately = sorted(seconds for at, seconds in tuple(self._durations) if at >= oldest)
        if not lately:
            return None
        return lately[len(lately) // 2], lately[int(len(lately) * 0.99)]
