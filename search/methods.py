"""The methods of searching, by name."""

from __future__ import annotations

from search.frontier.search import frontier_search
from search.go_explore import go_explore
from search.mcts import methods as tree
from search.random_walk import random_walk
from search.shortening import shorten
from search.task import Method

METHODS: dict[str, Method] = {
    "frontier": frontier_search,
    "go-explore": go_explore,
    "random": random_walk,
    "puct": tree.puct,
    "mc-dml": tree.mc_dml,
    "model": tree.model_agent,
    "reflection": tree.reflection_agent,
}

SHORTENING = "shorten"
"""Not a search: it makes a list shorter that a search has found."""

JOBS: dict[str, Method] = {**METHODS, SHORTENING: shorten}
