"""`lantern sessions trace`: send a record to a collector of OpenTelemetry traces."""

from __future__ import annotations

import asyncio

from lantern.command_options import NatsUrl, SessionName, with_session_bus
from mesh.errors import InputError
from mesh.observability.spans import spans_of_record
from mesh.observability.tracing import send_all, tracing
from mesh.printable import counted
from mesh.record.bus import Bus


def trace_command(session: SessionName, nats: NatsUrl = None) -> int:
    """Send a session's record as OpenTelemetry traces, one for each step."""

    async def work(bus: Bus) -> int:
        messages = [envelope async for envelope in bus.reader.messages(session)]
        async with tracing() as traces:
            if traces is None:
                raise InputError("Nobody takes traces. Set OTEL_EXPORTER_OTLP_ENDPOINT to where they go.")
            return await asyncio.to_thread(send_all, spans_of_record(messages), traces)

    print(f"sent {counted(with_session_bus(nats, session, work), 'span')} of {session}")
    return 0
