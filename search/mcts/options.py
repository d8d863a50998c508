"""The options of the tree search, and the published values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TreeOptions:
    """How the tree search works. The defaults are the published ones (MC-DML, appendix B).

    The paper gives two stories another constant of exploration (20), and one a third (200).
    """

    exploration: float = 50.0
    """C of equations 2 and 3."""
    discount: float = 0.95
    simulations: int = 50
    """Of each move, for each valid action of its position."""
    least_depth: int = 10
    most_depth: int = 30
    depth_step: int = 20
    dynamic_depth: bool = True
    """Whether a search without any reward is repeated more deeply; else all are as deep as the first."""
    model_prior: bool = True
    """Whether a model says how promising each action is; else all are equally so."""
    in_trial_memory: bool = True
    """Whether the model is told the observation and the action before the present observation."""
    cross_trial_memory: bool = True
    """Whether the model reflects on failures, and is told what it concluded."""
    reflections: int = 3
    """At most, in the cross-trial memory of one move (k)."""
    moves: int = 100
    """Most moves of a trial; then the story begins again. (The paper does not give its own limit.)"""

    def depths(self) -> Iterator[int]:
        """The depths of the searches for one move, as long as none finds a reward (section 4.1)."""
        deepest = self.most_depth if self.dynamic_depth else self.least_depth
        yield from range(self.least_depth, deepest + 1, self.depth_step)
