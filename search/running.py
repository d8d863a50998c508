"""Runs a search in worker processes, and keeps the best that they find."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from mesh.child_process import child_environment, send_signal
from mesh.errors import FailureError
from search.messages import (
    Earned,
    Exchanged,
    Finished,
    FromWorker,
    Improved,
    Inquiry,
    InquiryAnswer,
    Order,
    Progress,
    from_worker,
    line_of,
)
from zmachine.story_file import StoryFile

FOLDER = "lantern-search-"
LONGEST_LINE = 1 << 24
"""Bytes of a message of a worker."""
BEFORE = -1
"""In place of a worker's number: what was played before the workers began."""
GRACE = 5.0
"""Seconds that a worker has to end after it was asked to; then it is killed."""

Answer = Callable[[Any], Awaitable[Any]]
"""Answers a worker's inquiry."""


class SearchFailed(FailureError):
    """A worker has ended without a result."""

    def __init__(self, method: str, why: str, kept: str = "") -> None:
        """`kept`: a sentence about what was found before."""
        self.method, self.why = method, why
        super().__init__(
            f"The search by {method} has failed: {why}.{kept} If it fails again, choose another method."
        )


@dataclass
class SearchState:
    """What a search has found so far."""

    actions: tuple[str, ...] = ()
    score: int | None = None
    """Of the best list; None: nothing is better than the opening."""
    probes: dict[int, int] = field(default_factory=dict)
    """Of each worker."""
    cells: dict[int, int] = field(default_factory=dict)
    curve: list[tuple[int, int]] = field(default_factory=list)
    """Each improvement: the probes of all workers so far, and the score."""
    exhausted: bool = False
    complete: bool = False
    """Whether all points of the story are found."""
    endless: list[str] = field(default_factory=list)
    """Actions that the game never ended; each ended one worker's search."""

    @property
    def spent(self) -> int:
        """The probes of all workers."""
        return sum(self.probes.values())

    def heard(self, worker: int, message: FromWorker) -> bool:
        """Fold a worker's message in; returns whether it brought a better list."""
        if isinstance(message, Inquiry):
            return False
        self.probes[worker] = message.probes
        if isinstance(message, Finished):
            self.exhausted = self.exhausted or message.exhausted
            self.complete = self.complete or message.complete
            self.endless += [message.endless] if message.endless else []
        elif isinstance(message, Improved):
            better = self.score is None or message.rank > (self.score, -len(self.actions))
            if better:
                self.actions, self.score = message.actions, message.score
                self.curve.append((self.spent, message.score))
            return better
        elif isinstance(message, Progress):
            self.cells[worker] = message.cells
        return False


async def nobody_answers(question: Any) -> Any:
    """Answers nothing: the method asks no questions."""
    raise SearchFailed("this method", f"it asked {str(question)[:60]!r}, and nobody answers")


class SearchRun:
    """A search in one or more worker processes; `run` it once."""

    def __init__(
        self,
        story: StoryFile,
        order: Order,
        jobs: int = 1,
        *,
        heard: Callable[[SearchState], None] = lambda state: None,
        answer: Answer = nobody_answers,
    ) -> None:
        """`order.story` is filled in here; `order.probes` is what all workers may spend together."""
        self.story, self.order, self._jobs = story, order, jobs
        self.notify, self._answer = heard, answer
        self.state = SearchState()
        self._processes: list[Process] = []
        self._stopping = self._killing = False

    @property
    def stopping(self) -> bool:
        """Whether it was asked to stop."""
        return self._stopping

    def hear_before(self, message: Improved | Progress) -> None:
        """Take in what was found before the workers begin; its probes count."""
        self.state.heard(BEFORE, message)
        self.notify(self.state)

    def begin_with(self, known: tuple[tuple[str, ...], ...]) -> None:
        """Give the workers these lists of actions to begin with, and what is left of the probes."""
        self.order = replace(self.order, known=known, probes=self.order.probes - self.state.spent)

    def stop(self) -> None:
        """Ask the workers to end, also those that are being started; what they have found stays."""
        self._stopping = True
        for process in self._processes:
            if process.returncode is None:
                send_signal(process.pid, signal.SIGTERM)

    async def run(self, seconds: float | None = None) -> SearchState:
        """Search until the workers end, or for so many seconds.

        Raises:
            SearchFailed: a worker has died.
        """
        with tempfile.TemporaryDirectory(prefix=FOLDER, ignore_cleanup_errors=True) as folder:
            path = Path(folder) / f"{self.story.md5}{self.story.suffix}"
            path.write_bytes(self.story.data)
            try:
                for number in range(self._jobs):
                    self._processes.append(await self._started(folder, self.order_of(number, path)))
                if self._stopping:
                    self.stop()
                await self._followed(seconds)
            finally:
                await self._ended()
        return self.state

    @property
    def workers(self) -> tuple[int, ...]:
        """The process ids of the workers."""
        return tuple(process.pid for process in self._processes)

    def order_of(self, number: int, path: Path) -> Order:
        """What one worker is to search."""
        share = self.order.probes // self._jobs
        seed = self.order.seed * self._jobs + number
        return replace(self.order, story=str(path), seed=seed, probes=share, number=number)

    async def _started(self, folder: str, order: Order) -> Process:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "search.worker", str(os.getpid())),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            cwd=folder,
            env=child_environment(),
            limit=LONGEST_LINE,
        )
        assert process.stdin is not None
        process.stdin.write(line_of(order))
        return process

    async def _followed(self, seconds: float | None) -> None:
        following = [
            asyncio.create_task(self._follow(number, process))
            for number, process in enumerate(self._processes)
        ]
        try:
            await asyncio.wait(following, timeout=seconds, return_when=asyncio.FIRST_EXCEPTION)
            self.stop()
            await asyncio.wait(following, timeout=GRACE)
        finally:
            self._kill()
            failures = await asyncio.gather(*following, return_exceptions=True)
        for failure in failures:
            if failure is not None:
                raise failure

    async def _follow(self, number: int, process: Process) -> None:
        assert process.stdout is not None and process.stderr is not None
        while line := await process.stdout.readline():
            message = from_worker(line)
            if isinstance(message, Inquiry):
                await self._replied(process, message)
                continue
            if self.state.heard(number, message) or isinstance(message, Earned):
                self._exchange(number, message)
            self.notify(self.state)
            if isinstance(message, Finished):
                if message.complete:
                    self.stop()
                return
        complaint = (await process.stderr.read()).decode(errors="replace").strip().splitlines()
        ended = await process.wait()
        if (ended == -signal.SIGKILL and self._killing) or (ended == -signal.SIGTERM and self._stopping):
            return
        why = "its process was killed" if ended < 0 else "its process ended"
        raise SearchFailed(self.order.method, complaint[-1] if complaint else why)

    async def _replied(self, process: Process, inquiry: Inquiry) -> None:
        assert process.stdin is not None
        process.stdin.write(line_of(InquiryAnswer(await self._answer(inquiry.question))))

    def _exchange(self, number: int, message: FromWorker) -> None:
        """Pass a list that is of use to the other workers on to them."""
        assert isinstance(message, Improved | Earned)
        for other, process in enumerate(self._processes):
            if other != number and process.returncode is None and process.stdin is not None:
                process.stdin.write(line_of(Exchanged(message.actions, message.score)))

    async def _ended(self) -> None:
        self._kill()
        for process in self._processes:
            await process.wait()

    def _kill(self) -> None:
        """Kill the processes that have not ended by themselves."""
        self._killing = True
        for process in self._processes:
            if process.returncode is None:
                send_signal(process.pid, signal.SIGKILL)
