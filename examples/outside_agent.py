"""An agent in the competition's protocol: `lantern play --agent 'python3 examples/outside_agent.py'`.

Any language will do: read the game's text up to a line BREAK-NARRATIVE, and print one line, the action.
"""

import os
import random
import sys

ACTIONS = ("north", "south", "east", "west", "verbose", "take all", "yes", "no")
"""Those of the competition's random agent."""

chance = random.Random(os.environ["AGENT_SEED"])
text = ""
for line in sys.stdin:
    if not line.startswith("BREAK-NARRATIVE"):
        text += line
        continue
    action = "IEEECIG-ADVENT-QUIT-COMMAND" if "You have won" in text else chance.choice(ACTIONS)
    print(action, flush=True)
    text = ""
