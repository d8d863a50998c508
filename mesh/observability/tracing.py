"""Turns traces on or off by OpenTelemetry's own environment variables (`OTEL_...`), and sends spans."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from itertools import islice
from typing import Protocol

from pydantic_settings import SettingsConfigDict

from mesh.errors import FailureError, InputError
from mesh.observability.spans import Span
from mesh.printable import counted
from mesh.settings import Settings, from_environment

PROTOCOL = "http/protobuf"
SPANS_PER_FLUSH = 256
"""The number of spans after which `send_all` flushes."""

CLOSE_TIMEOUT = 2.0
"""Seconds that an ending process waits for its last spans to be sent."""

EXPORT_TIMEOUT = 4.0
"""Seconds for one request to the receiver, repetitions included, if `OTEL_...` does not set it."""


class TracesUnavailable(InputError):
    """Traces are on, but cannot be sent."""


class TracesLost(FailureError):
    """The receiver did not take all spans."""


class Traces(Protocol):
    """Sends the spans of all services of a process in the background."""

    def send(self, span: Span) -> None:
        """Queue a span that has ended, without waiting; if the queue is full, the span is lost."""

    def flush(self) -> int:
        """Send the queued spans, and wait; the number of spans lost so far."""

    def close(self, seconds: float) -> None:
        """Send the queued spans, for at most `seconds`."""


class TraceSettings(Settings):
    """The OpenTelemetry variables that Lantern reads; the exporter reads the others itself."""

    model_config = SettingsConfigDict(env_prefix="OTEL_", extra="ignore")

    exporter_otlp_endpoint: str = ""
    exporter_otlp_traces_endpoint: str = ""
    exporter_otlp_protocol: str = ""
    exporter_otlp_traces_protocol: str = ""
    exporter_otlp_timeout: float | None = None
    exporter_otlp_traces_timeout: float | None = None
    traces_exporter: str = "otlp"
    sdk_disabled: str = ""

    @property
    def wanted(self) -> bool:
        """Whether an endpoint is set and traces are not disabled."""
        somewhere = self.exporter_otlp_traces_endpoint or self.exporter_otlp_endpoint
        disabled = self.sdk_disabled.strip().lower() == "true" or self.traces_exporter == "none"
        return bool(somewhere) and not disabled

    @property
    def protocol(self) -> str:
        """The OTLP protocol."""
        return self.exporter_otlp_traces_protocol or self.exporter_otlp_protocol or PROTOCOL

    @property
    def timeout(self) -> float:
        """Seconds for one request to the receiver."""
        return self.exporter_otlp_traces_timeout or self.exporter_otlp_timeout or EXPORT_TIMEOUT


def open_traces(settings: TraceSettings | None = None) -> Traces | None:
    """The exporter of spans; None: traces are off.

    Raises:
        TracesUnavailable: traces are on, but cannot be sent.
    """
    settings = settings or from_environment(TraceSettings)
    if not settings.wanted:
        return None
    if settings.protocol != PROTOCOL:
        raise TracesUnavailable(
            f"Traces cannot be sent by {settings.protocol!r}. Set OTEL_EXPORTER_OTLP_PROTOCOL to {PROTOCOL}."
        )
    try:
        from mesh.observability.otel import OtlpTraces
    except ModuleNotFoundError as error:
        raise TracesUnavailable(
            f"Traces are asked for by OTEL_EXPORTER_OTLP_ENDPOINT, but {error.name} is not installed. "
            "In a clone run `make install`, or `.venv/bin/pip install -e '.[traces]'`; or unset the variable."
        ) from error
    try:
        return OtlpTraces(settings.timeout)
    except ValueError as error:
        raise TracesUnavailable(
            f"A variable OTEL_... cannot be used: {error} Correct or unset it."
        ) from error


def send_all(spans: Iterable[Span], traces: Traces) -> int:
    """Send spans as fast as the receiver takes them; the number of spans.

    Raises:
        TracesLost: the receiver did not take some of them; no more are sent then.
    """
    sent = 0
    for group in batched(spans, SPANS_PER_FLUSH):
        for span in group:
            traces.send(span)
        if lost := traces.flush():
            raise TracesLost(
                f"The OTLP receiver did not take {counted(lost, 'span')}, after {sent} that it took. "
                "Start one at OTEL_EXPORTER_OTLP_ENDPOINT, or correct that."
            )
        sent += len(group)
    return sent


def batched(spans: Iterable[Span], size: int) -> Iterator[list[Span]]:
    """The spans in groups of at most `size`."""
    left = iter(spans)
    while group := list(islice(left, size)):
        yield group


@asynccontextmanager
async def tracing() -> AsyncIterator[Traces | None]:
    """The exporter of spans (None: traces are off) while the block runs.

    Raises:
        TracesUnavailable: traces are on, but cannot be sent.
    """
    traces = open_traces()
    try:
        yield traces
    finally:
        if traces is not None:
            await asyncio.to_thread(traces.close, CLOSE_TIMEOUT)
