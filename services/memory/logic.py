"""What the memory decides: the beliefs after a step, and what the actor is told of them."""

from __future__ import annotations

from schemas.fragment import Fragment, Section
from services.memory.beliefs.beliefs import Beliefs
from services.memory.sections.belief import belief_section
from services.memory.sections.layout import nearest_rooms
from services.memory.sections.room_state import room_state_section
from services.memory.timeline.world_model import WorldModel

__all__ = ["Beliefs", "WorldModel", "fragment"]


def fragment(beliefs: Beliefs, failures: str = "") -> Fragment:
    """The memory's fragment after a step: a function of the steps that were folded, and of the start.

    `failures`: what failures have taught, a sentence each.
    """
    near = nearest_rooms(beliefs)
    sections = [room_state_section(beliefs, near), belief_section(beliefs, near)]
    if failures:
        sections.append(Section(name="failures", text=failures))
    return Fragment(sections=tuple(sections))
