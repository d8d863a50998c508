"""Every await point of a process, found by watching its tasks; at a chosen one it kills or stops itself.

No code of Lantern's is touched: a task factory wraps each coroutine. Where a task is suspended, the chain of
coroutines awaiting one another tells which of our functions, at which line, waits for what. A process that
ends "before" ends when it begins to wait there (nothing has left it yet, for what it wrote is still in its
buffers); "after", when the waiting is over (the answer is there, and nothing has been made of it).
"""

from __future__ import annotations

import asyncio
import gc
import os
import re
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from inspect import isasyncgen
from pathlib import Path
from types import CodeType, TracebackType
from typing import Any

ROOT = Path(__file__).parents[2]
OURS = tuple(f"{ROOT / package}{os.sep}" for package in ("mesh", "services", "lantern"))


IN_HAND = re.compile(r"Runner\._react|Presence\._endpoint")


@dataclass(frozen=True, slots=True)
class Point:
    """One side of an await point."""

    where: str
    side: str

    def __str__(self) -> str:
        return f"{self.side} {self.where}"


def shows(point: Point) -> bool:
    """Whether it differs, from outside, to end at this point and not at another.

    A task that begins to wait has done nothing that shows since its last wait was over. So to end "before" an
    await point is to end "after" the one before it, and both are tried for what is in hand alone.
    """
    return point.side == "after" or IN_HAND.search(point.where) is not None


class Watch:
    """What a process knows of its own await points."""

    def __init__(self, at: Callable[[Point], None]) -> None:
        self._at = at

    def factory(
        self, loop: asyncio.AbstractEventLoop, coroutine: Coroutine[Any, Any, Any], **told: Any
    ) -> asyncio.Task[Any]:
        """A task factory (see `loop.set_task_factory`)."""
        return asyncio.Task(Watched(coroutine, self), loop=loop, **told)

    def passed(self, where: str, side: str) -> None:
        """A task of this process is at this side of an await point."""
        self._at(Point(where, side))


class Watched(Coroutine[Any, Any, Any]):
    """A coroutine that says where it is suspended, and when it goes on from there."""

    def __init__(self, coroutine: Coroutine[Any, Any, Any], watch: Watch) -> None:
        self._coroutine, self._watch, self._where = coroutine, watch, ""

    def send(self, value: Any) -> Any:
        return self._step(self._coroutine.send, value)

    def throw(
        self, kind: Any, value: BaseException | None = None, traceback: TracebackType | None = None
    ) -> Any:
        return self._step(self._coroutine.throw, kind if value is None else value)

    def close(self) -> None:
        self._coroutine.close()

    def __await__(self) -> Any:
        return self._coroutine.__await__()

    def __repr__(self) -> str:
        return repr(self._coroutine)

    def _step(self, go_on: Callable[[Any], Any], value: Any) -> Any:
        if self._where:
            self._watch.passed(self._where, "after")
        awaited = go_on(value)
        self._where = where(self._coroutine)
        if self._where:
            self._watch.passed(self._where, "before")
        return awaited


def where(awaiting: Any) -> str:
    """Which of our functions are suspended here: the innermost with its line, then those that wait for it."""
    frames = []
    while awaiting is not None:
        frame = next(
            filter(None, (getattr(awaiting, f"{kind}_frame", None) for kind in ("cr", "gi", "ag"))), None
        )
        if frame is not None and frame.f_code.co_filename.startswith(OURS):
            frames.append((frame.f_code, frame.f_lineno))
        awaiting = _next(awaiting)
    if not frames:
        return ""
    (code, line), *callers = reversed(frames)
    return " < ".join((f"{named(code)}:{line}", *(named(caller) for caller, _ in callers)))


def named(code: CodeType) -> str:
    """A function as its module and name."""
    return f"{Path(code.co_filename).stem}.{code.co_qualname.replace('.<locals>', '')}"


def _next(awaiting: Any) -> Any:
    for name in ("cr_await", "gi_yieldfrom", "ag_await"):
        if (awaited := getattr(awaiting, name, None)) is not None:
            return awaited
    # what awaits an asynchronous generator does not name it, but refers to it
    return next((held for held in gc.get_referents(awaiting) if isasyncgen(held)), None)
