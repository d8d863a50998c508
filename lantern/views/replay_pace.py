"""How fast a recorded session is shown."""

from __future__ import annotations

import asyncio
from datetime import datetime

from mesh.errors import InputError

SLOWEST, FASTEST = 0.001, 1000.0
"""Bounds of the times that a replay is faster than the play."""


class ReplayPace:
    """Waits as long as it took when it was recorded, so many times faster; not at all where that is None."""

    def __init__(self, times: float | None) -> None:
        self.times = times
        self._from: tuple[float, datetime] | None = None

    @classmethod
    def of(cls, speed: str) -> ReplayPace:
        """`instant`, `original`, or `xN`: N times as fast.

        Raises:
            InputError: it is none of these.
        """
        if speed in ("instant", "original"):
            return cls(None if speed == "instant" else 1.0)
        try:
            times = float(speed.removeprefix("x")) if speed.startswith("x") else 0.0
        except ValueError:
            times = 0.0
        if not SLOWEST <= times <= FASTEST:
            raise InputError(
                f"--speed cannot be {speed!r}: give instant, original, or xN, such as x4 or x0.5 "
                f"(from x{SLOWEST:g} to x{FASTEST:g})."
            )
        return cls(times)

    def reset(self) -> None:
        """Whatever lies before the next message is no time of the session's."""
        self._from = None

    async def wait_until(self, time: datetime) -> None:
        """Wait for the moment at which a message of that time is due; the first is due at once."""
        if self.times is None:
            return
        now = asyncio.get_running_loop().time()
        if self._from is None:
            self._from = (now, time)
        began, first = self._from
        await asyncio.sleep(max(0.0, began + (time - first).total_seconds() / self.times - now))
