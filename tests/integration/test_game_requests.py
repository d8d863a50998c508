"""Requests that come to nothing leave no emulator behind in the game service."""

from __future__ import annotations

import asyncio

import pytest
from conftest import Mesh
from test_emulator_faults import children
from test_text_only_sessions import STARTED as TEXT_ONLY

from lantern.play.story_files import load_story
from mesh.record import stories
from mesh.record.bus import Bus
from mesh.record.writer import PublishOutcome, RecordWriter
from schemas.base import Message
from schemas.critic import ActionJudged, Decision
from schemas.game import (
    EndReason,
    ResumeSession,
    SessionAnswer,
    SessionEnded,
    SessionStarted,
    StartSession,
    StepTaken,
    StopSession,
)
from services.game.emulator.client import Emulator
from services.game.errors import EmulatorClosed, StoryUnplayable
from services.game.service import GameService
from services.game.session.emulators import Emulators
from services.game.session.game_session import GameSession
from services.game.settings import GameSettings
from services.game.valid_actions.searcher import ValidActionSearcher
from zmachine.story_file import StoryFile

STARTED = TEXT_ONLY.model_copy(update={"seed": 2, "steps": 5, "valid_actions": True, "text_only": False})


async def test_a_start_that_another_was_faster_with(
    bus: Bus, mesh: Mesh, monkeypatch: pytest.MonkeyPatch
) -> None:
    await stories.put(bus.cell, load_story("bundled").data)
    await mesh.run(GameService(GameSettings(spares=0)))
    wish = StartSession(
        session="s1",
        game="kelder.z5",
        story_md5=STARTED.story_md5,
        policy="heuristic",
        seed=1,
        steps=5,
        valid_actions=False,
    )
    start, made = Emulators.start, {}

    async def meanwhile(emulators: Emulators, story: StoryFile, seed: int) -> Emulator:
        await bus.writer.publish("s1", STARTED)
        made[seed] = await start(emulators, story, seed)
        return made[seed]

    monkeypatch.setattr(Emulators, "start", meanwhile)
    answer = await bus.requests.ask("game", "start", wish, SessionAnswer, session="s1", timeout=60)

    assert (answer.ok, "'s1'" in answer.refusal) == (False, True)
    with pytest.raises(EmulatorClosed):
        await made[wish.seed].play("look")


async def test_a_resume_whose_scout_cannot_be_had(
    bus: Bus, mesh: Mesh, monkeypatch: pytest.MonkeyPatch
) -> None:
    await stories.put(bus.cell, load_story("bundled").data)
    before = set(children())
    playing = GameSession(STARTED, session="s1")
    opening = await playing.opening(await Emulator.start(load_story("bundled"), 2))
    await playing.close()
    for message in (STARTED, opening, SessionEnded(step=0, reason=EndReason.STOPPED)):
        await bus.writer.publish("s1", message)
    await mesh.run(GameService(GameSettings(spares=0)))

    async def refused(
        emulators: Emulators, story: StoryFile, started: SessionStarted
    ) -> ValidActionSearcher | None:
        raise StoryUnplayable(story.md5, "as the test wants it")

    monkeypatch.setattr(Emulators, "searcher", refused)
    wish = ResumeSession(session="s1", steps=3)
    answer = await bus.requests.ask("game", "resume", wish, SessionAnswer, session="s1", timeout=60)

    assert (answer.ok, "as the test wants it" in answer.refusal) == (False, True)
    assert set(children()) <= before
    assert await bus.reader.last_step("s1") == opening


async def test_a_stop_waits_for_the_step_that_is_on_its_way_to_the_record(
    bus: Bus, mesh: Mesh, monkeypatch: pytest.MonkeyPatch
) -> None:
    await stories.put(bus.cell, load_story("bundled").data)
    publish, room = RecordWriter.publish, asyncio.Event()

    async def late(
        writer: RecordWriter, session: str, message: Message, cause: str | None = None
    ) -> PublishOutcome:
        if isinstance(message, StepTaken) and message.step == 1:
            waits.set()
            await room.wait()
        return await publish(writer, session, message, cause)

    waits = asyncio.Event()
    monkeypatch.setattr(RecordWriter, "publish", late)
    await mesh.run(GameService(GameSettings(spares=0)))
    await bus.writer.publish("s1", STARTED)
    await bus.writer.publish("s1", verdict(0, "look"))
    await waits.wait()
    stop = StopSession(session="s1")
    stopping = asyncio.create_task(
        bus.requests.ask("game", "stop", stop, SessionAnswer, session="s1", timeout=60)
    )
    await asyncio.sleep(0.2)
    room.set()
    answer = await stopping

    ended = await bus.reader.end_of("s1")
    assert answer.ok and ended is not None
    assert ended.step == 1


async def test_a_resume_goes_on_from_a_step_that_was_recorded_while_it_replayed(
    bus: Bus, mesh: Mesh, monkeypatch: pytest.MonkeyPatch
) -> None:
    await stories.put(bus.cell, load_story("bundled").data)
    playing = GameSession(STARTED, session="s1")
    opening = await playing.opening(await Emulator.start(load_story("bundled"), 2))
    late = await playing.execute("look")
    await playing.close()
    for message in (STARTED, opening, SessionEnded(step=0, reason=EndReason.STOPPED)):
        await bus.writer.publish("s1", message)
    await mesh.run(GameService(GameSettings(spares=0)))
    bring_to = Emulators.bring_to

    async def meanwhile(emulators: Emulators, game: GameSession, at: int) -> None:
        await bring_to(emulators, game, at)
        await bus.writer.publish("s1", late)

    monkeypatch.setattr(Emulators, "bring_to", meanwhile)
    wish = ResumeSession(session="s1", steps=3)
    answer = await bus.requests.ask("game", "resume", wish, SessionAnswer, session="s1", timeout=60)

    started = await bus.reader.started("s1")
    assert answer.ok and started is not None
    assert (started.step, started.steps, started.resumed) == (1, 4, True)


def verdict(step: int, action: str) -> ActionJudged:
    return ActionJudged(
        step=step, action=action, proposed=action, decision=Decision.APPROVE, score=0, reason="", by="test"
    )
