"""The policies by name."""

from __future__ import annotations

from enum import StrEnum
from typing import assert_never

from mesh.errors import InputError
from schemas.game import REFLACT, SessionStarted
from services.actor.heuristic.options import best_remaining
from services.actor.heuristic.policy import Heuristic
from services.actor.knowledge.situation import Situation
from services.actor.policy import Choice, Policy
from services.actor.random_policy import RandomPolicy

__all__ = ["Choice", "Policy", "PolicyName", "UnknownPolicy", "initial_situation", "policy_of"]


class PolicyName(StrEnum):
    """How the actor may pick an action."""

    HEURISTIC = "heuristic"
    RANDOM = "random"
    REFLACT = REFLACT


class UnknownPolicy(InputError):
    """No policy has this name."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"No policy is called '{name}'. Give one of: {', '.join(PolicyName)}.")


def initial_situation(started: SessionStarted) -> Situation:
    """The situation before the opening text; the heuristic tells what remains to be gained in a room."""
    return Situation(started, best_remaining)


def policy_of(name: str) -> Policy:
    """The policy of a name; for the one that asks a model, the rules that stand in where no model does.

    Raises:
        UnknownPolicy: there is none of that name.
    """
    try:
        known = PolicyName(name)
    except ValueError:
        raise UnknownPolicy(name) from None
    match known:
        case PolicyName.HEURISTIC | PolicyName.REFLACT:
            return Heuristic()
        case PolicyName.RANDOM:
            return RandomPolicy()
        case _:
            assert_never(known)
