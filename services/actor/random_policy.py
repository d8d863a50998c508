"""The baseline of the text-adventure competition."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from schemas.fragment import Fragment
from services.actor.knowledge.situation import Situation
from services.actor.policy import Choice

ACTIONS = ("north", "south", "east", "west", "verbose", "take all", "yes", "no")
"""The eight actions of the competition's RandomAgent (Text-Based Adventure AI Competition)."""


class RandomPolicy:
    """Any of the eight actions, each as likely as the others, whatever the situation."""

    def choose(self, situation: Situation, fragments: Mapping[str, Fragment], random: Random) -> Choice:
        """One of the eight by chance."""
        return Choice(random.choice(ACTIONS), "by chance")
