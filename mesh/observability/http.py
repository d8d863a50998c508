"""Serves `/metrics` and `/healthz` of a process from threads: they answer even if its event loop is stuck."""

from __future__ import annotations

import json
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from socketserver import TCPServer, ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

import structlog

from mesh import metrics
from mesh.errors import InputError
from mesh.nats.connection import reason_of
from mesh.settings import MeshSettings
from schemas.mesh import ServiceAlive

PATIENCE = 10.0
"""Seconds that a client may take for its request."""

log = structlog.get_logger()


class PortTaken(InputError):
    """The port for metrics and health cannot be listened on."""

    def __init__(self, address: str, port: int, why: str | None) -> None:
        super().__init__(
            f"Metrics cannot be served at {address}:{port} ({why}). "
            "Name another --metrics-port (0: any that is free) or LANTERN_METRICS_ADDRESS."
        )


class Pages:
    """The pages that this process serves over HTTP."""

    def __init__(self) -> None:
        self.url = ""
        self._metrics = metrics.wsgi_app()
        self._services: tuple[Callable[[], ServiceAlive], ...] | None = None

    def set_services(self, services: Iterable[Callable[[], ServiceAlive]]) -> None:
        """Set the services of this process; before that it is not healthy."""
        self._services = tuple(services)

    def __call__(self, environ: dict[str, Any], respond: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request (WSGI)."""
        match environ["PATH_INFO"]:
            case "/metrics":
                self._alive()  # updates the gauge of health
                page: Iterable[bytes] = self._metrics(environ, respond)
                return page
            case "/healthz":
                return self._health(respond)
            case _:
                return _answer(respond, HTTPStatus.NOT_FOUND, "text/plain", "See /metrics and /healthz.\n")

    def _alive(self) -> list[ServiceAlive]:
        return [service() for service in self._services or ()]

    def _health(self, respond: Callable[..., Any]) -> Iterable[bytes]:
        services = self._alive()
        problems = [f"{service.name}: {problem}" for service in services for problem in service.problems]
        if self._services is None:
            problems = ["its services are being started"]
        report = {
            "healthy": not problems,
            "problems": problems,
            "services": [service.model_dump(mode="json") for service in services],
        }
        status = HTTPStatus.SERVICE_UNAVAILABLE if problems else HTTPStatus.OK
        return _answer(respond, status, "application/json", json.dumps(report) + "\n")


@contextmanager
def serve_pages(settings: MeshSettings) -> Iterator[Pages]:
    """Serve the pages while the block runs, if a port is set.

    Raises:
        PortTaken: the port cannot be listened on.
    """
    pages = Pages()
    if settings.metrics_port is None:
        yield pages
        return
    server = _listening(settings.metrics_address, settings.metrics_port, pages)
    pages.url = f"http://{settings.metrics_address}:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), name="metrics", daemon=True)
    thread.start()
    log.info("metrics_served", metrics=f"{pages.url}/metrics", health=f"{pages.url}/healthz")
    try:
        yield pages
    finally:
        server.shutdown()
        server.server_close()


class _Server(ThreadingMixIn, WSGIServer):
    """A server with one thread per request."""

    daemon_threads = True

    def __init__(self, address: str, port: int) -> None:
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        super().__init__((address, port), _Handler)

    def server_bind(self) -> None:
        """Bind without looking up the host's name, which may take seconds."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]  # type: ignore[assignment]
        self.setup_environ()

    def handle_error(self, request: object, client_address: object) -> None:
        """Log what broke off a request: a client that sends none in time, or that has gone."""
        log.info("page_not_served", client=str(client_address), why=reason_of(sys.exception() or OSError()))


class _Handler(WSGIRequestHandler):
    timeout = PATIENCE

    def log_message(self, *_: object) -> None:
        """Log nothing: scrapes come every few seconds."""


def _listening(address: str, port: int, pages: Pages) -> _Server:
    try:
        server = _Server(address, port)
    except OSError as error:
        raise PortTaken(address, port, error.strerror) from error
    server.set_app(pages)
    return server


def _answer(respond: Callable[..., Any], status: HTTPStatus, kind: str, text: str) -> Iterable[bytes]:
    respond(f"{status.value} {status.phrase}", [("Content-Type", f"{kind}; charset=utf-8")])
    return [text.encode()]
