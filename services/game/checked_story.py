"""Refuses files that the emulator may not be given."""

from __future__ import annotations

from services.game.errors import StoryUnreadable
from zmachine.story_file import StoryFile, fault_in, story_of


def check_story(data: bytes, name: str) -> StoryFile:
    """The story in a file's bytes; `name` is for the message of StoryUnreadable."""
    if why := fault_in(data):
        raise StoryUnreadable(name, why)
    return story_of(data)
