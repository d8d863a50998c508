"""The spaces of texts and actions."""

from __future__ import annotations

import re
import string
from types import ModuleType
from typing import Never

from gymnasium.error import CustomSpaceError
from gymnasium.spaces import Text
from gymnasium.vector.utils import create_shared_memory

from schemas.base import ACTION_LENGTH

OBSERVATION_LENGTH = 16_384
"""The most characters of an observation; a longer text is cut."""

ASCII = "".join(chr(code) for code in range(0x20, 0x7F))
OBSERVED = frozenset(ASCII + "\n\t" + "".join(chr(code) for code in range(0xA0, 0x180)) + "‘’“”–—…")
"""What texts may have: ASCII, the letters of Latin languages, typographic marks; the rest becomes `?`."""

FOREIGN = re.compile(f"[^{re.escape(''.join(sorted(OBSERVED)))}]")

ACTIONS = frozenset(string.ascii_letters + string.digits + " '\"-,.")


class StoryText(Text):
    """A space of texts that refuses shared memory.

    Gymnasium's `AsyncVectorEnv` reads texts from shared memory once, when it is made, and would give the same
    wrong ones for ever.
    """


@create_shared_memory.register(StoryText)
def _refused(space: StoryText, n: int = 1, ctx: ModuleType | None = None) -> Never:
    raise CustomSpaceError("Texts are not read from shared memory. Give AsyncVectorEnv shared_memory=False.")


def observation_space() -> Text:
    """Every text that an environment may give."""
    return StoryText(OBSERVATION_LENGTH, min_length=0, charset=OBSERVED)


def action_space() -> Text:
    """What may be typed; an environment takes any other text too, and cleans it."""
    return StoryText(ACTION_LENGTH, min_length=1, charset=ACTIONS)


def observed(text: str) -> str:
    """A text as a member of the observation space."""
    return FOREIGN.sub("?", text[:OBSERVATION_LENGTH])
