"""An agent from outside, as a Python class: `lantern play --agent examples/my_choice.py:MyChoice`."""

import random
from typing import Any


class MyChoice:
    """Takes a valid action by chance, the first one most often; otherwise it looks."""

    def choose(self, observation: str, info: dict[str, Any]) -> str:
        """The next action; `info` has None for what the session does not tell."""
        chance = random.Random(f"{info['seed']}:{info['step']}")
        actions: list[str] = info["valid_actions"] or ["look"]
        return actions[min(chance.randrange(len(actions)), chance.randrange(len(actions)))]
