"""A person plays a session, or takes its controls for a while; it is recorded like any other."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import urllib.request

import pytest
from conftest import Mesh
from test_top import on_a_terminal

from games import BUNDLED
from language_model.model import Prompt, Reply
from language_model.scripted import ScriptedModel
from lantern.inspect.replaying import replaying
from lantern.play.compose import running
from lantern.play.services import SERVICES, service_named
from lantern.play.session_requests import (
    ask_advice,
    ask_opinion,
    ask_pace,
    stop_session,
    take_controls,
    type_action,
)
from lantern.play.story_files import load_story
from mesh.errors import FailureError, NobodyAnswers
from mesh.record import stories
from mesh.record.bus import Bus
from schemas.actor import ActionProposed, ControlsTaken
from schemas.base import Kind
from schemas.critic import ActionJudged, Decision
from schemas.game import SessionAnswer, SessionPace, StartSession, StepTaken
from services.actor.service import ActorService
from services.actor.settings import ActorSettings
from services.game.service import GameService
from services.game.settings import GameSettings
from tests.support.processes.command import ROOT, Lantern
from tests.support.scenes.scripts import call, step_in

NOTES = {
    "plan": [{"goal": "find oil", "reason": "it burns"}],
    "new_clue": "Maren has the key.",
    "new_puzzle": "The tower is locked.",
}


async def a_mesh(mesh: Mesh) -> None:
    await mesh.run(GameService(GameSettings(verdict_deadline=30, search_seconds=5, search_candidates=5)))
    await mesh.run(*(service_named(name, mesh.settings.home) for name in SERVICES if name != "game"))


async def start(bus: Bus, session: str, policy: str, steps: int = 12) -> None:
    md5 = await stories.put(bus.cell, load_story("bundled").data)
    wish = StartSession(session=session, game="kelder.z5", story_md5=md5, policy=policy, seed=1, steps=steps)
    assert (await bus.requests.ask("game", "start", wish, SessionAnswer, session=session, timeout=60)).ok


async def reached(bus: Bus, session: str, step: int) -> StepTaken:
    async with asyncio.timeout(60):
        while (found := await bus.reader.read_at(session, Kind.STEP, step)) is None:
            await asyncio.sleep(0.02)
    assert isinstance(found.body, StepTaken)
    return found.body


async def typed(bus: Bus, session: str, step: int, action: str) -> StepTaken:
    await reached(bus, session, step)
    await type_action(session, bus, step, action)
    return await reached(bus, session, step + 1)


async def proposal(bus: Bus, session: str, step: int) -> ActionProposed:
    found = await bus.reader.read_at(session, Kind.PROPOSAL, step)
    assert found is not None and isinstance(found.body, ActionProposed)
    return found.body


async def test_a_person_plays_gets_advice_and_lets_the_agent_play_for_a_while(bus: Bus, mesh: Mesh) -> None:
    await a_mesh(mesh)
    await start(bus, "s", "human")

    assert (await typed(bus, "s", 0, "north")).action == "north"
    for _ in range(3):  # the critic would replace it
        last = await bus.reader.last_step("s")
        assert last is not None
        assert (await typed(bus, "s", last.step, "eat cliff")).action == "eat cliff"
    verdict = await bus.reader.read_at("s", Kind.VERDICT, 3)
    assert verdict is not None and isinstance(verdict.body, ActionJudged)
    assert (verdict.body.decision, verdict.body.by) == (Decision.APPROVE, "critic")
    assert (await proposal(bus, "s", 3)).policy == "human"

    await reached(bus, "s", 4)
    advice = await advised(bus, "s")
    assert await take_controls("s", bus) is True
    with pytest.raises(FailureError, match="not at step 1 any more"):
        await type_action("s", bus, 1, "look")

    assert await take_controls("s", bus, by_hand=False) is False
    await reached(bus, "s", 6)
    assert (await proposal(bus, "s", 4)).action == advice
    assert (await proposal(bus, "s", 4)).policy == "heuristic"
    with pytest.raises(FailureError, match="agent has the controls"):
        await type_action("s", bus, 6, "look")
    await stop_session("s", bus)


async def advised(bus: Bus, session: str) -> str:
    async with asyncio.timeout(30):
        while True:
            try:
                return (await ask_advice(session, bus)).action
            except NobodyAnswers:
                raise
            except FailureError:  # the fragments are not there yet
                await asyncio.sleep(0.02)


async def test_advice_that_is_asked_for_before_the_step_waits_comes_once_it_does(
    bus: Bus, mesh: Mesh, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.actor.manual_control.ADVICE_AFTER", 60.0)
    await a_mesh(mesh)
    await start(bus, "s", "heuristic", steps=8)
    await ask_pace("s", bus, SessionPace(hold_after=1))
    await reached(bus, "s", 1)
    await take_controls("s", bus, by_hand=True)

    asked = asyncio.create_task(ask_advice("s", bus))
    await ask_pace("s", bus, SessionPace())
    assert (await asked).step >= 1

    last = await held(bus, "s")
    await take_controls("s", bus, by_hand=False)
    await reached(bus, "s", last + 1)
    await stop_session("s", bus)


async def test_the_controls_of_any_session_can_be_taken_and_its_actor_is_replayed(
    bus: Bus, mesh: Mesh
) -> None:
    await a_mesh(mesh)
    await start(bus, "s", "heuristic", steps=8)
    await ask_pace("s", bus, SessionPace(hold_after=1))
    await reached(bus, "s", 1)
    assert await take_controls("s", bus, by_hand=True) is True
    await ask_pace("s", bus, SessionPace())
    last = await held(bus, "s")
    assert (await typed(bus, "s", last, "inventory")).action == "inventory"
    await take_controls("s", bus, by_hand=False)
    await reached(bus, "s", 8)

    async with replaying("s", [ActorService()], bus, mesh.url, mesh.settings) as steps:
        async for replayed in steps:
            assert replayed.differences == ()


async def test_what_a_person_types_leaves_the_agents_objective_plan_and_notes_as_they_were(
    bus: Bus, mesh: Mesh
) -> None:
    def noting(prompt: Prompt) -> Reply:
        if step_in(prompt) == 0:
            return call("play_action", action="north", reflection="r", objective="Light it.", **NOTES)
        return call("play_action", action="look", reflection="r")

    await mesh.run(GameService(GameSettings(verdict_deadline=30, search_seconds=5, search_candidates=5)))
    await mesh.run(*(service_named(name, mesh.settings.home) for name in ("memory", "critic")))
    actor, model = ActorService(ActorSettings(model_deadline=60)), ScriptedModel(noting)
    actor.model = model
    await mesh.run(actor)
    await start(bus, "s", "reflact", steps=8)
    await ask_pace("s", bus, SessionPace(hold_after=1))
    await reached(bus, "s", 1)
    await take_controls("s", bus, by_hand=True)
    await ask_pace("s", bus, SessionPace())
    last = await held(bus, "s")
    await typed(bus, "s", last, "east")
    await typed(bus, "s", last + 1, "west")
    await take_controls("s", bus, by_hand=False)
    await reached(bus, "s", last + 3)

    first, by_person = await proposal(bus, "s", 0), await proposal(bus, "s", last + 1)
    after, prompt = await proposal(bus, "s", last + 2), model.prompts[-1].parts[-1].text
    assert first.mind is not None and by_person.mind is not None and after.mind is not None
    assert by_person.policy == "human" and after.policy == "reflact"
    assert by_person.mind.objective == first.mind.objective == after.mind.objective == "Light it."
    assert [goal.goal for goal in by_person.mind.plan] == ["find oil"]
    assert by_person.mind.clues == after.mind.clues == ("Maren has the key.",)
    assert [each.puzzle for each in by_person.mind.puzzles if not each.by_rule] == ["The tower is locked."]
    for noted in ("Light it.", "find oil", "Maren has the key.", "The tower is locked."):
        assert noted in prompt


async def held(bus: Bus, session: str) -> int:
    """The step that waits for a person."""
    last = -1
    async with asyncio.timeout(60):
        while True:
            newest = await bus.reader.last_step(session)
            if newest is not None and newest.step == last and await no_proposal(bus, session, last):
                return last
            last = newest.step if newest else -1
            await asyncio.sleep(0.3)


async def test_who_has_the_controls_is_recorded_and_outlasts_the_actor(bus: Bus, mesh: Mesh) -> None:
    await mesh.run(GameService(GameSettings(verdict_deadline=30, search_seconds=5, search_candidates=5)))
    others = [name for name in SERVICES if name not in ("game", "actor")]
    await mesh.run(*(service_named(name, mesh.settings.home) for name in others))
    async with running([ActorService()], mesh.url, mesh.cell, mesh.settings):
        await start(bus, "s", "heuristic")
        await ask_pace("s", bus, SessionPace(hold_after=1))
        await reached(bus, "s", 1)
        await take_controls("s", bus, by_hand=True)
        await take_controls("s", bus, by_hand=True)
        await ask_pace("s", bus, SessionPace())
        waiting = await held(bus, "s")

    async with running([ActorService()], mesh.url, mesh.cell, mesh.settings):
        assert await take_controls("s", bus) is True
        assert (await typed(bus, "s", waiting, "inventory")).action == "inventory"
        assert (await proposal(bus, "s", waiting)).policy == "human"
        await take_controls("s", bus, by_hand=False)
        await reached(bus, "s", waiting + 3)
        await stop_session("s", bus)
    changes = [each.body async for each in bus.reader.messages("s") if each.kind is Kind.CONTROLS]
    assert [each.by_hand for each in changes if isinstance(each, ControlsTaken)] == [True, False]
    assert await bus.reader.controls("s") is None, "the end gives the controls back to the policy"


async def test_the_critic_tells_what_it_thinks_of_an_action_that_nobody_has_proposed(
    bus: Bus, mesh: Mesh
) -> None:
    await a_mesh(mesh)
    await start(bus, "s", "human")
    for _ in range(2):
        last = await bus.reader.last_step("s")
        await typed(bus, "s", last.step if last else 0, "eat cliff")

    vain, valid = [await ask_opinion("s", bus, 2, action) for action in ("eat cliff", "north")]
    assert vain.score < valid.score
    assert "without reward" in vain.reason
    assert (await ask_opinion("s", bus, 0, "eat cliff")).score > vain.score, "it had not been tried then"
    assert await no_proposal(bus, "s", 2)
    with pytest.raises(FailureError, match="no step 9"):
        await ask_opinion("s", bus, 9, "north")
    await stop_session("s", bus)


async def no_proposal(bus: Bus, session: str, step: int) -> bool:
    return await bus.reader.read_at(session, Kind.PROPOSAL, step) is None


async def test_a_session_that_waits_for_a_person_is_ended_and_taken_up_again(bus: Bus, mesh: Mesh) -> None:
    await a_mesh(mesh)
    await start(bus, "s", "human")
    await typed(bus, "s", 0, "north")
    await stop_session("s", bus)
    with pytest.raises(FailureError, match="has ended"):
        await take_controls("s", bus, by_hand=True)
    assert await no_proposal(bus, "s", 1)


def by_hand(lantern: Lantern, typed: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command with what is typed, as a pipe gives it; the input's end ends the session."""
    command = [sys.executable, "-m", "lantern.cli", *arguments]
    return subprocess.run(
        command, input=typed, env=lantern.env, cwd=ROOT, capture_output=True, text=True, timeout=120
    )


