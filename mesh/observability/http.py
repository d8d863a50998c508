"""`/metrics` and `/healthz` of a process, answered by threads: also while its event loop is stuck."""

from __future__ import annotations

import json
import socket
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
    """What this process tells over HTTP."""

    def __init__(self) -> None:
        self.url = ""
        self._metrics = metrics.wsgi_app()
        self._services: tuple[Callable[[], ServiceAlive], ...] | None = None

    def tell_of(self, services: Iterable[Callable[[], ServiceAlive]]) -> None:
        """These services run in this process; before that it is not healthy."""
        self._services = tuple(services)

    def __call__(self, environ: dict[str, Any], respond: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request (WSGI)."""
        match environ["PATH_INFO"]:
            case "/metrics":
                self._alive()  # its gauge of health is of now
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
        told = {
            "healthy": not problems,
            "problems": problems,
            "services": [service.model_dump(mode="json") for service in services],
        }
        status = HTTPStatus.SERVICE_UNAVAILABLE if problems else HTTPStatus.OK
        return _answer(respond, status, "application/json", json.dumps(told) + "\n")


@contextmanager
def served(settings: MeshSettings) -> Iterator[Pages]:
    """Serve the pages for as long as the block lasts, if a port is set for them.

    Raises:
        PortTaken: it cannot be listened on.
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
    """One thread a request."""

    daemon_threads = True

    def __init__(self, address: str, port: int) -> None:
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        super().__init__((address, port), _Handler)

    def server_bind(self) -> None:
        """Without looking the host's name up, which may take seconds."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]  # type: ignore[assignment]
        self.setup_environ()


class _Handler(WSGIRequestHandler):
    timeout = PATIENCE

    def log_message(self, *_: object) -> None:
        """Nothing: a scrape every few seconds is no event."""


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
