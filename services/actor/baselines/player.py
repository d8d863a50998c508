"""A policy with a state of its own, and the situation that folds it."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Protocol, Self

from folds.playthrough import Playthrough
from schemas.fragment import Fragment
from schemas.game import SessionStarted, StepTaken
from services.actor.knowledge.experience.experience import Experience
from services.actor.knowledge.situation import Situation
from services.actor.policy import Choice


class Player(Protocol):
    """What a baseline remembers of a session, and how it chooses from that."""

    def after(self, played: Playthrough) -> None:
        """Fold the last step of the playthrough. Promise of the caller: once for each step, in order."""
        ...

    def choose(self, random: Random) -> Choice:
        """The next action. It changes no state: whether the action is executed, the next step tells."""
        ...


class BaselineSituation(Situation):
    """A situation that folds a player as well."""

    def __init__(self, started: SessionStarted, player: Player) -> None:
        super().__init__(started, _nothing_remains)
        self.player = player

    def after(self, step: StepTaken) -> Self:
        """Fold one step; a step that was folded before changes nothing."""
        if not self.experience.playthrough.includes(step):
            super().after(step)
            self.player.after(self.experience.playthrough)
        return self


class Baseline:
    """The policy of every player: the choice is the player's."""

    def choose(self, situation: Situation, fragments: Mapping[str, Fragment], random: Random) -> Choice:
        """What the player chooses; it hears no sub-agent."""
        if not isinstance(situation, BaselineSituation):
            raise TypeError(f"a session of the policy {situation.started.policy!r} has no player")
        return situation.player.choose(random)


def _nothing_remains(step: StepTaken, experience: Experience) -> float:
    """A player has its own idea of where to go."""
    return 0.0
