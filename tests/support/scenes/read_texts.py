"""Texts of two rooms, and what their reader makes of texts."""

from __future__ import annotations

from folds.text.reader import TextReader
from schemas.game import StepTaken
from tests.support.scenes.builders import a_text_step

HALL = "Hall\nA bare hall with a stone floor and a draught that never stops."
ATTIC = "Attic\nDust, rafters, and a smell of apples stored here long ago."


def read(*told: tuple[str | None, str]) -> list[StepTaken]:
    """The steps of some actions and texts, as they are read."""
    by_text = TextReader()
    return [by_text.read(a_text_step(n, action, text)) for n, (action, text) in enumerate(told)]
