"""Plays one play of a plan as an ordinary recorded session, and says what it came to."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Collection, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from importlib.metadata import version

from lantern.evaluation.clues import Clues, read_clues
from lantern.evaluation.environment import environment_of
from lantern.evaluation.plan import PlannedPlay
from lantern.evaluation.planning.checkpoints import progress_of
from lantern.evaluation.results import PlayResult, PlayState
from lantern.play.models.session_models import unchecked_settings
from lantern.play.play import play
from lantern.play.resume import resume
from lantern.play.services import SERVICES, service_named
from lantern.play.session_options import PlayOptions, ResumeOptions, budget_of, usual_absences
from lantern.play.summary import Summary
from lantern.play.watching import recorded_summary
from lantern.views.text_view import SilentView
from mesh.record import stories
from mesh.record.bus import Bus
from mesh.settings import MeshSettings
from schemas.base import Kind
from schemas.experience import StoryExperience
from schemas.game import EndReason
from services.game.checked_story import check_story
from services.memory.experience.recorded_lessons import experience_from


class PlayInterrupted(Exception):
    """The worker was told to stop before the play had ended."""


async def played(
    planned: PlannedPlay, bus: Bus, settings: MeshSettings, stopping: asyncio.Event
) -> PlayResult:
    """The result of a play, which is begun, or taken up where its record ends.

    `bus`: any of the server's. `stopping`: the play is to be left to another worker.

    Raises:
        PlayInterrupted: it has not ended.
        LanternError: it cannot be played.
    """
    there = bus.in_cell(planned.cell)
    with environment_of(planned.agent.settings):
        recorded = await recorded_summary(planned.session, there)
        async with _time_limit(planned, stopping, recorded.seconds) as limit:
            summary = recorded
            if recorded.ended is None or recorded.ended.reason in GOES_ON:
                summary = await _played_on(planned, recorded, there, settings, limit.stopped)
    if summary.ended is None or (summary.ended.reason is EndReason.STOPPED and not limit.is_up):
        raise PlayInterrupted
    return result_of(planned, summary).model_copy(update={"progress": await _progress(planned, there)})


async def _played_on(
    planned: PlannedPlay, recorded: Summary, bus: Bus, settings: MeshSettings, stopped: asyncio.Event
) -> Summary:
    """Begin a play, or go on with it."""
    models, view = unchecked_settings(planned.agent.model), EndView()
    instead = [service_named(name, settings.home) for name in planned.agent.replace.values()]
    if planned.agent.clues is not None:
        instead.append(Clues(read_clues(planned.agent.clues, planned.game.name)))
    if recorded.started is not None:
        again = ResumeOptions(planned.session, planned.cell, agent=planned.agent.outside)
        return await resume(again, settings, view, instead, models, stopping=stopped)
    story = check_story(await stories.get(bus.cell, planned.game.md5, planned.session), planned.game.name)
    options = replace(_options(planned), taught=await _taught(planned, bus))
    return await play(options, story, settings, view, models, instead, stopped)


async def _taught(planned: PlannedPlay, bus: Bus) -> StoryExperience | None:
    """What the agent's earlier plays of the story have taught, by their records; None: it has none."""
    if not planned.agent.experience:
        return None
    return await experience_from((bus.in_cell(each.cell), each.session) for each in planned.earlier)


async def _progress(planned: PlannedPlay, bus: Bus) -> float | None:
    """How far the story was played by the user's checkpoints. None: there are none."""
    known = planned.game.checkpoints
    if not known:
        return None
    steps = bus.reader.steps(planned.session)
    return max([progress_of(known, each.action, each.observation) async for each in steps], default=0.0)


GOES_ON = (EndReason.STOPPED, EndReason.FAILED)
"""The ends of a session with which its play has not ended: it is taken up again."""


class EndView(SilentView):
    """Sees the end alone: to decode every message would cost time."""

    kinds: Collection[Kind] = ()

    def show_waiting(self, absent: Iterable[str]) -> None:
        """Say what is missing; that no step has come tells nothing, because none is shown."""
        if missing := tuple(absent):
            super().show_waiting(missing)


