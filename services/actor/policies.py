"""The policies by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cache, partial
from typing import assert_never

from mesh.errors import InputError
from mesh.plugins import PluginBroken, made, plugins
from mesh.printable import one_line
from mesh.suggestions import did_you_mean
from schemas.base import POLICY_PATTERN
from schemas.game import HUMAN, REFLACT, SessionStarted
from services.actor.baselines.byu import Byu
from services.actor.baselines.carl import Carl
from services.actor.baselines.golovin.golovin import Golovin
from services.actor.baselines.nail.nail import Nail
from services.actor.baselines.player import Baseline, BaselineSituation, Player
from services.actor.heuristic.behaviours import BEHAVIOUR_NAMES
from services.actor.heuristic.options import best_remaining
from services.actor.heuristic.policy import Heuristic
from services.actor.knowledge.priming import prime
from services.actor.knowledge.situation import Situation
from services.actor.policy import Choice, Policy
from services.actor.random_policy import RandomPolicy
from services.actor.searched_policy import SearchedPolicy

__all__ = [
    "BEHAVING",
    "OUTSIDE",
    "Choice",
    "Policy",
    "PolicyName",
    "UnknownPolicy",
    "checked_behaviours",
    "deciding_policy",
    "initial_situation",
    "plays_alone",
    "policy_names",
    "policy_of",
]


class PolicyName(StrEnum):
    """How the actor may pick an action."""

    HEURISTIC = "heuristic"
    RANDOM = "random"
    REFLACT = REFLACT
    HUMAN = HUMAN
    SEARCH = "search"
    COMPETITION_RANDOM = "competition-random"
    NAIL = "nail"
    GOLOVIN = "golovin"
    BYU = "byu"
    CARL = "carl"


PLAYERS: Mapping[str, Callable[[], Player]] = {
    PolicyName.NAIL: Nail,
    PolicyName.GOLOVIN: Golovin,
    PolicyName.BYU: Byu,
    PolicyName.CARL: Carl,
}
"""The policies that bring a state of their own."""

GROUP = "lantern.policies"
"""The entry points of other packages that name a class with `choose`, as `Policy` has it."""

OUTSIDE = "outside"
"""What the record calls the policy of a session in which an agent from outside decides."""

ALONE: frozenset[str] = frozenset({PolicyName.COMPETITION_RANDOM, PolicyName.SEARCH, *PLAYERS, OUTSIDE})
"""The policies that read the game's text themselves, and have no use for sub-agents and critic."""


BEHAVING: tuple[str, ...] = (PolicyName.HEURISTIC, PolicyName.REFLACT)
"""The policies that play by behaviours, `reflact` where no model decides."""


class UnknownPolicy(InputError):
    """No policy has this name."""

    def __init__(self, name: str) -> None:
        self.name = name
        known = policy_names()
        super().__init__(
            f"No policy is called '{name}'.{did_you_mean(name, known)} Give one of: {', '.join(known)}."
        )


def initial_situation(started: SessionStarted) -> Situation:
    """The situation before the opening text; the heuristic tells what remains to be gained in a room."""
    player = PLAYERS.get(started.policy)
    remaining = partial(best_remaining, without=started.without_behaviours, steps=started.steps)
    situation = BaselineSituation(started, player()) if player else Situation(started, remaining)
    if started.experience is not None:
        prime(situation, started.experience)
    return situation


def plays_alone(name: str) -> bool:
    """Whether a policy plays without sub-agents and critic, unless somebody asks for them."""
    return name in ALONE


def deciding_policy(name: str) -> str:
    """The policy that decides where no person does."""
    return PolicyName.HEURISTIC if name == HUMAN else name


def policy_of(name: str) -> Policy:
    """The policy of a name; for one that asks a model or a person, the rules that stand in for them.

    Raises:
        UnknownPolicy: there is none of that name.
        PluginBroken: a package brings it, and it cannot be used.
    """
    try:
        known = PolicyName(name)
    except ValueError:
        return _installed_policy(name)
    match known:
        case PolicyName.HEURISTIC | PolicyName.REFLACT | PolicyName.HUMAN:
            return Heuristic()
        case PolicyName.SEARCH:
            return SearchedPolicy()
        case PolicyName.RANDOM | PolicyName.COMPETITION_RANDOM:
            return RandomPolicy()
        case PolicyName.NAIL | PolicyName.GOLOVIN | PolicyName.BYU | PolicyName.CARL:
            return Baseline()
        case _:
            assert_never(known)


@cache
def _installed_policy(name: str) -> Policy:
    entry = plugins(GROUP).get(name)
    if entry is None:
        raise UnknownPolicy(name)
    if not re.fullmatch(POLICY_PATTERN.rstrip("$"), name):
        raise PluginBroken(entry, "has a name that is not up to 32 small letters, digits, '-' and '_'")
    policy: Policy = made(entry)
    if not callable(getattr(policy, "choose", None)):
        raise PluginBroken(entry, "has no method choose(situation, fragments, random)")
    return policy


def policy_names() -> list[str]:
    """Our policies, and those that packages of the environment bring."""
    return [*PolicyName, *plugins(GROUP)]


def checked_behaviours(
    policy: str, names: Iterable[str], known: Sequence[str] = BEHAVIOUR_NAMES
) -> tuple[str, ...]:
    """The behaviours that a session does without, in the order in which they are known.

    Raises:
        InputError: there is none of a name, or the policy has no behaviours.
    """
    given = set(names)
    if given and policy not in BEHAVING:
        raise InputError(f"The policy {policy} has no behaviours. Give one of: {', '.join(BEHAVING)}.")
    for name in sorted(given.difference(known)):
        meant = did_you_mean(name, known) or f" Name any of {', '.join(known)}."
        raise InputError(f"There is no behaviour {one_line(name)!r} to play without.{meant}")
    return tuple(name for name in known if name in given)
