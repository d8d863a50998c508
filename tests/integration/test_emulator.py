"""The emulator of a session, on real stories: what it says of them, and that it says it again."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from games import BUNDLED
from schemas.sources import Source
from services.game.checked_story import check_story
from services.game.emulator.client import Emulator
from services.game.emulator.protocol import MoveReplayed, Play, Played
from services.game.valid_actions.searcher import SearchLimits, ValidActionSearcher
from tests.support.scenes.stories import each_story, story_path
from zmachine.story_file import StoryFile

HERE = Path(__file__).parent
WALKTHROUGH = HERE / "bundled_walkthrough.txt"
ORDINARY = "north south east west up down in out look inventory wait take_all drop_all open_door jump".split()


def a_story(name: str) -> StoryFile:
    return check_story(story_path(name).read_bytes(), name)


def unknown(story: StoryFile) -> StoryFile:
    """The same story with another serial number, by which Jericho no longer knows it."""
    data = bytearray(story.data)
    data[0x12:0x18] = b"999999"
    return check_story(bytes(data), "unknown")


async def played(story: StoryFile, actions: Sequence[str], *, seed: int = 1) -> list[Played]:
    """The opening, and what each action came to."""
    async with await Emulator.start(story, seed) as emulator:
        return [await emulator.opening(), *[await emulator.play(action) for action in actions]]


@asynccontextmanager
async def searcher_of(
    story: StoryFile, seed: int, limits: SearchLimits
) -> AsyncIterator[ValidActionSearcher]:
    """A searcher with an emulator of its own, as long as the block lasts."""
    searcher = ValidActionSearcher(await Emulator.start(story, seed), limits)
    try:
        yield searcher
    finally:
        await searcher.close()


def scouting(story: StoryFile, seed: int) -> AbstractAsyncContextManager[ValidActionSearcher]:
    """A searcher whose searches end by number, never by time, so that they repeat."""
    return searcher_of(story, seed, SearchLimits(candidates=40, seconds=60))


async def test_what_a_searcher_has_not_done_at_its_end_is_no_fault() -> None:
    with capture_logs() as logs:
        async with scouting(check_story(BUNDLED.read_bytes(), BUNDLED.name), 1) as searcher:
            searcher.open()
            for action in ORDINARY:
                searcher.follow(action)

    assert logs == []


REVIVES = "zork1.z5"
"""A death after which the story goes on is an end for Jericho alone; the walk of the first seed dies so."""


async def wandered(story: StoryFile, steps: int, *, seed: int = 1) -> tuple[list[str], list[Played]]:
    """Actions drawn from the valid and the ordinary ones, and what they came to."""
    chance = random.Random(seed)
    actions: list[str] = []
    async with await Emulator.start(story, seed) as emulator, scouting(story, seed) as searcher:
        searcher.open()
        steps_taken = [await emulator.opening()]
        for _ in range(steps):
            found = await searcher.valid(steps_taken[-1].world)
            offered = found.actions if chance.random() < 0.6 else ()
            actions.append(chance.choice(offered or ORDINARY).replace("_", " "))
            searcher.follow(actions[-1])
            steps_taken.append(await emulator.play(actions[-1]))
    return actions, steps_taken


def names(things: Sequence[object] | None) -> list[str]:
    return [getattr(thing, "name", "") for thing in things or ()]


async def test_zork_tells_room_things_and_score() -> None:
    steps = await played(a_story("zork1.z5"), ["open mailbox", "take leaflet", "north"])
    opening, opened, taken, north = steps

    assert (opening.room_name, opening.score, opening.max_score, opening.moves) == (
        "West of House",
        0,
        350,
        0,
    )
    assert names(opening.objects) == ["door", "small mailbox"]
    assert [(thing.name, thing.container) for thing in opened.objects or ()][-1] == ("leaflet", 160)
    assert names(taken.inventory) == ["leaflet"]
    assert (north.room_name, north.moves) == ("North of House", 3)
    assert north.room_id != opening.room_id


async def test_a_closed_container_does_not_show_what_is_in_it() -> None:
    [opening] = await played(a_story("zork1.z5"), [])

    assert "leaflet" not in names(opening.objects)


async def test_detective_starts_at_ten_points() -> None:
    opening, taken = await played(a_story("detective.z5"), ["take paper"])

    assert (opening.score, opening.max_score) == (10, 360)
    assert taken.score == 20
    assert names(taken.inventory) == ["piece of white paper"]


async def test_the_bundled_game_comes_out_fully_though_jericho_does_not_know_it() -> None:
    story = check_story(BUNDLED.read_bytes(), BUNDLED.name)
    actions = [line for line in WALKTHROUGH.read_text().splitlines() if line]

    steps = await played(story, actions)

    assert {step.max_score for step in steps} == {50}
    assert None not in {fact for step in steps for fact in (step.room_id, step.score, step.moves)}
    assert [step.moves for step in steps] == sorted(step.moves or 0 for step in steps)
    assert (steps[-1].score, steps[-1].done, steps[-1].victory) == (50, True, True)
    assert not any(step.done for step in steps[:-1])


@pytest.mark.parametrize(
    "name",
    each_story(("advent.z5", "balances.z5", "deephome.z5", "detective.z5", "ludicorp.z5", "zork1.z5")),
)
async def test_a_story_that_jericho_does_not_know_comes_out_as_if_it_did(name: str) -> None:
    actions, known = await wandered(a_story(name), 40, seed=2 if name == REVIVES else 1)

    general = await played(unknown(a_story(name)), actions)

    for one, other in zip(known, general, strict=True):
        assert (one.room_id, one.room_name) == (other.room_id, other.room_name)
        assert (one.score, one.max_score) == (other.score, other.max_score)
        assert (one.inventory, one.objects) == (other.inventory, other.objects)
        assert one.done == other.done


async def test_a_room_that_the_game_never_names_keeps_one_name_of_its_own() -> None:
    opening, garden, looked = await played(a_story("murdac.z5"), ["south", "look"])

    assert opening.room_name and garden.room_name
    assert opening.room_name != garden.room_name
    assert (garden.room_id, garden.room_name) == (looked.room_id, looked.room_name)


async def test_a_story_that_starts_with_a_pause_is_begun() -> None:
    [opening] = await played(unknown(a_story("library.z5")), [])

    assert opening.room_name == "Lobby"
    assert "entrance to the library" in opening.observation


@pytest.mark.parametrize("name", each_story())
async def test_two_sessions_of_one_seed_are_the_same(name: str) -> None:
    actions, first = await wandered(a_story(name), 25)

    assert await played(a_story(name), actions) == first
    assert await wandered(a_story(name), 25) == (actions, first)


@pytest.mark.parametrize("name", each_story())
async def test_every_step_of_every_story_makes_sense(name: str) -> None:
    _, steps = await wandered(a_story(name), 60, seed=2)

    for step in steps:
        assert step.observation.strip()
        assert ">  " not in step.observation
        assert step.room_id and step.room_name
        assert step.inventory is not None and all(names(step.inventory))
        assert step.objects is not None and all(names(step.objects))
        assert step.score is None or abs(step.score) <= (step.max_score or 0)
    assert len({step.world for step in steps}) > 1


async def test_a_fast_forwarded_session_goes_on_as_if_it_had_been_played() -> None:
    story = a_story("advent.z5")
    actions, steps = await wandered(story, 30)

    async with await Emulator.start(story, 1) as emulator:
        echoes = [await emulator.rewind(), *await emulator.replay([Play(a) for a in actions[:20]])]
        rest = [await emulator.play(action) for action in actions[20:]]

    assert echoes == [MoveReplayed(s.world, s.observation, s.score, s.victory) for s in steps[:21]]
    assert rest == steps[21:]


async def test_the_world_is_the_same_again_when_what_was_done_is_undone() -> None:
    there_and_back = ["north", "west", "look", "wait", "inventory"]
    handled = ["take leaflet", "drop leaflet", "take leaflet", "drop leaflet"]
    steps = await played(a_story("zork1.z5"), [*there_and_back, "open mailbox", *handled])
    opening, north, back, looked, waited, checked, opened, taken, dropped, again, last = (
        s.world for s in steps
    )

    assert opening == back == looked == waited == checked
    assert (taken, dropped) == (again, last)
    assert len({opening, north, opened, taken, dropped}) == 5


async def test_another_seed_is_another_game() -> None:
    story = a_story("advent.z5")
    wait = ["wait"] * 3
    one, same, other = [await played(story, wait, seed=seed) for seed in (1, 1, 2)]

    assert one == same
    assert one[0].room_id == other[0].room_id


async def test_where_jericho_reads_another_score_than_the_story_tells_the_story_is_believed() -> None:
    steps = await played(a_story("murdac.z5"), ("take all", "score", "wait"))

    assert [step.score for step in steps] == [10, 10, 10, 10]
    assert {step.sources.score for step in steps} == {Source.TEXT}
    assert steps[-1].max_score == 250
