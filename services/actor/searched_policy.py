"""The policy that plays what a search before the session has found."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from schemas.fragment import Fragment
from services.actor.heuristic.policy import Heuristic
from services.actor.knowledge.situation import Situation
from services.actor.policy import Choice


class SearchedPolicy:
    """Plays the actions of the search in their order; after the last one, the rules go on."""

    def choose(self, situation: Situation, fragments: Mapping[str, Fragment], random: Random) -> Choice:
        """The action of this step."""
        searched, step = situation.started.searched, situation.step.step
        if searched is None or step >= len(searched.actions):
            return Heuristic().choose(situation, fragments, random)
        return Choice(searched.actions[step], f"found by a search ({searched.method})")
