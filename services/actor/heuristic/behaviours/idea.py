"""The shape of a behaviour: from what is known of a step, the actions that it would take, with reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.situation import Situation

URGENT, FIRST = 200.0, 300.0
"""Utilities of what comes before all weighing, and of what comes even before that."""


class Idea(NamedTuple):
    """An action that a behaviour would take."""

    action: str
    """In its normal form."""
    reason: str = ""
    """Empty: the kind of the action says enough."""
    utility: float | None = None
    """From 0 to 100, and more for what comes before all weighing. None: what its kind is worth."""
    insists: bool = False
    """Whether it may be done again where it has come to nothing."""
    dares: bool = False
    """Whether it may be done where it has killed."""


RoomBehaviour = Callable[[OptionContext], Iterable[Idea]]
"""Concerns only the room: it is asked again when the player has left, for what remains to be done there."""
SessionBehaviour = Callable[[Situation, OptionContext], Iterable[Idea]]
"""Concerns the way of the session as a whole."""
