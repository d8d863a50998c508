"""What came of an action, in a few words of a prompt."""

from __future__ import annotations

from collections.abc import Mapping

from folds.attempts import Attempt
from language_model.prompting.quoting import listed, quoted

ACTION_SHOWN = 60
"""Characters of an action, and of a room's name."""

_THINGS = 3


def effect_of(attempt: Attempt, rooms: Mapping[str, str]) -> str:
    """Its effect; `rooms`: names by id."""
    effects = (
        f"{attempt.reward:+d} points" if attempt.reward else "",
        f"gained {listed(attempt.gained, _THINGS)}" if attempt.gained else "",
        f"lost {listed(attempt.lost, _THINGS)}" if attempt.lost else "",
        f"led to {quoted(rooms.get(attempt.moved_to, ''), ACTION_SHOWN)}" if attempt.moved_to else "",
        ("won the game" if attempt.won else "ended the game") if attempt.ended else "",
    )
    told = ", ".join(effect for effect in effects if effect)
    return told or ("changed something" if attempt.changed else "no effect")
