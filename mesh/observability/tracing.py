"""Whether traces are wanted, and where to: as OpenTelemetry's own variables say (`OTEL_...`)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Protocol

from pydantic_settings import BaseSettings, SettingsConfigDict

from mesh.errors import FailureError, InputError
from mesh.observability.spans import Span

PROTOCOL = "http/protobuf"
SPANS_PER_FLUSH = 256
"""Spans sent in one go, where there are many."""

FAREWELL = 5.0
"""Seconds that a process which ends gives its last spans to be taken."""


class TracesUnavailable(InputError):
    """Traces are asked for, but cannot be sent."""


class TracesLost(FailureError):
    """The receiver did not take what it was sent."""


class Traces(Protocol):
    """Takes the spans of all services of a process; sends them in the background, and never waits."""

    def send(self, span: Span) -> None:
        """Take a span that is over; where more come than can be sent, some are lost."""

    def flush(self) -> int:
        """Send what has been taken, and wait for it; how many spans were lost so far."""

    def close(self, seconds: float) -> None:
        """Send what is left, for so long at most."""


class TraceSettings(BaseSettings):
    """What is read here of OpenTelemetry's variables; the exporter reads the others itself."""

    model_config = SettingsConfigDict(env_prefix="OTEL_", frozen=True, extra="ignore")

    exporter_otlp_endpoint: str = ""
    exporter_otlp_traces_endpoint: str = ""
    exporter_otlp_protocol: str = ""
    exporter_otlp_traces_protocol: str = ""
    traces_exporter: str = "otlp"
    sdk_disabled: str = ""

    @property
    def wanted(self) -> bool:
        """Whether there is somewhere to send traces to."""
        somewhere = self.exporter_otlp_traces_endpoint or self.exporter_otlp_endpoint
        disabled = self.sdk_disabled.strip().lower() == "true" or self.traces_exporter == "none"
        return bool(somewhere) and not disabled

    @property
    def protocol(self) -> str:
        """How to send them."""
        return self.exporter_otlp_traces_protocol or self.exporter_otlp_protocol or PROTOCOL


def opened(settings: TraceSettings | None = None) -> Traces | None:
    """Where to send spans; None: nobody wants any.

    Raises:
        TracesUnavailable: they are wanted, but cannot be sent.
    """
    settings = settings or TraceSettings()
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
            "Run pip install -e '.[traces]', or unset it."
        ) from error
    try:
        return OtlpTraces()
    except ValueError as error:
        raise TracesUnavailable(
            f"A variable OTEL_... cannot be used: {error} Correct or unset it."
        ) from error


def send_all(spans: Iterable[Span], traces: Traces) -> int:
    """Send spans as fast as they are taken; how many there were.

    Raises:
        TracesLost: the receiver did not take them.
    """
    sent = 0
    for sent, span in enumerate(spans, start=1):
        traces.send(span)
        if sent % SPANS_PER_FLUSH == 0:
            traces.flush()
    if lost := traces.flush():
        raise TracesLost(f"{lost} of {sent} spans were not taken. Is there an OTLP receiver at that address?")
    return sent


@asynccontextmanager
async def tracing() -> AsyncIterator[Traces | None]:
    """Traces, if somebody wants them, for as long as the block lasts.

    Raises:
        TracesUnavailable: they are wanted, but cannot be sent.
    """
    traces = opened()
    try:
        yield traces
    finally:
        if traces is not None:
            await asyncio.to_thread(traces.close, FAREWELL)
