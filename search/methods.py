"""The methods of searching, by name."""

from __future__ import annotations

from search.frontier.search import frontier_search
from search.mcts import methods as tree
from search.random_walk import random_walk
from search.task import Method

METHODS: dict[str, Method] = {
    "frontier": frontier_search,
    "random": random_walk,
    "puct": tree.puct,
    "mc-dml": tree.mc_dml,
    "model": tree.model_agent,
    "reflection": tree.reflection_agent,
}
