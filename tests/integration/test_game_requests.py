"""Requests that come to nothing leave no emulator behind in the game service."""

from __future__ import annotations

import pytest
from conftest import Mesh
from test_emulator_faults import children
from test_text_only_sessions import STARTED as TEXT_ONLY

from lantern.play.story_files import load_story
from mesh.record import stories
from mesh.record.bus import Bus
from schemas.game import EndReason, ResumeSession, SessionAnswer, SessionEnded, SessionStarted, StartSession
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
