"""Play a story in this process: `play.py STORY SEED`, actions on standard input, one a line.

Prints a JSON list of observations, the opening text first. A process of its own, because Jericho's
faults end the process they happen in.
"""

import json
import sys

from jericho import FrotzEnv


def observations(story: str, seed: int, actions: list[str]) -> list[str]:
    """The opening text, then what each action printed."""
    env = FrotzEnv(story, seed=seed)
    opening, _ = env.reset()
    return [opening, *(env.step(action)[0] for action in actions)]


if __name__ == "__main__":
    print(json.dumps(observations(sys.argv[1], int(sys.argv[2]), sys.stdin.read().splitlines())))
