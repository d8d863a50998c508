"""Searches a story, keeps what was found in a file, and plays it in a recorded session."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec.json import encode
from msgspec.structs import replace

from language_model.action_prior.model_prior import PriorCounts
from lantern.file_writing import write_file
from lantern.nats.connection import connection, nats_url
from lantern.play.play import play
from lantern.play.search.kept_search import KeptSearch, kept_search, make_folder
from lantern.play.search.rule_player import play_before
from lantern.play.session_options import PlayOptions, usual_absences
from lantern.play.signals import StopOnSignal
from lantern.play.summary import Summary
from lantern.views.text_view import SilentView
from mesh.errors import FailureError, InputError, SessionTaken
from mesh.settings import MeshSettings
from mesh.suggestions import did_you_mean
from schemas.game import EndReason, SearchedActions
from search.messages import Order
from search.methods import METHODS, SHORTENING
from search.running import Answer, SearchFailed, SearchRun, SearchState, nobody_answers
from services.actor.policies import PolicyName
from zmachine.story_file import StoryFile

UNLIMITED = 10**15
"""Probes of a search that only the clock limits."""
SHORTENING_PROBES = 200_000
SHORTENING_SECONDS = 60.0
"""What making the list shorter may cost, beside the search."""


KEPT = " The best list so far is kept: `lantern search --resume` goes on from it."


class UnknownMethod(InputError):
    """No method of searching has this name."""

    def __init__(self, name: str) -> None:
        near = did_you_mean(name, METHODS)
        super().__init__(f"No method is called '{name}'.{near} Give one of: {', '.join(METHODS)}.")


class ScoreNotRepeated(FailureError):
    """The session has not earned what the search has claimed."""

    def __init__(self, claimed: int, earned: int | None, session: str) -> None:
        super().__init__(
            f"The search claimed {claimed} points, but the session {session!r} earned {earned}. "
            f"`lantern replay {session} --step` shows where it differs."
        )


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """The options of a search."""

    story: str
    session: str
    cell: str
    method: str = "frontier"
    seconds: float = 600.0
    probes: int | None = None
    """None: as many as the time allows."""
    jobs: int = 1
    seed: int = 1
    emulator_seed: int = 1
    resume: bool = False
    of_method: Mapping[str, Any] = field(default_factory=dict)
    """Options of the method alone."""

    def check(self) -> None:
        """Raises InputError for what cannot be."""
        if self.method not in METHODS:
            raise UnknownMethod(self.method)
        least = {"--seconds": self.seconds, "--jobs": self.jobs, "--seed": self.seed}
        for name, value in (least if self.probes is None else {**least, "--probes": self.probes}).items():
            if value < 1:
                raise InputError(f"{name} cannot be {value:g}: it is at least 1.")
        if self.emulator_seed < 0:
            raise InputError(f"--emulator-seed cannot be {self.emulator_seed}: it is at least 0.")


@dataclass(slots=True)
class SearchReport:
    """What a search came to."""

    options: SearchOptions
    kept: KeptSearch
    state: SearchState
    session: Summary | None = None
    """Of the session that has played the list; None: nothing better than the opening was found."""
    stopped: bool = False
    curve: list[tuple[int, int]] = field(default_factory=list)
    asked: PriorCounts | None = None
    """What a language model was asked; None: the method asks none."""

    def as_json(self) -> dict[str, Any]:
        """The object that `search --json` prints."""
        played = self.session
        return {
            "story": self.options.story,
            "method": self.options.method,
            "seed": self.options.seed,
            "emulator_seed": self.options.emulator_seed,
            "jobs": self.options.jobs,
            "score": played.as_json()["score"] if played else None,
            "max_score": played.as_json()["max_score"] if played else None,
            "steps": len(self.kept.actions),
            "probes": self.kept.probes,
            "seconds": round(self.kept.seconds, 3),
            "session": played.session if played else None,
            "stopped": self.stopped,
            "exhausted": self.state.exhausted,
            "complete": self.state.complete,
            "endless": self.state.endless,
            "curve": [list(point) for point in self.curve],
            "actions": list(self.kept.actions),
            "model": self.asked.as_json() if self.asked else None,
        }


async def search_and_play(
    options: SearchOptions,
    story: StoryFile,
    settings: MeshSettings,
    heard: Callable[[SearchState], None] = lambda state: None,
    answer: Answer = nobody_answers,
) -> SearchReport:
    """Search, shorten what was found, and play it in a session.

    Ctrl-C ends the search; what it has found is played all the same.

    Raises:
        InputError: the options cannot be, the session's id is taken, or there is nothing to resume.
        SearchFailed: a worker has died.
        ScoreNotRepeated: the session has not earned what the search has claimed.
    """
    path = kept_path(options, story, settings)
    make_folder(path.parent)
    before = kept_search(path) if options.resume else KeptSearch(options.method, options.emulator_seed)
    written = path.stat().st_mtime_ns if path.exists() else 0
    await _check_free(options, settings)
    with StopOnSignal() as stopping:
        try:
            kept, state = await _searched(options, story, before, path, stopping, heard, answer)
        except SearchFailed as failed:
            found = path.exists() and path.stat().st_mtime_ns != written
            raise SearchFailed(failed.method, failed.why, KEPT if found else "") from failed
        stopped = stopping.is_set()
    report = SearchReport(options, kept, state, stopped=stopped)
    report.curve = [(before.probes + probes, score) for probes, score in state.curve]
    if kept.actions:
        report.session = await _played(options, story, settings, kept)
        ended, earned = report.session.ended, report.session.as_json()["score"]
        if ended is None or ended.reason is EndReason.STOPPED:
            report.stopped = True
        elif earned is not None and earned != kept.score:
            raise ScoreNotRepeated(kept.score or 0, earned, options.session)
    return report


def kept_path(options: SearchOptions, story: StoryFile, settings: MeshSettings) -> Path:
    """Where the latest search of a story is kept."""
    name = f"{story.md5}-{options.method}-{options.emulator_seed}.json"
    return settings.home / "searches" / name


async def _check_free(options: SearchOptions, settings: MeshSettings) -> None:
    """Raises SessionTaken, before a search is made whose session could not be played."""
    async with nats_url(settings) as url, connection(url, options.cell, patience=settings.patience) as bus:
        if await bus.reader.started(options.session):
            raise SessionTaken(options.session)


async def _searched(
    options: SearchOptions,
    story: StoryFile,
    before: KeptSearch,
    path: Path,
    stopping: asyncio.Event,
    heard: Callable[[SearchState], None],
    answer: Answer,
) -> tuple[KeptSearch, SearchState]:
    """Search from where the last search has ended, and keep each improvement."""
    began = time.monotonic()
    kept = replace(before, runs=before.runs + 1)

    def keep(state: SearchState) -> None:
        kept.probes, kept.seconds = before.probes + state.spent, before.seconds + time.monotonic() - began
        if state.actions and state.actions != kept.actions:
            kept.actions, kept.score = state.actions, state.score
            write_file(path, encode(kept).decode())
        heard(state)

    order = Order(
        story="",
        method=options.method,
        emulator_seed=options.emulator_seed,
        seed=options.seed + 1000 * before.runs,
        options=dict(options.of_method),
        probes=UNLIMITED if options.probes is None else options.probes,
        known=(before.actions,) if before.actions else (),
    )
    state = await _run(
        SearchRun(story, order, options.jobs, heard=keep, answer=answer), options.seconds, stopping
    )
    keep(state)
    if kept.actions and not stopping.is_set():
        shortening = replace(
            order,
            method=SHORTENING,
            options={},
            probes=SHORTENING_PROBES,
            known=(kept.actions,),
            seed=options.seed,
        )
        shorter = await _run(SearchRun(story, shortening), SHORTENING_SECONDS, stopping)
        kept.probes += shorter.spent
        kept.actions, kept.score = shorter.actions or kept.actions, shorter.score or kept.score
    write_file(path, encode(kept).decode())
    return kept, state


async def _run(search: SearchRun, seconds: float, stopping: asyncio.Event) -> SearchState:
    async def stop() -> None:
        await stopping.wait()
        search.stop()

    stopper = asyncio.create_task(stop())
    began = time.monotonic()
    try:
        await play_before(search, seconds)
        return await search.run(max(0.0, seconds - (time.monotonic() - began)))
    finally:
        stopper.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await stopper


async def _played(
    options: SearchOptions, story: StoryFile, settings: MeshSettings, kept: KeptSearch
) -> Summary:
    """Play the list in a recorded session."""
    found = SearchedActions(
        method=options.method, seed=options.seed, probes=kept.probes, actions=kept.actions
    )
    session = PlayOptions(
        options.story,
        len(kept.actions),
        PolicyName.SEARCH,
        options.emulator_seed,
        options.session,
        options.cell,
        valid_actions=False,
        without=usual_absences(PolicyName.SEARCH),
        policy_seed=options.seed,
        searched=found,
    )
    return await play(session, story, settings, SilentView())
