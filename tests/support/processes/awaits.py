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
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from inspect import isasyncgen
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Any

from nats.aio.client import Client

from mesh.nats.subjects import address_of
from mesh.runner.heartbeat import Heartbeat
from mesh.runner.runner import Runner

ROOT = Path(__file__).parents[3]
OURS = tuple(f"{ROOT / package}{os.sep}" for package in ("mesh", "services", "lantern"))


@dataclass(frozen=True, slots=True)
class Point:
    """One side of an await point."""

    where: str
    side: str
    publishes: bool = field(default=False, compare=False)
    """Whether a message for the record is on its way to the server."""

    @property
    def reacts(self) -> bool:
        """Whether a message is being handled."""
        return REACTION in self.where

    @property
    def reaction(self) -> Point:
        """The same, whoever called for the reaction."""
        innermost, reaction, _ = self.where.partition(REACTION)
        return Point(innermost + reaction, self.side, self.publishes)

    @property
    def in_hand(self) -> bool:
        """Whether a message or a question is being handled."""
        return self.reacts or QUESTION in self.where

    def __str__(self) -> str:
        return f"{self.side} {self.where}"


def shows(point: Point) -> bool:
    """Whether it differs, from outside, to end at this point and not at another.

    A task that begins to wait has done nothing that shows since its last wait was over. So to end "before" an
    await point is to end "after" the one before it, and both are tried for what is in hand alone.
    """
    return point.side == "after" or point.in_hand


class Watch:
    """What a process knows of its own await points."""

    def __init__(self, at: Callable[[Point], None]) -> None:
        self._at = at

    def factory(
        self, loop: asyncio.AbstractEventLoop, coroutine: Coroutine[Any, Any, Any], **told: Any
    ) -> asyncio.Task[Any]:
        """A task factory (see `loop.set_task_factory`)."""
        return asyncio.Task(Watched(coroutine, self), loop=loop, **told)

    def passed(self, point: Point) -> None:
        """A task of this process is at this side of an await point."""
        self._at(point)


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
            self._watch.passed(Point(self._where, "after"))
        awaited = go_on(value)
        self._where = where(self._coroutine)
        if self._where:
            self._watch.passed(Point(self._where, "before", publishes(self._coroutine)))
        return awaited


def where(awaiting: Any) -> str:
    """Which of our functions are suspended here: the innermost with its line, then those that wait for it."""
    ours = [frame for frame in _frames(awaiting) if frame.f_code.co_filename.startswith(OURS)]
    if not ours:
        return ""
    innermost, *callers = reversed(ours)
    at = f"{named(innermost.f_code)}:{innermost.f_lineno}"
    return " < ".join((at, *(named(caller.f_code) for caller in callers)))


def publishes(awaiting: Any) -> bool:
    """Whether the task waits for the server's answer to a message for the record."""
    return any(
        frame.f_code.co_name == Client.request.__name__
        and address_of(str(frame.f_locals.get("subject"))) is not None
        for frame in _frames(awaiting)
    )


def _frames(awaiting: Any) -> Iterator[FrameType]:
    """The frames of a suspended task, the outermost first."""
    while awaiting is not None:
        for kind in ("cr", "gi", "ag"):
            if (frame := getattr(awaiting, f"{kind}_frame", None)) is not None:
                yield frame
        awaiting = _next(awaiting)


def named(code: CodeType) -> str:
    """A function as its module and name."""
    return f"{Path(code.co_filename).stem}.{code.co_qualname.replace('.<locals>', '')}"


def _next(awaiting: Any) -> Any:
    for name in ("cr_await", "gi_yieldfrom", "ag_await"):
        if (awaited := getattr(awaiting, name, None)) is not None:
            return awaited
    # what awaits an asynchronous generator does not name it, but refers to it
    return next((held for held in gc.get_referents(awaiting) if isasyncgen(held)), None)


REACTION, QUESTION = named(Runner._react.__code__), named(Heartbeat._endpoint.__code__)
"""The functions within which a message or a question is handled."""