def actions(lantern: Lantern, session: str) -> list[str]:
    return [line.removeprefix("> ") for line in lantern.actions(session)]


def test_actions_are_typed_in_a_terminal_and_a_session_is_taken_up_and_forked(lantern: Lantern) -> None:
    played = by_hand(
        lantern,
        "north\n/map\n/critic\n/critic eat cliff\n/agent 2\n/nonsense\nlook\n",
        "play",
        "--policy",
        "human",
        "--session",
        "s1",
    )
    assert (played.returncode, played.stderr) == (130, "lantern: stopping after the step under way\n")
    assert "Shingle Beach" in played.stdout
    assert "south -> Jetty ?" in played.stdout
    assert "north: +1 of -1 to +1" in played.stdout
    assert re.search(r"eat cliff: [-+0-9.]+ of -1 to \+1", played.stdout)
    assert "/hint" in played.stdout
    recorded = actions(lantern, "s1")
    assert (recorded[0], recorded[3:]) == ("north", ["look"])

    again = by_hand(lantern, "inventory\n", "resume", "s1")
    assert "carrying" in again.stdout
    assert actions(lantern, "s1") == [*recorded, "inventory"]

    forked = by_hand(
        lantern,
        "",
        "fork",
        "s1",
        "--at",
        "1",
        "--action",
        "wait",
        "--policy",
        "random",
        "--steps",
        "2",
        "--session",
        "s2",
    )
    assert forked.returncode == 0, forked.stderr
    assert actions(lantern, "s2")[:2] == ["north", "wait"]


