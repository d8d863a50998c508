"""Connecting to NATS: who we say we are, how long we try, and what NATS tells beside the messages."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import Any

import nats
import structlog
from nats.aio.client import Client

from mesh.errors import BusUnreachable
from mesh.metrics import BUS_ERRORS, RECONNECTS
from schemas.envelope import ServiceRef

REFUSED = "permissions violation"
"""What NATS says, among other words, where its permissions forbid something."""

REFUSALS = 20
"""Kept at most, the latest."""

log = structlog.get_logger()


async def connected(url: str, me: ServiceRef) -> tuple[Client, ConnectionEvents]:
    """A connection that comes back by itself, without end, once it has been made.

    Raises:
        BusUnreachable: nothing answers at `url`, or it refuses us.
    """
    nc, events = Client(), ConnectionEvents(me)
    options: dict[str, Any] = {
        "name": f"{me.name}/{me.version}/{me.instance}",
        "inbox_prefix": f"_INBOX_{me.name}",
        "max_reconnect_attempts": -1,
        "reconnect_time_wait": 0.2,
        "ping_interval": 5,
        "connect_timeout": 3,
    }
    connecting = asyncio.ensure_future(nc.connect(url, **options, **events.callbacks()))
    first: set[asyncio.Future[Any]] = {connecting, events.first_error}
    await asyncio.wait(first, timeout=5, return_when=asyncio.FIRST_COMPLETED)
    if nc.is_connected:
        return nc, events
    reason = await _given_up(connecting, events)
    raise BusUnreachable(
        f"No NATS server to talk to at {shown(url)} ({reason}). "
        "Start one with JetStream there, or leave --nats and NATS_URL out to use an embedded one."
    )


class ConnectionEvents:
    """What NATS tells beside the messages: logged, and the first error kept for who is connecting."""

    def __init__(self, me: ServiceRef) -> None:
        self.log = log.bind(service=me.name, instance=me.instance)
        self.refusals: deque[tuple[float, str]] = deque(maxlen=REFUSALS)
        """What NATS's permissions forbade: when (monotonic seconds), and in which words."""
        self._reconnects = RECONNECTS.labels(me.name)
        self._refused, self._other = (BUS_ERRORS.labels(me.name, what) for what in ("refused", "other"))
        self.first_error: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.closing = False

    def callbacks(self) -> dict[str, Any]:
        """The callbacks, as nats-py names them."""
        return {
            "error_cb": self.on_error,
            "disconnected_cb": self.on_disconnect,
            "reconnected_cb": self.on_reconnect,
        }

    async def on_error(self, error: Exception) -> None:
        """Log it; permission violations are told nowhere else."""
        told = reason_of(error)
        if not self.first_error.done():
            self.first_error.set_result(told)
        refused = REFUSED in told.lower()
        if refused:
            self.refusals.append((time.monotonic(), told))
        (self._refused if refused else self._other).inc()
        self.log.warning("bus_error", error=told)

    async def on_disconnect(self) -> None:
        """Log it; the client reconnects by itself, without end."""
        if not self.closing:
            self.log.warning("bus_disconnected")

    async def on_reconnect(self) -> None:
        """Log it."""
        self._reconnects.inc()
        self.log.info("bus_reconnected")


def shown(url: str) -> str:
    """A server's address without what must stay secret."""
    scheme, _, rest = url.rpartition("://")
    return f"{scheme or 'nats'}://{rest.rpartition('@')[2]}"


def reason_of(error: BaseException) -> str:
    """An error in one line."""
    return str(error).splitlines()[0] if str(error) else type(error).__name__


async def _given_up(connecting: asyncio.Future[None], events: ConnectionEvents) -> str:
    """Stop connecting, and say why it did not work."""
    connecting.cancel()
    outcome = (await asyncio.gather(connecting, return_exceptions=True))[0]
    if events.first_error.done():
        return events.first_error.result()
    return reason_of(outcome) if isinstance(outcome, nats.errors.Error | OSError) else "no answer within 5 s"
