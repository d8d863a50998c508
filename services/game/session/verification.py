"""Replays a recorded session, and compares every step with the record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mesh.settings import from_environment
from schemas.game import SessionEnded, SessionStarted, StepTaken
from services.game.emulator.client import Emulator
from services.game.session.game_session import GameSession
from services.game.settings import GameSettings
from zmachine.story_file import StoryFile

SEARCHED = frozenset({"valid_actions"})
"""Fields found by a search under a time limit: another run may find others, so they are not compared."""

OUTCOME = ("score", "best_score", "max_score", "victories")


@dataclass(frozen=True, slots=True)
class RecordMismatch:
    """A value that differs from the record when its step is replayed."""

    step: int
    field: str
    recorded: Any
    now: Any


async def first_mismatch(
    session: str,
    started: SessionStarted,
    steps: Sequence[StepTaken],
    ended: SessionEnded | None,
    story: StoryFile,
) -> RecordMismatch | None:
    """Execute every recorded action in a fresh emulator; None: nothing differs from the record.

    Only recorded fields are compared: of a text-only session the text, the end and the digest.
    An action that was given up because it hung is not executed again.

    `steps`: all of them, from step 0.

    Raises:
        StoryUnplayable: the emulator cannot run the story.
    """
    emulator = await Emulator.start(story, started.seed, patience=from_environment(GameSettings).watchdog)
    game = GameSession(started, emulator, session=session)
    try:
        if started.max_score is not None and started.max_score != emulator.max_score:
            return RecordMismatch(0, "max_score", started.max_score, emulator.max_score)
        for step in steps:
            again = await (game.execute_again(step) if step.step else game.opening(emulator))
            if (found := _step_mismatch(step, game.as_published(again))) is not None:
                return found
        return _outcome_mismatch(ended, game) if ended else None
    finally:
        await game.close()


def _step_mismatch(recorded: StepTaken, now: StepTaken) -> RecordMismatch | None:
    """The first recorded field that differs; the record of an older version has fewer fields."""
    for name in StepTaken.model_fields:
        if name not in recorded.model_fields_set or name in SEARCHED:
            continue
        before, after = getattr(recorded, name), getattr(now, name)
        if before != after and not (name in ("world", "digest") and before == ""):
            return RecordMismatch(recorded.step, name, before, after)
    return None


def _outcome_mismatch(ended: SessionEnded, game: GameSession) -> RecordMismatch | None:
    """An unknown value is not compared. If the score is unknown, so is a victory count of 0."""
    now = game.end_message(ended.step, ended.reason)
    for name in OUTCOME:
        before, after = getattr(ended, name), getattr(now, name)
        unknown = before is None or (name == "victories" and before == 0 and ended.score is None)
        if not unknown and before != after:
            return RecordMismatch(ended.step, name, before, after)
    return None
