"""Presses keys where a story asks for one, so that it asks for a line again."""

from __future__ import annotations

from zmachine.emulator.frotz import Frotz
from zmachine.reading import prompts

KEYS = 6
"""Pressed at most to get past pauses ("[Please press SPACE]"); what still waits for a key is a menu."""
SPACE, NO_KEY, NO = " ", "n", "no"


def past_pauses(frotz: Frotz, text: str) -> str:
    """Press SPACE until the story asks for a line again; returns all that it has printed."""
    for _ in range(KEYS):
        if frotz.halted() or not frotz.awaits_key():
            break
        text += frotz.step(SPACE)
    return text


def into_the_story(frotz: Frotz) -> str:
    """Pass the pauses of an opening, and decline offers such as instructions; returns the opening text."""
    text = frotz.opening_text
    for _ in range(KEYS):
        if frotz.halted() or frotz.has_quit():
            break
        offered = prompts.declines(text)
        if frotz.awaits_key():
            text += frotz.step(NO_KEY if offered else SPACE)
        elif offered:
            text += frotz.step(NO)
        else:
            break
    return text