@dataclass(slots=True)
class TimeLimit:
    """When a play is to stop."""

    stopped: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when its time is up, or when the worker is to stop."""
    is_up: bool = False
    """Whether its time is up."""


@asynccontextmanager
async def _time_limit(planned: PlannedPlay, stopping: asyncio.Event, used: float) -> AsyncIterator[TimeLimit]:
    """The limit of a play that has taken `used` seconds before."""
    limit, seconds = TimeLimit(), planned.regime.seconds

    async def wait() -> None:
        try:
            async with asyncio.timeout(None if seconds is None else max(seconds - used, 0.0)):
                await stopping.wait()
        except TimeoutError:
            limit.is_up = True
        limit.stopped.set()

    waiting = asyncio.create_task(wait())
    try:
        yield limit
    finally:
        waiting.cancel()


def _options(planned: PlannedPlay) -> PlayOptions:
    agent, regime = planned.agent, planned.regime
    return PlayOptions(
        story=planned.game.path,
        steps=regime.steps,
        policy=agent.policy,
        seed=planned.emulator_seed,
        session=planned.session,
        cell=planned.cell,
        valid_actions=regime.valid_actions,
        text_only=regime.text_only,
        status_line=regime.status_line,
        budget=budget_of(agent.policy, agent.model, agent.budget_usd, None, None),
        without=services_without(planned),
        without_behaviours=agent.without_behaviours,
        restore=regime.restore,
        lookahead=regime.lookahead,
        agent=agent.outside,
        policy_seed=None if planned.seed == planned.emulator_seed else planned.seed,
        episodes=regime.episodes,
    )


def services_without(planned: PlannedPlay) -> tuple[str, ...]:
    """The services that do not take part in a play."""
    agent = planned.agent
    given = usual_absences(agent.policy) if agent.without is None else agent.without
    return tuple(name for name in SERVICES if name in given and name not in agent.replace)


def result_of(planned: PlannedPlay, summary: Summary) -> PlayResult:
    """The result of a play whose session has ended."""
    counts = summary.as_json()
    ended = summary.ended
    failed = ended is not None and ended.reason is EndReason.FAILED
    models, changes = summary.models.all, ended.score_changes if ended else ()
    return failed_result(planned, "").model_copy(
        update={
            "state": PlayState.FAILED if failed else PlayState.FINISHED,
            "failure": ended.detail if failed and ended else "",
            "model": counts["model"],
            "handicaps": tuple(counts["handicaps"]),
            "steps": counts["steps"],
            "episodes": counts["episodes"],
            "deaths": max(len(summary.episode_ends) - summary.victories, 0),
            "victories": summary.victories,
            "opening_score": changes[0][1] if changes and changes[0][0] == 0 else None,
            "score_changes": changes,
            "final_score": counts["score"],
            "best_score": counts["best_score"],
            "max_score": counts["max_score"],
            "episode_ends": tuple(summary.episode_ends),
            "tokens": models.input_tokens + models.output_tokens,
            "usd": round(models.cost_usd, 6),
            "seconds": counts["seconds"],
            "degraded_steps": counts["degraded_steps"],
            "search_cut": counts["search_cut"],
            "versions": {"lantern": version("lantern-mesh"), "jericho": version("jericho")},
            "prompt_hash": _hash_of(summary.models.instructions),
        }
    )


def _hash_of(instructions: Collection[tuple[str, str]]) -> str:
    if not instructions:
        return ""
    return hashlib.blake2b(json.dumps(sorted(instructions)).encode(), digest_size=8).hexdigest()


def failed_result(planned: PlannedPlay, why: str) -> PlayResult:
    """The result of a play that could not be played to its end."""
    agent = planned.agent
    return PlayResult(
        play=planned.key,
        session=planned.session,
        cell=planned.cell,
        state=PlayState.FAILED,
        failure=why,
        game=planned.game.name,
        story_md5=planned.game.md5,
        agent=agent.name,
        policy=agent.policy,
        model=agent.model,
        outside=agent.outside,
        budget_usd=agent.budget_usd,
        clues=agent.clues,
        experience=agent.experience,
        without=services_without(planned),
        without_behaviours=agent.without_behaviours,
        replaced=agent.replace,
        settings=agent.settings,
        regime=planned.regime.name,
        step_budget=planned.regime.steps,
        emulator_seed=planned.emulator_seed,
        agent_seed=planned.seed,
    )