def test_a_line_is_edited_on_a_terminal_and_ctrl_c_leaves_it_as_it_was(lantern: Lantern) -> None:
    with on_a_terminal(lantern, "play", "--policy", "human", "--session", "s1") as playing:
        playing.wait_for("> ")
        os.write(playing.keyboard, b"nirth\x1b[D\x1b[D\x1b[D\x1b[D\x1b[3~o\n")
        playing.wait_for("Shingle Beach")
        playing.process.send_signal(signal.SIGINT)
        assert playing.end() == 130
        assert playing.waits_for_enter()


def test_a_person_cannot_be_evaluated(lantern: Lantern) -> None:
    done = lantern.run("evaluate", "--games", str(BUNDLED), "--policy", "human")

    assert done.returncode == 2
    assert "a person cannot be evaluated" in done.stderr


def test_a_play_shows_itself_in_a_browser_too(lantern: Lantern) -> None:
    playing = lantern.start("play", "--steps", "2000", "--policy", "random", "--web", "--session", "s1")
    playing.wait_for_step(1)
    address = playing.out.read_text().splitlines()[0].removeprefix("in a browser: ")
    assert address.endswith("/sessions/s1")
    assert b"transcript" in urllib.request.urlopen(address).read()
    origin = address.removesuffix("/sessions/s1")
    assert json.load(urllib.request.urlopen(f"{origin}/api/me"))["control"] is False
    playing.process.terminate()
    assert playing.wait().returncode == 130
