"""Checks the health of an instance: connection, consumer, event loop, permissions."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from mesh import metrics
from mesh.errors import STORES_NOTHING
from mesh.runner.consumer import Consumer
from mesh.runner.inbox import SILENCE
from schemas.mesh import ServiceState

TICK = 0.25
"""Seconds between two ticks."""

DEAF_AFTER = 2 * SILENCE
"""Seconds without a sign of life from the server after which the consumer counts as dead."""

REFUSED_FOR = 60.0
"""Seconds for which a permission violation counts as a problem."""


FULL_FOR = 10.0
"""Seconds without room after which the server's store counts as full; a cluster may choose a new leader."""


class Health:
    """The health of an instance. It may be read from another thread, because the event loop may be stuck."""

    def __init__(
        self, consumer: Consumer, meter: metrics.Meter, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self.cell, self.consumer, self.settings = consumer.cell, consumer, consumer.settings
        self._monotonic, self._late = monotonic, meter.of(metrics.LATE)
        self._ticked = self._listening_since = monotonic()

    async def tick(self) -> None:
        """Tick while the event loop runs."""
        while True:
            await asyncio.sleep(TICK)
            self._late.set(self.ticked())

    def ticked(self) -> float:
        """Note a tick; return how many seconds it is late.

        After a stuck loop, the signs of life of that time are unread, so the silence is counted from now.
        """
        now = self._monotonic()
        late = max(0.0, now - self._ticked - TICK)
        if late > TICK:
            self._listening_since = now
        self._ticked = now
        return late

    def problems(self, state: ServiceState) -> tuple[str, ...]:
        """The problems in words; empty: the instance is healthy."""
        stuck = self._monotonic() - self._ticked
        if stuck > self.settings.dead_after:
            return (f"its event loop has been stuck for {stuck:.0f} s",)
        return (*self._of_the_connection(state), *self._full(), *self._refused())

    def _of_the_connection(self, state: ServiceState) -> tuple[str, ...]:
        if not self.cell.nc.is_connected:
            return ("it is not connected to NATS",)
        if state is ServiceState.WARMING:
            return ("it takes no messages yet",)
        silent = self._ticked - max(self.consumer.last_sign, self._listening_since)
        if state is ServiceState.READY and silent > DEAF_AFTER:
            return (f"its consumer has been silent for {silent:.0f} s",)
        return ()

    def _full(self) -> tuple[str, ...]:
        since = self.cell.events.full
        return () if since is None or self._monotonic() - since < FULL_FOR else (STORES_NOTHING,)

    def _refused(self) -> tuple[str, ...]:
        oldest = self._monotonic() - REFUSED_FOR
        texts = (text for at, text in tuple(self.cell.events.refusals) if at >= oldest)
        return tuple(f"NATS refuses it: {text}" for text in dict.fromkeys(texts))
