"""Traces of a step across all services, taken by a receiver of the test's own."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from mesh.nats.codec import trace_id
from mesh.observability.spans import Span as Sent
from mesh.observability.spans import SpanAt
from mesh.observability.tracing import CLOSE_TIMEOUT, TracesLost, send_all, tracing
from schemas.envelope import ServiceRef
from tests.support.processes.command import Lantern

SERVICES = {"game", "memory", "narrator", "hint", "npc_tracker", "actor", "critic"}
REMEMBERING = {"memory", "narrator", "hint", "npc_tracker"}


@dataclass
class Receiver:
    """What was sent by OTLP over HTTP."""

    url: str
    spans: list[tuple[str, Span]] = field(default_factory=list)
    """Each with the name of the service that sent it."""

    def of(self, session: str, step: int) -> list[tuple[str, Span]]:
        trace = bytes.fromhex(trace_id(session, step))
        return [(service, span) for service, span in self.spans if span.trace_id == trace]

    def take(self, request: ExportTraceServiceRequest) -> None:
        for resource in request.resource_spans:
            told = {said.key: said.value.string_value for said in resource.resource.attributes}
            for scope in resource.scope_spans:
                self.spans += [(told["service.name"], span) for span in scope.spans]


@contextmanager
def receiving() -> Iterator[Receiver]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/traces"
            data = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.take(ExportTraceServiceRequest.FromString(data))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        receiver = Receiver(f"http://127.0.0.1:{server.server_port}")
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield receiver
        server.shutdown()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Lantern:
    """The home of the session that is traced."""
    return Lantern(tmp_path_factory.mktemp("traced") / "home")


@pytest.fixture(scope="module")
def traced(home: Lantern) -> Receiver:
    """What was received of one session of three actions."""
    with receiving() as receiver:
        home.env["OTEL_EXPORTER_OTLP_ENDPOINT"] = receiver.url
        home.play("--steps", "3", "--session", "traced", "--no-valid-actions")
        home.wait_until_gone()
    return receiver


def test_the_spans_of_a_step_come_from_every_service(traced: Receiver) -> None:
    for step in range(3):
        assert {service for service, _ in traced.of("traced", step)} == SERVICES


def test_every_span_stands_below_another_of_its_trace_or_is_its_root(traced: Receiver) -> None:
    for step in range(3):
        spans = [span for _, span in traced.of("traced", step)]
        ids = [span.span_id for span in spans]

        assert len(ids) == len(set(ids))
        roots = [span for span in spans if not span.parent_span_id]
        assert [span.name for span in roots] == ["publish started" if step == 0 else "publish step"]
        assert all(span.parent_span_id in ids for span in spans if span not in roots)


def test_a_step_leads_to_fragments_a_proposal_a_verdict_and_the_next_step(traced: Receiver) -> None:
    spans = dict(enumerate(traced.of("traced", 1)))
    by_id = {span.span_id: (service, span.name) for service, span in spans.values()}

    def led_to(name: str) -> set[tuple[str, tuple[str, str]]]:
        """Who published that, and below what."""
        return {
            (service, by_id[span.parent_span_id]) for service, span in spans.values() if span.name == name
        }

    assert led_to("publish fragment") == {(name, (name, "process step")) for name in REMEMBERING}
    assert led_to("publish proposal") == {("actor", ("actor", "process step"))}
    assert led_to("process proposal") >= {("critic", ("actor", "publish proposal"))}
    assert led_to("publish verdict") == {("critic", ("critic", "process proposal"))}
    assert led_to("process verdict") == {("game", ("critic", "publish verdict"))}

    [verdict] = [span for _, span in spans.values() if span.name == "process verdict"]
    [next_step] = [span for _, span in traced.of("traced", 2) if span.name == "publish step"]
    assert [link.span_id for link in next_step.links] == [verdict.span_id]
    assert [link.trace_id for link in next_step.links] == [verdict.trace_id]


def test_a_span_says_what_it_was_about_and_what_became_of_it(traced: Receiver) -> None:
    [proposal] = [span for _, span in traced.of("traced", 1) if span.name == "publish proposal"]
    told = {said.key: said.value for said in proposal.attributes}

    assert told["lantern.session"].string_value == "traced"
    assert told["lantern.step"].int_value == 1
    assert told["lantern.kind"].string_value == "proposal"
    assert told["lantern.service"].string_value == "actor"
    assert told["lantern.outcome"].string_value == "stored"
    assert proposal.kind == Span.SPAN_KIND_PRODUCER
    assert proposal.start_time_unix_nano <= proposal.end_time_unix_nano


def test_a_record_tells_the_same_spans_afterwards(traced: Receiver, home: Lantern) -> None:
    with receiving() as again:
        home.env["OTEL_EXPORTER_OTLP_ENDPOINT"] = again.url
        done = home.run("sessions", "trace", "traced")

    def told(receiver: Receiver, verb: str) -> set[tuple[str, str, bytes, bytes, bytes]]:
        return {
            (service, span.name, span.trace_id, span.span_id, span.parent_span_id)
            for service, span in receiver.spans
            if span.name.startswith(verb)
        }

    assert (done.returncode, done.stdout) == (0, f"sent {len(again.spans)} spans of traced\n")
    assert told(again, "publish") == told(traced, "publish")
    assert told(again, "process") <= told(traced, "process")
    assert ("actor", "process step") in {(service, span.name) for service, span in again.spans}


def test_a_record_cannot_be_traced_to_nowhere(traced: Receiver, home: Lantern) -> None:
    home.env["OTEL_EXPORTER_OTLP_ENDPOINT"] = traced.url  # nobody listens there any more
    home.env["OTEL_EXPORTER_OTLP_TIMEOUT"] = "1"
    lost = home.run("sessions", "trace", "traced")
    del home.env["OTEL_EXPORTER_OTLP_ENDPOINT"]
    nowhere = home.run("sessions", "trace", "traced")

    assert (lost.returncode, nowhere.returncode) == (1, 2)
    assert "The OTLP receiver did not take" in lost.stderr.splitlines()[-1]
    assert nowhere.stderr.count("\n") == 1
    assert "OTEL_EXPORTER_OTLP_ENDPOINT" in nowhere.stderr


def test_a_receiver_that_is_not_there_costs_no_step_and_is_told_in_the_log(lantern: Lantern) -> None:
    with receiving() as receiver:
        lantern.env["OTEL_EXPORTER_OTLP_ENDPOINT"] = receiver.url  # nobody listens there any more
    lantern.env["OTEL_EXPORTER_OTLP_TIMEOUT"] = "1"

    counts = lantern.play("--steps", "2", "--no-valid-actions")

    assert counts["steps"] == 2
    assert "traces_not_sent" in (lantern.home / "lantern.log").read_text()


async def test_a_receiver_that_never_answers_holds_up_no_exit(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:  # the kernel accepts; nobody reads
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
        began = time.monotonic()

        async with tracing() as traces:
            assert traces is not None
            traces.send(a_span())

    assert CLOSE_TIMEOUT <= time.monotonic() - began < 5


def test_no_more_spans_are_sent_to_a_receiver_that_takes_none() -> None:
    traces = NobodyTakes()

    with pytest.raises(TracesLost, match="did not take 256 spans"):
        send_all([a_span()] * 2000, traces)

    assert traces.flushes == 1


class NobodyTakes:
    """Loses all that it is given."""

    sent = flushes = 0

    def send(self, span: Sent) -> None:
        self.sent += 1

    def flush(self) -> int:
        self.flushes += 1
        return self.sent

    def close(self, seconds: float) -> None:
        pass


def a_span() -> Sent:
    by = ServiceRef(name="narrator", version="1.0.0", instance="one")
    return Sent("publish step", by, SpanAt(1, 2), None, None, 0, 1, {})


def test_traces_that_are_asked_for_without_the_extra_are_one_clear_line(
    lantern: Lantern, tmp_path: Path
) -> None:
    (tmp_path / "without" / "opentelemetry").mkdir(parents=True)
    (tmp_path / "without" / "opentelemetry" / "__init__.py").touch()
    lantern.env |= {"PYTHONPATH": str(tmp_path / "without"), "OTEL_EXPORTER_OTLP_ENDPOINT": "http://h:1"}

    done = lantern.run("play", "--steps", "1")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "not installed" in done.stderr
    assert "pip install -e '.[traces]'" in done.stderr


def test_a_protocol_that_lantern_does_not_speak_is_one_clear_line(lantern: Lantern) -> None:
    lantern.env |= {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h:1", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}

    done = lantern.run("play", "--steps", "1")

    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "http/protobuf" in done.stderr
