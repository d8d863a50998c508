"""Sessions that allow `restore`: back to any step, also from a game that is over, and replayed exactly."""

from __future__ import annotations

import pytest
from test_emulator_own_words import a_story
from test_text_only_sessions import STARTED, WALKTHROUGH

from lantern.play.story_files import load_story
from schemas.game import EndReason, SessionStarted, StepTaken
from services.game.actions import NO_SUCH_STEP, NOT_SAVED, OVER_THERE, RETURNED, SAVED
from services.game.emulator.client import Emulator
from services.game.session.game_session import GameSession
from services.game.session.verification import first_mismatch

WARD = a_story("ward.z5")
ALLOWED = STARTED.model_copy(
    update={"story_md5": WARD.md5, "restore": True, "text_only": False, "valid_actions": False}
)
TYPED = (
    "take stone", "save", "east", "dice", "quit", "restore", "dice", "restore 3", "dice",
    "restore 99", "restore 5", "restart", "east", "restore 1", "undo", "Restore.",
)  # fmt: skip
EVERY = 4


async def begun(started: SessionStarted = ALLOWED) -> tuple[GameSession, list[StepTaken]]:
    game = GameSession(started, session="s1")
    return game, [await game.opening(await Emulator.start(WARD, 1, snapshot_every=EVERY))]


async def played(*typed: str, started: SessionStarted = ALLOWED) -> list[StepTaken]:
    game, steps = await begun(started)
    steps += [await game.execute(action) for action in typed]
    await game.close()
    return steps


def position(step: StepTaken) -> tuple[object, ...]:
    return step.world, step.room, step.inventory, step.score, step.moves, step.done


async def test_restore_goes_back_to_what_was_saved_also_from_a_game_that_is_over() -> None:
    _, _, saved, east, _, over, back, *_ = steps = await played(*TYPED)

    assert (saved.observation, over.done) == (SAVED, True)
    assert (back.observation, back.action) == (RETURNED.format(2), "restore")
    assert position(back) == position(saved) != position(east)
    assert (back.episode, back.reward, back.changed, back.victory) == (1, 0, True, False)
    assert position(steps[-1]) == position(saved)  # it outlives a restart


async def test_restore_n_goes_back_to_step_n_with_its_chance() -> None:
    steps = await played(*TYPED)

    assert position(steps[8]) == position(steps[3])
    assert steps[9].observation == steps[4].observation  # the same throw of the dice
    assert position(steps[14]) == position(steps[1])


async def test_a_step_that_cannot_be_gone_back_to_costs_a_step_and_changes_nothing() -> None:
    steps = await played(*TYPED)
    _, first = await played("restore")

    assert (steps[10].observation, steps[11].observation) == (
        NO_SUCH_STEP.format(99, 9),
        OVER_THERE.format(5),
    )
    assert position(steps[11]) == position(steps[9])
    assert (first.observation, first.changed) == (NOT_SAVED, False)


async def test_where_it_is_not_allowed_a_game_that_is_over_begins_anew() -> None:
    usual = ALLOWED.model_copy(update={"restore": False})
    *_, over, again = await played("east", "quit", "restore", started=usual)
    *_, refused = await played("restore 0", started=usual)

    assert (again.action, again.episode) == ("restart", over.episode + 1)
    assert "does not pass" in refused.observation


@pytest.mark.parametrize("at", [5, 8, 10, 14])
async def test_a_rebuilt_session_goes_on_as_the_first_one_did(at: int) -> None:
    steps = await played(*TYPED)
    game = GameSession(ALLOWED, session="s1")

    await game.rebuild(await Emulator.start(WARD, 1, snapshot_every=EVERY), None, steps[: at + 1])
    rest = [await game.execute(action) for action in TYPED[at:]]
    ended = game.end_message(len(TYPED), EndReason.BUDGET)
    await game.close()

    assert rest == steps[at + 1 :]
    assert await first_mismatch("s1", ALLOWED, steps, ended, WARD) is None


async def test_the_score_may_fall_and_the_best_one_stays() -> None:
    story = load_story("bundled")
    game = GameSession(ALLOWED.model_copy(update={"story_md5": story.md5}), session="s1")
    await game.opening(await Emulator.start(story, 1))
    steps = [await game.execute(action) for action in WALKTHROUGH[:30]]
    best = max(step.score or 0 for step in steps)
    back = await game.execute("restore 0")
    ended = game.end_message(back.step, EndReason.BUDGET)
    await game.close()

    assert best > 0
    assert (back.score, back.reward, back.done, back.episode) == (0, 0, False, 1)
    assert (ended.score, ended.best_score) == (0, best)
