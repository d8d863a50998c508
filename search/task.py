"""What a method of searching is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from search.channel import Channel
from search.environment import Environment, SearchStopped
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
    until_complete: bool = True
    """Whether the search ends once all points of the story are found."""

    def offer(self, actions: Sequence[str]) -> int:
        """Replay a list from the opening, and report it if it is better than the best; returns its score.

        The emulator is then where the list has led.

        Raises:
            SearchStopped: all points are found.
        """
        score = self.replayed(actions)
        if (score, -len(actions)) > (self.best_score, -len(self.best)):
            self.best_score, self.best = score, tuple(actions)
            self.channel.improved(actions, score, self.environment.probes)
            if self.until_complete and self.is_complete:
                raise SearchStopped
        return score

    @property
    def is_complete(self) -> bool:
        """Whether the best list earns all points of the story; not, if nobody knows how many there are."""
        most = self.environment.max_score
        return most is not None and most > 0 and self.best_score >= most

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
