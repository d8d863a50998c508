"""What a step says of its own parts: where a value comes from, and what the text is.

Standard library only, for the emulator's child process imports it too.
"""

from __future__ import annotations

from enum import StrEnum


class Source(StrEnum):
    """What a value was read from."""

    JERICHO = "jericho"
    MEMORY = "memory"
    STATUS_LINE = "status line"
    TEXT = "text"
    UNKNOWN = "unknown"


class TextKind(StrEnum):
    """What an observation is: the story's text, or something else.

    `question`: the game asks back, and takes the next action for the answer. `menu`: it offers numbered
    choices. `ended`: the text of the end. `lantern`: Lantern's own words, the game has said nothing.
    """

    STORY = "story"
    QUESTION = "question"
    MENU = "menu"
    ENDED = "ended"
    LANTERN = "lantern"
