"""What observing costs: metrics and traces of one message that is handled and one that is published.

Usage: python -m benchmarks.telemetry [--runs N] [--messages N]

Processor time of the service's own thread: spans are encoded and sent by another (here to a receiver that
is not there). Prints Markdown.
"""

from __future__ import annotations

import argparse
import logging
import os
import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime

from benchmarks.mesh import machine
from mesh.nats.codec import trace_id
from mesh.observability.telemetry import Telemetry
from mesh.observability.tracing import Traces, open_traces
from schemas.envelope import Envelope, ServiceRef
from schemas.game import StepTaken

ME = ServiceRef(name="bench", version="1.0.0", instance="bench")
NOWHERE = "http://127.0.0.1:9"


def a_message(number: int) -> Envelope:
    body = StepTaken(step=number, action="look", observation="Nothing.")
    return Envelope.model_construct(
        version=body.version,
        kind=body.kind,
        cell="main",
        session="bench",
        step=number,
        service=ME,
        cause=f"main.bench.verdict.{number - 1}",
        time=datetime.now(UTC),
        trace_id=trace_id("bench", number),
        body=body,
    )


def nothing(envelope: Envelope) -> None:
    """A handler that does nothing: what a loop costs by itself."""


def insight_of(traces: Traces | None) -> Callable[[Envelope], None]:
    telemetry = Telemetry(ME, "main", traces)

    def handle(envelope: Envelope) -> None:
        with telemetry.handling(envelope), telemetry.publishing(envelope) as publishing:
            publishing.outcome = "stored"

    return handle


def microseconds(handle: Callable[[Envelope], None], messages: list[Envelope]) -> float:
    """Of processor time, for each message."""
    began = time.thread_time()
    for message in messages:
        handle(message)
    return (time.thread_time() - began) / len(messages) * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--messages", type=int, default=2000)
    given = parser.parse_args()
    os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] = NOWHERE
    traces = open_traces()
    logging.disable()
    messages = [a_message(number) for number in range(1, given.messages + 1)]
    print(f"{given.runs} runs of {given.messages} messages, load {os.getloadavg()[0]:.1f}\n\n{machine()}\n")
    print("| microseconds for a message handled and one published | median of runs | least | greatest |")
    print("| --- | --- | --- | --- |")
    ways = {"nothing": nothing, "metrics": insight_of(None), "metrics and traces": insight_of(traces)}
    for name, handle in ways.items():
        runs = [microseconds(handle, messages) for _ in range(given.runs)]
        print(f"| {name} | {statistics.median(runs):.1f} | {min(runs):.1f} | {max(runs):.1f} |")
    if traces is not None:
        traces.close(0.1)


if __name__ == "__main__":
    main()
