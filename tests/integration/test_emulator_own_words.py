"""The words that Lantern carries out itself, and what an observation is said to be, on a small real story."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import asdict

from schemas.sources import Source, TextKind
from services.game import actions
from services.game.checked_story import check_story
from services.game.emulator.client import Emulator
from services.game.emulator.protocol import Play, Played
from zmachine.story_file import StoryFile

STORIES = Path(__file__).parent / "stories"


def a_story(name: str) -> StoryFile:
    return check_story((STORIES / name).read_bytes(), name)


async def played(*typed: str, story: str = "ward.z5") -> list[Played]:
    """The opening, and what each action came to."""
    async with await Emulator.start(a_story(story), 1) as emulator:
        return [await emulator.opening(), *[await emulator.play(action) for action in typed]]


def world_of(step: Played) -> Sequence[object]:
    return (step.world, step.room_id, step.inventory, step.objects, step.score, step.moves, step.done)


async def test_undo_takes_the_last_action_back_once() -> None:
    opening, taken, undone, again, retaken = await played("take stone", "undo", "undo", "take stone")

    assert undone.observation == actions.TAKEN_BACK
    assert again.observation == actions.NOT_TAKEN_BACK
    assert world_of(undone) == world_of(again) == world_of(opening)
    assert (undone.changed, again.changed) == (True, False)
    assert world_of(retaken) == world_of(taken)


async def test_what_never_reached_the_game_is_not_what_undo_takes_back() -> None:
    opening, _, _, undone = await played("take stone", "script", "undo")

    assert world_of(undone) == world_of(opening)


async def test_restore_returns_to_the_position_that_was_saved_as_often_as_wanted() -> None:
    steps = await played("restore", "east", "save", "west", "take stone", "restore", "west", "Restore.")
    nothing, east, saved, west, taken, back, _, again = steps[1:]

    assert nothing.observation == actions.NOT_SAVED
    assert saved.observation == actions.SAVED
    assert world_of(saved) == world_of(east) == world_of(back) == world_of(again)
    assert len({step.world for step in (east, west, taken)}) == 3


async def test_a_position_outlives_a_restart_and_an_undone_action_does_not() -> None:
    _, east, _, begun, undone, back = await played("east", "save", "restart", "undo", "restore")

    assert undone.observation == actions.NOT_TAKEN_BACK
    assert begun.begins
    assert world_of(back) == world_of(east)


async def test_quit_ends_the_episode_without_victory_and_the_next_action_begins_another() -> None:
    opening, _, left, begun = await played("east", "quit", "look")

    assert left.observation == actions.LEFT
    assert (left.done, left.victory, begun.done, begun.begins) == (True, False, False, True)
    assert world_of(begun) == world_of(opening)


async def test_the_random_generator_is_taken_back_too() -> None:
    steps = await played("dice", "save", "dice", "dice", "restore", "dice", "undo", "dice")
    thrown = [step.observation for step in steps if "throw" in step.observation]

    assert thrown[1] == thrown[3] == thrown[4]
    assert len(set(thrown)) > 1


async def test_a_replayed_session_is_where_it_was_whatever_was_saved_and_undone() -> None:
    typed = [
        "take stone",
        "save",
        "east",
        "undo",
        "east",
        "dice",
        "restore",
        "dice",
        "quit",
        "look",
        "restore",
    ]
    steps = await played(*typed, "dice", "undo")

    async with await Emulator.start(a_story("ward.z5"), 1) as emulator:
        await emulator.opening()
        await emulator.replay([Play(action) for action in typed[:-1]])
        caught_up = await emulator.play(typed[-1])
        rest = [await emulator.play(action) for action in ("dice", "undo")]

    assert [caught_up, *rest] == steps[-3:]


@pytest.mark.parametrize("word", ["save", "restore", "undo", "quit", "script", "menu", "ledger"])
async def test_lanterns_own_words_are_marked(word: str) -> None:
    _, answer = await played(word)

    assert answer.kind is TextKind.LANTERN
    assert answer.observation.startswith("[Lantern")
    assert "\n" not in answer.observation


async def test_an_offer_at_the_opening_is_declined_and_a_pause_passed() -> None:
    [opening] = await played()

    assert "Ward" in opening.observation
    assert "Press any key" not in opening.observation
    assert (opening.kind, opening.room_name) == (TextKind.STORY, "Ward")


@pytest.mark.parametrize(
    ("typed", "kind"),
    [
        ("look", TextKind.STORY),
        ("riddle", TextKind.STORY),
        ("which", TextKind.QUESTION),
        ("really", TextKind.QUESTION),
        ("options", TextKind.MENU),
        ("perish", TextKind.ENDED),
    ],
)
async def test_a_question_of_the_game_is_told_from_its_story(typed: str, kind: TextKind) -> None:
    _, answer, after = await played(typed, "yes")

    assert answer.kind is kind
    assert after.kind is TextKind.STORY


async def test_a_story_that_quits_by_itself_has_ended() -> None:
    _, bye, begun = await played("bye", "look")
    _, silent = await played("vanish")

    assert (bye.done, bye.victory, bye.kind) == (True, False, TextKind.ENDED)
    assert bye.observation == "You walk away for good."
    assert bye.sources.done is Source.MEMORY
    assert begun.begins
    assert (silent.done, silent.observation) == (True, "[The story has ended itself.]")


async def test_points_that_are_only_announced_are_added_up() -> None:
    opening, found, more, lost = await played("points", "points", "penalty")

    assert (opening.score, opening.sources.score) == (None, Source.UNKNOWN)
    assert [step.score for step in (found, more, lost)] == [5, 10, 7]
    assert [step.gained for step in (found, more, lost)] == [5, 5, -3]
    assert found.sources.score is Source.TEXT


async def test_a_player_without_a_name_is_known_by_what_they_do() -> None:
    opening, east, west, taken = await played("east", "west", "take stone")

    assert (opening.room_name, east.room_name) == ("Ward", "Ward")
    assert opening.room_id == west.room_id != east.room_id
    assert [thing.name for thing in taken.inventory or ()] == ["stone"]
    assert taken.sources.room is taken.sources.inventory is Source.MEMORY


async def test_what_cannot_be_known_has_no_source() -> None:
    [opening] = await played()
    sources = asdict(opening.sources)

    assert (opening.score, opening.max_score, opening.moves) == (None, None, None)
    assert [name for name, source in sources.items() if source == "unknown"] == [
        "score",
        "max_score",
        "moves",
    ]
