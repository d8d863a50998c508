"""Runs a plan: puts its plays into the queue, has workers play them, and gathers the results."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from lantern.evaluation.plan import PlannedPlay
from lantern.evaluation.playing import failed_result
from lantern.evaluation.plays_left import PlaysLeft
from lantern.evaluation.results import PlayResult
from lantern.evaluation.run_directory import LOG, Run, RunDirectory
from lantern.evaluation.worker import CELL
from lantern.evaluation.worker_processes import WorkerProcesses
from lantern.nats.connection import connection, nats_url
from lantern.nats.disk_space import stop_on_full_disk
from lantern.play.signals import StopOnSignal
from lantern.play.story_files import load_story
from mesh.nats.work_queue import WorkQueue
from mesh.record import stories
from mesh.record.bus import Bus
from mesh.settings import MeshSettings

LOOK = 0.1
"""Seconds between two looks for results."""


class ProgressView(Protocol):
    """Shows a run while it goes on."""

    def show_begin(self, plays: Sequence[PlannedPlay], done: Sequence[PlayResult]) -> None:
        """These plays are to be played, and these have been played before."""

    def show_steps(self, play: str, steps: int) -> None:
        """A play that is under way has so many steps."""

    def show_result(self, result: PlayResult) -> None:
        """A play has ended."""

    def close(self) -> None:
        """The run has ended, or stops: leave the terminal as it was."""


@dataclass(frozen=True, slots=True)
class Coordinator:
    """One run, in its directory."""

    directory: RunDirectory
    run: Run
    settings: MeshSettings
    jobs: int
    view: ProgressView

    async def play(self) -> bool:
        """Play what is left of the run, and what has failed; False: a signal ended it before that was done.

        Raises:
            FailureError: it cannot go on; what was played is kept.
        """
        failed = {result.play for result in self.directory.forget_failed()}
        self._fail_unplayable()
        left = self._left()
        self.view.show_begin(self.run.plays, self.directory.results())
        if not left.by_key:
            return True
        with StopOnSignal() as stopping:
            async with (
                stop_on_full_disk(self.settings, stopping, "go on with the run"),
                nats_url(self.settings) as url,
                connection(url, CELL, "coordinator", self.settings.patience) as bus,
            ):
                await self._prepare(bus, left, failed)
                log = self.directory.path / LOG
                workers = WorkerProcesses(url, self.run.run, min(self.jobs, len(left.by_key)), log)
                async with workers.running():
                    finished = await self._gather(WorkQueue(bus.cell), left, stopping)
                if finished:
                    await WorkQueue(bus.cell).remove(self.run.run)
                return finished

    def _fail_unplayable(self) -> None:
        """Write down as failed what no worker could play."""
        for play in self._left().by_key.values():
            if play.game.fault:
                self.directory.add(failed_result(play, play.game.fault))

    def _left(self) -> PlaysLeft:
        """The plays without a result."""
        done = {result.play for result in self.directory.results()}
        return PlaysLeft(play for play in self.run.plays if play.key not in done)

    async def _prepare(self, bus: Bus, left: PlaysLeft, failed: set[str]) -> None:
        """Bring the stories to the story store, and the plays that wait for no other into the queue."""
        for path in sorted({play.game.path for play in left.by_key.values()}):
            await stories.put(bus.cell, load_story(path).data)
        queue = WorkQueue(bus.cell)
        await queue.provision()
        for key in failed & left.by_key.keys():
            await queue.forget_result(self.run.run, key)
        for play in left.ready():
            await self._put(queue, play)
        await queue.open(self.run.run)

    async def _put(self, queue: WorkQueue, play: PlannedPlay) -> None:
        await queue.put(self.run.run, play.key, play.model_dump_json().encode())

    async def _gather(self, queue: WorkQueue, left: PlaysLeft, stopping: asyncio.Event) -> bool:
        """Write the results as they come, and queue the plays that waited for them; whether all have come."""
        await queue.hear(self.run.run, self._on_progress)
        last = 0
        while left.by_key:
            async for found in queue.results(self.run.run, last):
                last = found.sequence
                if left.remove(found.key):
                    result = PlayResult.model_validate_json(found.data)
                    for each in (result, *left.lost_with(result)):
                        self.directory.add(each)
                        self.view.show_result(each)
                    if (released := left.released_by(result)) is not None:
                        await self._put(queue, released)
            if stopping.is_set():
                return not left.by_key
            await asyncio.sleep(LOOK)
        return True

    def _on_progress(self, data: bytes) -> None:
        told = json.loads(data)
        self.view.show_steps(told["play"], told["steps"])
