"""The prompts that a client may offer its user."""

from __future__ import annotations

INSTRUCTIONS = """\
Lantern plays text adventures. `play_action` plays one action of the game and returns the
text, with the critic's opinion and hints. Call it without an action to read the text so far. `room_state`
tells what was tried here, `graph_memory_search` answers questions such as "where is the lamp", `route_to`
gives the way to a room. Every session is recorded: `sessions`, `replay_step` and `fork` look back and go on
from any step."""


def play_well(goal: str = "") -> str:
    """Play the game with care, by all that the server offers."""
    aim = goal.strip() or "score as many points as possible, and win if you can"
    return f"""\
Play the text adventure of this server. Your goal: {aim}.

1. Call `play_action` without an action and read the text.
2. Before each action say in one sentence what you want to reach, and why this action serves it.
3. Give short commands, as a player types them: a verb, a thing. Take what can be carried, examine what is
   new, draw the exits of each room into your plan.
4. Read `critic` and `hints` of each result. A score below 0 means that the action was vain before; if you
   repeat it, something must have changed.
5. When you enter a room that you know, or are stuck, call `room_state`: do not repeat what is in ALL_TRIED
   while STATE_REVISIT_COUNT grows. Ask `graph_memory_search` where a thing is, and `route_to` for the way;
   without a room it leads to the nearest direction that nobody tried.
6. Go on until the game is won or `ended` is set. A death ends an episode only: `restart` begins the next.

At the end say the score, what worked, and what you would try next."""


def explain_where_it_went_wrong(session: str) -> str:
    """Find the step at which a session took its wrong turn."""
    return f"""\
Explain where the session {session} went wrong.

1. Read the resource lantern://sessions/{session}/transcript, and the map lantern://sessions/{session}/map.
2. Find the steps at which points were gained or lost, the player died, or the same actions came again and
   again. Call `replay_step` for each: who proposed the action, what did the critic and the sub-agents say?
3. Call `room_state` with `at` for the last good moment: what was known then, and not used?
4. Name one step: what was done, what should have been done, and why that was knowable. Quote the text.
5. If it helps, call `fork` at that step and play the better action by `play_action`: did it work?"""
