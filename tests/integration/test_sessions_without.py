"""Sessions that are played without some of the services: nobody waits for these, and the record says so."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace

from conftest import Mesh
from test_mesh import a_wish, played, told

from lantern.inspect.forking import ForkOptions, copy_and_play
from lantern.play.resume import resume
from lantern.play.services import service_named
from lantern.play.session_options import ResumeOptions
from lantern.play.summary import Summary
from lantern.views.text_view import SilentView
from mesh.record.bus import Bus
from mesh.settings import MeshSettings
from schemas.actor import ActionProposed
from schemas.critic import NO_CRITIC, ActionJudged
from schemas.fragment import FragmentGiven
from schemas.game import SessionStarted
from services.actor.service import ActorService
from services.actor.settings import ActorSettings
from services.game.service import GameService
from services.game.settings import GameSettings
from tests.support.processes.command import Lantern

STEPS = 6
LATE = 600.0
"""Seconds: whoever waits for an absent service waits until the test has failed."""


async def who_spoke(bus: Bus, session: str) -> Counter[str]:
    envelopes = [envelope async for envelope in bus.reader.messages(session)]
    return Counter(e.service.name for e in envelopes if isinstance(e.body, FragmentGiven | ActionJudged))


async def test_services_that_serve_the_cell_keep_out_of_a_session_that_does_without_them(
    bus: Bus, nats_url: str, mesh: Mesh, settings: MeshSettings
) -> None:
    others = [
        service_named(name, settings.home) for name in ("memory", "narrator", "hint", "npc_tracker", "critic")
    ]
    actor = ActorService(ActorSettings(deadline=LATE))
    await mesh.run(GameService(GameSettings(verdict_deadline=LATE)), actor, *others)
    lone = replace(a_wish(bus.cell.name, steps=STEPS), without=("memory", "hint", "critic"))

    async with asyncio.timeout(60):
        alone, usual = await asyncio.gather(
            played(lone, nats_url, settings),
            played(a_wish(bus.cell.name, steps=STEPS, session="s2"), nats_url, settings),
        )

    verdicts = await told(bus, ActionJudged)
    assert (alone.as_json()["steps"], alone.as_json()["degraded"]) == (STEPS, {})
    assert alone.as_json()["without"] == ["memory", "hint", "critic"]
    assert "played without: memory, hint, critic" in alone.lines()
    assert (await who_spoke(bus, "s1")).keys() == {"narrator", "npc_tracker", "game"}
    assert {(verdict.by, verdict.reason) for verdict in verdicts} == {("game", NO_CRITIC)}
    assert [proposal.missing for proposal in await told(bus, ActionProposed)] == [()] * STEPS
    assert usual.as_json()["without"] == []
    assert (await who_spoke(bus, "s2")).keys() == {"memory", "narrator", "hint", "npc_tracker", "critic"}


async def test_the_bare_game_and_actor_play_alone(bus: Bus, nats_url: str, settings: MeshSettings) -> None:
    wish = a_wish(bus.cell.name, steps=STEPS)
    wish = replace(wish, without=("memory", "narrator", "hint", "npc_tracker", "critic"))

    async with asyncio.timeout(60):
        summary: Summary = await played(wish, nats_url, settings)

    assert (summary.as_json()["steps"], summary.as_json()["degraded_steps"]) == (STEPS, 0)
    assert (await who_spoke(bus, "s1")).keys() == {"game"}


def test_a_resume_a_fork_and_a_replay_do_without_the_same_services(lantern: Lantern) -> None:
    counts = lantern.play("--no-critic", "--without", "hint", "--steps", "4", "--session", "s1")

    again = lantern.resume("s1", "--steps", "2")
    forked = lantern.run("fork", "s1", "--at", "2", "--steps", "2", "--session", "f", "--json")
    replayed = lantern.run("replay", "s1", "all")
    shown = lantern.run("sessions", "show", "s1")

    assert counts["without"] == again["without"] == ["hint", "critic"]
    assert (again["steps"], again["degraded_steps"], forked.returncode) == (6, 0, 0)
    assert '"without": ["hint", "critic"]' in forked.stdout
    assert (replayed.returncode, "same" in replayed.stdout) == (0, True)
    assert "played without: hint, critic" in shown.stdout
    assert "  hint: " not in shown.stdout and "  critic: " not in shown.stdout


async def test_a_resume_and_a_fork_do_without_the_same_behaviours(
    bus: Bus, nats_url: str, settings: MeshSettings
) -> None:
    wish = replace(a_wish(bus.cell.name, steps=2, session="unaided"), without_behaviours=("put", "fight"))
    fork, there = (
        ForkOptions("unaided", 1, "unaided-fork", steps=1),
        settings.model_copy(update={"nats_url": nats_url}),
    )

    first = await played(wish, nats_url, settings)
    again = await resume(ResumeOptions("unaided", bus.cell.name, 1), there, SilentView())
    forked = await copy_and_play(fork, there, SilentView(), ())

    for summary in (first, again, forked):
        assert summary.as_json()["without_behaviours"] == ["put", "fight"]
        assert "played without the behaviours: put, fight" in summary.lines()


async def test_what_a_session_does_without_is_in_its_record(
    bus: Bus, nats_url: str, settings: MeshSettings
) -> None:
    await played(replace(a_wish(bus.cell.name, steps=1), without=("narrator",)), nats_url, settings)

    [started] = await told(bus, SessionStarted)
    assert started.without == ("narrator",)
