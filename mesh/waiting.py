"""Waiting for something, but not for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable


async def at_most(seconds: float | None, waiting: Awaitable[object]) -> bool:
    """Wait for something, up to so many seconds (None: however long it takes); whether it came."""
    try:
        async with asyncio.timeout(seconds):
            await waiting
    except TimeoutError:
        return False
    return True
