"""Whole sessions through the whole mesh: what happens when a service is late, absent, or not one of ours."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import Mesh

from lantern.play.play import play
from lantern.play.services import service_named
from lantern.play.session_options import PlayOptions, checked_story
from lantern.play.summary import Summary
from lantern.views.text_view import SilentView
from mesh.nats.subjects import subject_of
from mesh.record.bus import Bus
from mesh.record.following import follow
from mesh.runner import dead_letters
from mesh.runner.fragments import FragmentService, FragmentState
from mesh.runner.service import Session
from mesh.settings import MeshSettings
from schemas.actor import ActionProposed
from schemas.base import Kind, Message
from schemas.critic import ActionJudged
from schemas.envelope import Envelope
from schemas.fragment import FragmentGiven
from schemas.game import SessionStarted, StepTaken
from schemas.memory import AskMemory, MemoryAnswer
from services.actor.service import ActorService
from services.actor.settings import ActorSettings
from services.game.service import GameService
from services.game.settings import GameSettings
from tests.support.scenes.stories import each_story, story_path

EXAMPLES = Path(__file__).parents[2] / "examples"
STORIES = (
    "advent.z5", "balances.z5", "deephome.z5", "detective.z5", "library.z5", "lostpig.z8",
    "ludicorp.z5", "pentari.z5", "temple.z5", "zork1.z5", "ztuu.z5",
)  # fmt: skip


def a_wish(cell: str, *, story: str = "bundled", steps: int = 8, session: str = "s1") -> PlayOptions:
    return PlayOptions(story=story, steps=steps, policy="heuristic", seed=1, session=session, cell=cell)


async def played(wish: PlayOptions, nats_url: str, settings: MeshSettings) -> Summary:
    return await play(
        wish, checked_story(wish), settings.model_copy(update={"nats_url": nats_url}), SilentView()
    )


async def told(bus: Bus, kind: type[Any], session: str = "s1") -> list[Any]:
    return [
        envelope.body async for envelope in bus.reader.messages(session) if isinstance(envelope.body, kind)
    ]


def services_used(proposal: ActionProposed) -> set[str]:
    """The services whose fragments the actor used."""
    return {used.service for used in proposal.fragments}


async def test_each_step_has_one_of_everything_and_says_what_led_to_it(
    bus: Bus, nats_url: str, settings: MeshSettings
) -> None:
    await played(a_wish(bus.cell.name), nats_url, settings)

    envelopes = [envelope async for envelope in bus.reader.messages("s1")]
    kinds = sorted((e.kind, e.step, e.service.name) for e in envelopes if e.kind is not Kind.FRAGMENT)
    expected = [(Kind.STEP, n, "game") for n in range(9)]
    expected += [(Kind.PROPOSAL, n, "actor") for n in range(8)] + [
        (Kind.VERDICT, n, "critic") for n in range(8)
    ]
    expected += [(Kind.STARTED, 0, "game"), (Kind.ENDED, 8, "game")]
    causes = {(e.kind, e.step): e.cause for e in envelopes}
    assert kinds == sorted(expected)
    assert causes[(Kind.STEP, 3)] == f"{bus.cell.name}.s1.verdict.2"
    assert causes[(Kind.VERDICT, 2)] == f"{bus.cell.name}.s1.proposal.2"
    assert causes[(Kind.PROPOSAL, 2)] == f"{bus.cell.name}.s1.step.2"
    assert len({e.trace_id for e in envelopes if e.step == 2}) == 1


async def test_the_example_sub_agent_is_heard_by_the_actor(
    bus: Bus, nats_url: str, mesh: Mesh, settings: MeshSettings
) -> None:
    await mesh.run(service_named(f"{EXAMPLES / 'compass.py'}:Compass", settings.home))

    summary = await played(a_wish(bus.cell.name, steps=24), nats_url, settings)

    said = [given for given in await told(bus, FragmentGiven) if given.sections]
    proposals = await told(bus, ActionProposed)
    assert summary.as_json()["degraded_steps"] == 0
    assert any(
        section.name == "compass" and "leads to" in section.text for g in said for section in g.sections
    )
    assert all("compass" in services_used(proposal) for proposal in proposals)


class Sleeper(FragmentService[Any]):
    """Never answers in time."""

    name = "sleeper"
    version = "1.0.0"

    def initial_state(self, started: SessionStarted) -> Any:
        class State:
            def after(self, step: StepTaken) -> Any:
                return self

        return State()

    def fragment_for(self, state: Any) -> str:
        return "too late"

    async def answer(self, session: Session[FragmentState[Any]], envelope: Envelope) -> Sequence[Message]:
        await asyncio.sleep(60)
        return ()


async def test_a_sub_agent_of_ones_own_that_never_answers_costs_one_deadline_and_is_named(
    bus: Bus, nats_url: str, mesh: Mesh, settings: MeshSettings
) -> None:
    deadline = 3.0  # longer than a step takes by itself on a slow machine
    hasty = settings.model_copy(update={"drain": 0.1})
    mesh.settings = hasty
    await mesh.run(Sleeper(), ActorService(ActorSettings(deadline=deadline)))

    summary = await played(a_wish(bus.cell.name, steps=6), nats_url, hasty)

    assert [proposal.missing for proposal in await told(bus, ActionProposed)] == [("sleeper",)] * 6
    assert summary.as_json()["degraded_steps"] == 6
    waited = [duration for duration in summary.durations if duration > deadline]
    assert len(waited) == 1, "the second deadline is not waited for"


async def test_a_game_without_a_critic_goes_on_and_says_who_judged(
    bus: Bus, mesh: Mesh, nats_url: str, settings: MeshSettings
) -> None:
    game = GameService(GameSettings(verdict_deadline=0.05))
    others = [service_named(name, settings.home) for name in ("actor", "hint")]
    await mesh.run(game, *others)

    await start(bus, steps=5)

    verdicts = await told(bus, ActionJudged)
    assert [verdict.by for verdict in verdicts] == ["game"] * 5
    assert [verdict.action for verdict in verdicts] == [p.action for p in await told(bus, ActionProposed)]


async def start(bus: Bus, *, steps: int) -> None:
    """Start a session on services that the test itself runs, and wait for its end."""
    from lantern.play.story_files import load_story
    from mesh.record import stories
    from schemas.game import SessionAnswer, StartSession

    md5 = await stories.put(bus.cell, load_story("bundled").data)
    wish = StartSession(
        session="s1", game="kelder.z5", story_md5=md5, policy="heuristic", seed=1, steps=steps
    )
    assert (await bus.requests.ask("game", "start", wish, SessionAnswer, session="s1", timeout=30)).ok
    async with asyncio.timeout(60):
        async for _ in follow(bus.reader, "s1", ()):
            pass


async def test_rubbish_on_the_subjects_of_a_session_does_not_stop_it(
    bus: Bus, nats_url: str, settings: MeshSettings
) -> None:
    for kind in (Kind.STEP, Kind.PROPOSAL, Kind.VERDICT):
        await bus.cell.js.publish(subject_of(bus.cell.address("s1", kind, 4)), b"rubbish")

    summary = await played(a_wish(bus.cell.name), nats_url, settings)

    letters = [letter async for letter in dead_letters.every(bus.cell)]
    assert summary.as_json()["steps"] == 8
    assert {letter.payload for letter in letters} == {b"rubbish"}
    assert {letter.subject.split(".")[3] for letter in letters} == {"step", "proposal", "verdict"}


async def test_the_memory_answers_while_a_session_is_played_and_afterwards(
    bus: Bus, mesh: Mesh, nats_url: str, settings: MeshSettings
) -> None:
    await mesh.run(service_named("memory", settings.home))
    await played(a_wish(bus.cell.name), nats_url, settings)
    last = (await told(bus, StepTaken))[-1]

    answer = await bus.requests.ask(
        "memory", "search", AskMemory(session="s1", question="Where am I?"), MemoryAnswer, session="s1"
    )

    assert last.room is not None
    assert last.room.name in answer.answer
    assert answer.steps


@pytest.mark.parametrize("name", each_story(STORIES))
async def test_a_story_plays_a_hundred_steps_without_a_degraded_one(
    bus: Bus, nats_url: str, settings: MeshSettings, name: str
) -> None:
    wish = a_wish(bus.cell.name, story=str(story_path(name)), steps=100)

    counts = (await played(wish, nats_url, settings)).as_json()

    assert (counts["steps"], counts["ended"], counts["degraded_steps"]) == (100, "budget", 0)
    assert name != "detective.z5" or counts["best_score"] > 100
