"""What the memory decides: what is believed after a step, and what to tell the actor of it."""

from __future__ import annotations

from schemas.fragment import Fragment
from services.memory.beliefs.beliefs import Beliefs
from services.memory.beliefs.world import World
from services.memory.sections import belief_section, nearest_rooms, room_state_section

__all__ = ["Beliefs", "World", "fragment"]


def fragment(beliefs: Beliefs) -> Fragment:
    """What the memory says after a step: a function of the steps folded and of nothing else."""
    near = nearest_rooms(beliefs)
    return Fragment(sections=(room_state_section(beliefs, near), belief_section(beliefs, near)))
