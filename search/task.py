"""What a method of searching is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from search.channel import Channel
from search.environment import Environment
from search.messages import Order


@dataclass
class Task:
    """A search in this process: the story, the order, and the channel to the parent."""

    environment: Environment
    order: Order
    channel: Channel
    random: Random
    """The only source of chance that a method may use."""
    best_score: int
    best: tuple[str, ...] = ()

    def offer(self, actions: Sequence[str]) -> int:
        """Replay a list from the opening, and report it if it is better than the best; returns its score.

        The emulator is then where the list has led.
        """
        score = self.replayed(actions)
        if (score, -len(actions)) > (self.best_score, -len(self.best)):
            self.best_score, self.best = score, tuple(actions)
            self.channel.improved(actions, score, self.environment.probes)
        return score

    def replayed(self, actions: Sequence[str]) -> int:
        """Play a list from the opening; returns the score at its end."""
        outcome = self.environment.restart()
        for action in actions:
            outcome = self.environment.step(action)
            if outcome.done:
                break
        return outcome.score


Method = Callable[[Task], None]
"""Searches until it finds nothing more to try; ended by SearchStopped, which `Environment.step` raises."""
