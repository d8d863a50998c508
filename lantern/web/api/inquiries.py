"""What the page asks beside the record: the memory, the live mesh, and runs of evaluations."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, Response

from lantern.evaluation.report.writing import REPORT
from lantern.evaluation.run_directory import RunDirectory
from lantern.evaluation.tally import Tally
from lantern.inspect.diffing import compared
from lantern.inspect.plain_values import apart
from lantern.recorded.memory_answers import answered
from lantern.views.cell_activity import CellActivity
from lantern.web.api.answers import BadRequest, as_json, number_in
from lantern.web.feed.feeds import Feeds
from mesh.errors import InputError
from mesh.observability.cell_status import cell_status
from mesh.record.bus import Bus
from mesh.runner import dead_letters
from schemas.memory import AskMemory

LONGEST = 400
"""Characters of a question."""

FRESH = 1.0
"""Seconds for which a look at the mesh is not repeated, however many ask for it."""

REPORT_HEADERS = {
    "content-security-policy": "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'; img-src data:",
    "cache-control": "no-cache",
}
"""A report is a page of its own, which may sort its tables and reach nothing."""


class InquiryPages:
    """Answers of the memory, of the services and from the folders of runs."""

    def __init__(self, feeds: Feeds, cell: str, evaluations: Path) -> None:
        self._feeds, self._cell, self._evaluations = feeds, cell, evaluations
        self._boards: dict[str, CellActivity] = {}
        self._looked, self._told = -FRESH, dict[str, Any]()
        self._looking = asyncio.Lock()

    async def ask(self, request: Request) -> Response:
        """What the memory knows after a step, in words, with the steps that prove it."""
        session, question = request.path_params["session"], request.query_params.get("question", "").strip()
        if not 0 < len(question) <= LONGEST:
            raise BadRequest(f"A question has 1 to {LONGEST} characters.")
        bus = await self._feeds.bus_of(session)
        asked = AskMemory(session=session, at=number_in(request, "at"), question=question)
        return as_json((await answered(bus, asked)).model_dump(mode="json"))

    async def parting(self, request: Request) -> Response:
        """Where two sessions part first: which field of which message, and what each says there."""
        a, b = (request.query_params.get(name, "") for name in "ab")
        ours, theirs = await self._feeds.bus_of(a), await self._feeds.bus_of(b)
        comparison = await compared(a, ours, b, theirs, until_they_part=True)
        found = comparison.divergence
        told = (
            None
            if found is None
            else {
                "step": found.step,
                "message": found.message,
                "field": found.field,
                "values": apart(found.a, found.b) if found.field else (),
                "only": "" if found.field else "A" if found.a else "B",
            }
        )
        starts = {
            name: apart(*values)
            for name, values in comparison.headers.items()
            if not name.startswith("ended.")
        }
        return as_json({"parting": told, "starts": starts})

    async def mesh(self, request: Request) -> Response:
        """The live services of each cell, and the size of the record."""
        async with self._looking:
            now = asyncio.get_running_loop().time()
            if now - self._looked >= FRESH:
                self._told = {"cells": [await self._look(name) for name in await self._cells()]}
                self._looked = asyncio.get_running_loop().time()
        return as_json(self._told)

    async def evaluations(self, request: Request) -> Response:
        """The runs in the folder of evaluations."""
        return as_json({"folder": str(self._evaluations), "runs": await asyncio.to_thread(self._runs)})

    async def report(self, request: Request) -> Response:
        """The report of a run."""
        name = request.path_params["run"]
        if name not in {path.name for path in self._run_folders()}:
            raise BadRequest(f"There is no run {name[:100]!r} in {self._evaluations}.")
        path = self._evaluations / name / REPORT
        if not path.is_file():
            raise BadRequest(
                f"The run {name[:100]!r} has no report yet: `lantern evaluate report` writes it."
            )
        return FileResponse(path, headers=REPORT_HEADERS)

    async def _cells(self) -> list[str]:
        if self._cell != "*":
            return [self._cell]
        return sorted({"main", *(start.cell for start in await self._feeds.bus.reader.sessions())})

    async def _look(self, name: str) -> dict[str, Any]:
        bus: Bus = self._feeds.bus.in_cell(name)
        board = self._boards.setdefault(name, CellActivity(name, bus.cell.now()))
        board.update(await cell_status(bus.cell), bus.cell.now())
        return {**board.as_json(), "dead_letters": dict(await dead_letters.counts(bus.reader))}

    def _run_folders(self) -> Iterator[Path]:
        folders = (each for each in self._evaluations.iterdir() if each.is_dir())
        return (each for each in folders if RunDirectory(each).exists)

    def _runs(self) -> list[dict[str, Any]]:
        found = sorted(self._run_folders(), key=lambda path: path.stat().st_mtime, reverse=True)
        return [_run(path) for path in found]


def _run(path: Path) -> dict[str, Any]:
    directory = RunDirectory(path)
    try:
        run, results = directory.run(), directory.results()
    except InputError as error:
        return {"name": path.name, "fault": str(error)}
    tally = Tally(run.plays, list(results))
    return {
        "name": path.name,
        "changed": path.stat().st_mtime,
        "games": [game.name for game in run.games],
        "plays": len(run.plays),
        "done": len(results),
        "agents": [asdict(agent) for agent in tally.agents()],
        "report": (path / REPORT).is_file(),
    }
