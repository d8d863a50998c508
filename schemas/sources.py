"""The sources of a step's values, and the kinds of its text.

Standard library only, because the emulator's child process imports this module too.
"""

from __future__ import annotations

from enum import StrEnum


class Source(StrEnum):
    """The source from which a value was read."""

    JERICHO = "jericho"
    MEMORY = "memory"
    STATUS_LINE = "status line"
    TEXT = "text"
    UNKNOWN = "unknown"


class TextKind(StrEnum):
    """The kind of an observation: the story's text, or something else.

    `question`: the game asks, and takes the next action as the answer. `menu`: it offers numbered choices.
    `ended`: the text of the end. `lantern`: a text of Lantern's, because the game printed nothing.
    """

    STORY = "story"
    QUESTION = "question"
    MENU = "menu"
    ENDED = "ended"
    LANTERN = "lantern"
