"""The methods of searching, by name."""

from __future__ import annotations

from search.random_walk import random_walk
from search.task import Method

METHODS: dict[str, Method] = {
    "random": random_walk,
}
