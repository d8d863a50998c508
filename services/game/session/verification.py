"""Plays a recorded session again, and compares every step with the record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from schemas.game import SessionEnded, SessionStarted, StepTaken
from services.game.emulator.client import Emulator
from services.game.session.playing import Playing
from services.game.settings import GameSettings
from services.game.story.zmachine import Story

SEARCHED = frozenset({"valid_actions"})
"""Found by a search that time may cut short: what is in the record need not be found again."""

OUTCOME = ("score", "best_score", "max_score", "victories")


@dataclass(frozen=True, slots=True)
class Difference:
    """A value that did not come out as it was recorded."""

    step: int
    field: str
    recorded: Any
    now: Any


async def first_difference(
    session: str,
    started: SessionStarted,
    steps: Sequence[StepTaken],
    ended: SessionEnded | None,
    story: Story,
) -> Difference | None:
    """Execute every recorded action in a fresh emulator; None: all came out as it was recorded.

    What was not recorded is not compared: of a text-only session the text, the end and the digest are.
    An action that was given up, for it hung, is given up again.

    `steps`: from step 0 on, without a gap.

    Raises:
        StoryUnplayable: the emulator does not run the story.
    """
    emulator = await Emulator.start(story, started.seed, patience=GameSettings().watchdog)
    playing = Playing(started, emulator, session=session)
    try:
        if started.max_score is not None and started.max_score != emulator.max_score:
            return Difference(0, "max_score", started.max_score, emulator.max_score)
        for step in steps:
            again = await (playing.execute_again(step) if step.step else playing.opening(emulator))
            if (found := _difference(step, playing.told(again))) is not None:
                return found
        return _outcome_difference(ended, playing) if ended else None
    finally:
        await playing.close()


def _difference(recorded: StepTaken, now: StepTaken) -> Difference | None:
    """The first field that was recorded and differs; an older version's record has fewer of them."""
    for name in StepTaken.model_fields:
        if name not in recorded.model_fields_set or name in SEARCHED:
            continue
        before, after = getattr(recorded, name), getattr(now, name)
        if before != after and not (name in ("world", "digest") and before == ""):
            return Difference(recorded.step, name, before, after)
    return None


def _outcome_difference(ended: SessionEnded, playing: Playing) -> Difference | None:
    """What the end does not tell is not compared; without a score, no victories is not told either."""
    now = playing.ended(ended.step, ended.reason)
    for name in OUTCOME:
        before, after = getattr(ended, name), getattr(now, name)
        untold = before is None or (name == "victories" and before == 0 and ended.score is None)
        if not untold and before != after:
            return Difference(ended.step, name, before, after)
    return None
