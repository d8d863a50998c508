"""Text-only sessions: the agent sees what a human player reads, and nothing else."""

from __future__ import annotations

from folds.text.headings import BY_TEXT
from schemas.game import Room, Sources, StepTaken
from schemas.sources import Source
from services.game.emulator.protocol import StatusLine
from zmachine.reading.prompts import won
from zmachine.reading.sources import known


def redacted(step: StepTaken, shown: StatusLine | None = None, before: StatusLine | None = None) -> StepTaken:
    """The step reduced to its text, its place in the session, and whether the game has ended.

    With what the status line has `shown` after it, in sessions that are given it, and `before` it.
    """
    text = StepTaken(
        step=step.step,
        action=step.action,
        observation=step.observation,
        done=step.done,
        victory=step.done and won(step.observation),
        episode=step.episode,
        digest=step.digest,
    )
    return text if shown is None else text.model_copy(update=_told_by(shown, before))


def _told_by(shown: StatusLine, before: StatusLine | None) -> dict[str, object]:
    gained = shown.score is not None and before is not None and before.score is not None
    return {
        "room": Room(id=BY_TEXT + shown.place, name=shown.place) if shown.place else None,
        "score": shown.score,
        "moves": shown.moves,
        "reward": (shown.score or 0) - (before.score or 0) if gained and before else 0,
        "sources": Sources(
            room=Source.STATUS_LINE if shown.place else Source.UNKNOWN,
            score=known(shown.score, Source.STATUS_LINE),
            moves=known(shown.moves, Source.STATUS_LINE),
        ),
    }


def shown_in(step: StepTaken) -> StatusLine | None:
    """The status line that a published step tells of; None: it tells of none."""
    if Source.STATUS_LINE not in (step.sources.room, step.sources.score, step.sources.moves):
        return None
    return StatusLine(step.room.name if step.room else "", step.score, step.moves)
