"""NAIL's state, and how it chooses: by election among its modules."""

from __future__ import annotations

from random import Random

from folds.playthrough import Playthrough
from services.actor.baselines.nail.knowledge_graph import LOOK, KnowledgeGraph
from services.actor.baselines.nail.modules import elected
from services.actor.baselines.reading import begins_episode
from services.actor.policy import Choice


class Nail:
    """The agent's state: its knowledge graph."""

    def __init__(self) -> None:
        self.graph = KnowledgeGraph()

    def after(self, played: Playthrough) -> None:
        """Fold the last step."""
        self.graph.after(played)

    def choose(self, random: Random) -> Choice:
        """The command of the module that bids most; before all, a look, which has no preface."""
        if self.graph.last is None or begins_episode(self.graph.last):
            return Choice(LOOK, "opening: the text of the place alone")
        module, bid = elected(self.graph, random)
        return Choice(bid.command, f"{module.replace('_', ' ')} bids {bid.eagerness:.2f}")
