"""Text-only sessions: what their records hold, message by message, and how the game finds its place again."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from conftest import Mesh

from lantern.play.play import play
from lantern.play.session_options import PlayOptions, checked_story
from lantern.play.story_files import load_story
from lantern.play.summary import Summary
from lantern.views.text_view import SilentView
from mesh.nats.codec import decode
from mesh.nats.subjects import record_of
from mesh.record import stories
from mesh.record.batches import raw_messages
from mesh.record.bus import Bus
from mesh.runner import dead_letters
from mesh.settings import MeshSettings
from schemas.actor import ActionProposed
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.fragment import FragmentGiven
from schemas.game import EndReason, SessionAnswer, SessionEnded, SessionStarted, StepTaken, StopSession
from schemas.sources import Source
from services.game.emulator.client import Emulator
from services.game.emulator.protocol import Played
from services.game.service import GameService
from services.game.session.game_session import GameSession
from services.game.session.replayed_step import RecordDiffers
from services.game.session.text_only import redacted
from tests.support.scenes.stories import story_path

ALLOWED = {"digest", "step", "action", "observation", "done", "victory", "episode"}
NUMBERED = re.compile(r"\(id (?!name:)|\[(?!name:)\w+\]|\b(?:room|item):\d|\bid=\d")
"""How the services would write a room or a thing that they know by its number."""
WALKTHROUGH = Path(__file__).with_name("bundled_walkthrough.txt").read_text().splitlines()
STEPS = 40


@pytest.fixture(params=["bundled", "detective.z5"])
def played_story(request: pytest.FixtureRequest) -> str:
    """The bundled game, and a story that announces points and kills."""
    return request.param if request.param == "bundled" else str(story_path(request.param))


async def recorded(bus: Bus, session: str) -> tuple[list[Envelope], list[bytes]]:
    """Every message of a session, none left out: what cannot be decoded raises."""
    raw = [held async for held in raw_messages(bus.cell, record_of(bus.cell.name, session))]
    return [decode(m.subject or "", m.data or b"") for m in raw], [m.data or b"" for m in raw]


async def in_full(story: str, actions: Sequence[str]) -> list[Played]:
    """What the emulator knows of the same game."""
    emulator = await Emulator.start(load_story(story), seed=1)
    async with emulator:
        return [await emulator.opening(), *[await emulator.play(action) for action in actions]]


async def test_no_message_of_a_text_only_session_tells_more_than_the_text(
    bus: Bus, nats_url: str, settings: MeshSettings, played_story: str
) -> None:
    wish = PlayOptions(played_story, STEPS, "heuristic", 1, "s1", bus.cell.name, text_only=True)
    summary = await play(
        wish, checked_story(wish), settings.model_copy(update={"nats_url": nats_url}), SilentView()
    )

    envelopes, raw = await recorded(bus, "s1")
    bodies = [envelope.body for envelope in envelopes]
    steps = [body for body in bodies if isinstance(body, StepTaken)]
    hidden = await in_full(played_story, [step.action or "" for step in steps[1:]])

    [started] = [body for body in bodies if isinstance(body, SessionStarted)]
    assert (started.handicaps, started.max_score, started.valid_actions) == ((), None, False)
    assert started.text_only
    assert [step.observation for step in steps] == [full.observation for full in hidden]
    assert all(step.model_dump(exclude_defaults=True).keys() <= ALLOWED for step in steps)
    worlds = {full.world.encode() for full in hidden}
    assert len(worlds) > 1 and not any(world in message for world in worlds for message in raw)

    said = [section.text for body in bodies if isinstance(body, FragmentGiven) for section in body.sections]
    said += [body.reason for body in bodies if isinstance(body, ActionProposed)]
    assert any("(id name:" in text for text in said)
    assert [text for text in said if NUMBERED.search(text)] == []
    assert [text for text in said if re.search(r"score (?!unknown)(?:\d|is)", text)] == []

    scores = [full.score for full in hidden if full.score is not None]
    [ended] = [body for body in bodies if isinstance(body, SessionEnded)]
    assert (ended.score, ended.best_score, ended.max_score) == (
        hidden[-1].score, max(scores), hidden[-1].max_score,
    )  # fmt: skip
    counts = summary.as_json()
    assert (counts["score"], counts["best_score"], counts["max_score"]) == (
        ended.score, ended.best_score, ended.max_score,
    )  # fmt: skip
    assert (counts["handicaps"], counts["degraded_steps"], counts["steps"]) == ([], 0, STEPS)
    assert [letter async for letter in dead_letters.every(bus.cell, "s1")] == []


async def test_the_score_is_told_with_the_end_and_not_before(
    bus: Bus, nats_url: str, settings: MeshSettings
) -> None:
    wish = PlayOptions("bundled", 8, "heuristic", 1, "s1", bus.cell.name, text_only=True)
    await play(wish, checked_story(wish), settings.model_copy(update={"nats_url": nats_url}), SilentView())

    record = (await recorded(bus, "s1"))[0]
    [last] = [envelope for envelope in record if isinstance(envelope.body, SessionEnded)]
    summary = Summary("s1")
    for envelope in record[: record.index(last)]:
        summary.after(envelope)
    running = summary.as_json()
    ended = summary.after(last).as_json()

    told = ("score", "best_score", "max_score")
    assert [running[name] for name in told] == [None] * 3
    assert None not in [ended[name] for name in told]


async def test_a_session_with_everything_tells_its_score_with_the_end_too(
    bus: Bus, nats_url: str, settings: MeshSettings
) -> None:
    wish = PlayOptions("bundled", 8, "heuristic", 1, "s1", bus.cell.name)
    await play(wish, checked_story(wish), settings.model_copy(update={"nats_url": nats_url}), SilentView())

    bodies = [envelope.body for envelope in (await recorded(bus, "s1"))[0]]
    scores = [body.score for body in bodies if isinstance(body, StepTaken)]
    [ended] = [body for body in bodies if isinstance(body, SessionEnded)]

    assert (ended.score, ended.best_score, ended.max_score) == (scores[-1], max(s or 0 for s in scores), 50)


STARTED = SessionStarted(
    step=0,
    game="kelder",
    story_md5=load_story("bundled").md5,
    story_suffix=".z5",
    policy="heuristic",
    seed=1,
    steps=100,
    valid_actions=False,
    text_only=True,
)


@asynccontextmanager
async def a_game() -> AsyncIterator[GameSession]:
    """The bundled game at no step, and its emulator ended afterwards."""
    playing = GameSession(STARTED, session="s1")
    try:
        yield playing
    finally:
        await playing.close()


async def an_emulator() -> Emulator:
    return await Emulator.start(load_story("bundled"), seed=1)


async def walked(playing: GameSession) -> list[StepTaken]:
    """The steps of a won game, as they are told."""
    opening = await playing.opening(await an_emulator())
    return [
        playing.as_published(opening),
        *[playing.as_published(await playing.execute(a)) for a in WALKTHROUGH],
    ]


async def test_a_game_that_is_taken_up_again_knows_what_its_record_does_not_tell() -> None:
    async with a_game() as first, a_game() as second:
        steps = await walked(first)

        await second.rebuild(await an_emulator(), None, steps)

        last = len(WALKTHROUGH)
        assert (second.last, second.world_visits, second.outcome) == (
            steps[-1],
            first.world_visits,
            first.outcome,
        )
        assert second.end_message(last, EndReason.BUDGET) == first.end_message(last, EndReason.BUDGET)
        assert (second.outcome.score, second.outcome.victories) == (50, 1)
        assert steps[-1].victory and steps[-1].score is None


async def test_a_record_with_another_text_is_not_taken_up() -> None:
    async with a_game() as first, a_game() as second, await an_emulator() as emulator:
        *steps, last = (await walked(first))[:5]
        other = last.model_copy(update={"observation": "Another story."})

        with pytest.raises(RecordDiffers, match=r"Step 4 .* observation is not the recorded"):
            await second.rebuild(emulator, None, [*steps, other])


async def test_whoever_stops_a_text_only_session_finds_out_its_score(bus: Bus, mesh: Mesh) -> None:
    async with a_game() as playing:
        steps = await walked(playing)
        expected = playing.end_message(steps[-1].step, EndReason.STOPPED)
    assert await stories.put(bus.cell, load_story("bundled").data) == STARTED.story_md5
    for message in (STARTED, *steps):
        await bus.writer.publish("s1", message)

    await mesh.run(GameService())
    wish = StopSession(session="s1")
    answer = await bus.requests.ask("game", "stop", wish, SessionAnswer, session="s1", timeout=30)

    ended = await bus.reader.read_at("s1", Kind.ENDED, steps[-1].step)
    assert answer.ok
    assert ended is not None and ended.body == expected
    assert redacted(steps[-1]) == steps[-1]


async def test_with_the_status_line_a_text_only_session_also_knows_what_that_shows(
    bus: Bus, nats_url: str, settings: MeshSettings
) -> None:
    wish = PlayOptions(
        "bundled", STEPS, "heuristic", 1, "s1", bus.cell.name, text_only=True, status_line=True
    )
    summary = await play(
        wish, checked_story(wish), settings.model_copy(update={"nats_url": nats_url}), SilentView()
    )

    envelopes, _ = await recorded(bus, "s1")
    steps = [envelope.body for envelope in envelopes if isinstance(envelope.body, StepTaken)]
    hidden = await in_full("bundled", [step.action or "" for step in steps[1:]])

    assert summary.as_json()["handicaps"] == ["status_line"]
    shown = ALLOWED | {"room", "score", "moves", "reward", "sources"}
    assert all(step.model_dump(exclude_defaults=True).keys() <= shown for step in steps)
    assert [(s.score, s.moves) for s in steps] == [(full.score, full.moves) for full in hidden]
    assert [s.room and s.room.name for s in steps] == [full.room_name for full in hidden]
    assert {step.sources.room for step in steps} == {Source.STATUS_LINE}
