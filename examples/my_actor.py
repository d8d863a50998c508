"""An actor of one's own: tries what the sub-agents suggest, and otherwise walks on by chance."""

from __future__ import annotations

from services.actor.decision import DecisionInput
from services.actor.logic import Thought
from services.actor.policy import Choice
from services.actor.random_policy import ACTIONS
from services.actor.service import ActorService


class MyActor(ActorService):
    """Tries each suggestion once in each room."""

    version = "0.1.0"

    async def decide(self, decision: DecisionInput) -> Thought:
        """Depends on its argument alone, so that `lantern replay` gives the same proposals."""
        situation = decision.situation
        for service, fragment in sorted(decision.fragments.items()):
            for action in fragment.suggestions:
                if action not in situation.attempts.in_room(situation.room):
                    return Thought(Choice(action, f"{service} suggests it"))
        return Thought(Choice(decision.random.choice(ACTIONS), "by chance"))
