"""Sends spans by OTLP over HTTP, with OpenTelemetry's own exporter; needs the extra `traces`."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence

import structlog
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.sdk.trace.sampling import Decision
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    Tracer,
    set_span_in_context,
)

from mesh.observability.spans import Span, SpanAt
from schemas.envelope import ServiceRef

KINDS = {"publish": SpanKind.PRODUCER, "process": SpanKind.CONSUMER}
LIBRARY = "opentelemetry"

log = structlog.get_logger()


class OtlpTraces:
    """One exporter for all services of this process; the receiver sees each as a service of its own."""

    def __init__(self, timeout: float) -> None:
        """`timeout`: seconds for one request to the receiver."""
        self._exporter = _Exporter(timeout=timeout)
        self._processor = BatchSpanProcessor(self._exporter)
        self._ids = _DerivedIds()
        self._tracers: dict[tuple[str, str], tuple[TracerProvider, Tracer]] = {}
        _redirect_log()

    def send(self, span: Span) -> None:
        """Queue a span that has ended."""
        provider, tracer = self._tracer(span.by)
        trace = span.at.trace
        sampled = provider.sampler.should_sample(None, trace, span.name).decision is not Decision.DROP
        flags = TraceFlags(TraceFlags.SAMPLED if sampled else TraceFlags.DEFAULT)
        self._ids.trace, self._ids.span = trace, span.at.span
        made = tracer.start_span(
            span.name,
            context=set_span_in_context(NonRecordingSpan(_context(span.parent, flags)))
            if span.parent
            else None,
            kind=KINDS[span.name.split()[0]],
            attributes=span.attributes,
            links=[Link(_context(span.link, flags))] if span.link else None,
            start_time=span.start,
        )
        if span.fault is not None:
            made.set_status(Status(StatusCode.ERROR, span.fault))
        made.end(span.end)

    def flush(self) -> int:
        """Send the queued spans, and wait; the number of spans lost so far."""
        self._processor.force_flush()
        return self._exporter.lost

    def close(self, seconds: float) -> None:
        """Send the queued spans; those that the receiver does not take in time are lost."""
        sending = threading.Thread(target=self._processor.shutdown, daemon=True)
        sending.start()
        sending.join(seconds)
        if sending.is_alive():
            log.warning("traces_lost", why=f"the receiver did not take them within {seconds:g} s")
            self._exporter.shutdown()  # type: ignore[no-untyped-call]

    def _tracer(self, by: ServiceRef) -> tuple[TracerProvider, Tracer]:
        key = (by.name, by.instance)
        if key not in self._tracers:
            attributes = {
                "service.namespace": "lantern",
                "service.name": by.name,
                "service.version": by.version,
                "service.instance.id": by.instance,
            }
            provider = TracerProvider(
                resource=Resource.create(attributes), id_generator=self._ids, shutdown_on_exit=False
            )
            provider.add_span_processor(self._processor)
            self._tracers[key] = (provider, provider.get_tracer("lantern", by.version))
        return self._tracers[key]


class _Exporter(OTLPSpanExporter):
    """Counts the spans that could not be sent."""

    lost = 0

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = super().export(spans)
        if result is not SpanExportResult.SUCCESS:
            self.lost += len(spans)
        return result


class _DerivedIds(IdGenerator):
    """Gives the derived ids of the span that is being created."""

    trace = span = 1

    def generate_trace_id(self) -> int:
        return self.trace

    def generate_span_id(self) -> int:
        return self.span


class _ToOurLog(logging.Handler):
    """Writes the exporter's warnings to our log."""

    def emit(self, record: logging.LogRecord) -> None:
        log.warning("traces_not_sent", why=" ".join(record.getMessage().split()))


def _redirect_log() -> None:
    logger = logging.getLogger(LIBRARY)
    logger.handlers, logger.propagate = [_ToOurLog(logging.WARNING)], False


def _context(at: SpanAt, flags: TraceFlags) -> SpanContext:
    return SpanContext(at.trace, at.span, is_remote=True, trace_flags=flags)
