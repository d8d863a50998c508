"""What an actor decides from."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from random import Random

from language_model.recorded import RecordedModel
from schemas.actor import ActionProposed
from schemas.fragment import Fragment
from services.actor.knowledge.situation import Situation
from services.actor.turn import Turn


@dataclass(frozen=True, slots=True)
class DecisionInput:
    """All that a decision may depend on. It is a function of the session's record."""

    situation: Situation
    """Folded from the steps."""
    fragments: Mapping[str, Fragment]
    """What the sub-agents say, by service."""
    random: Random
    """Seeded by the session and the step."""
    previous: Callable[[], Awaitable[ActionProposed | None]]
    """Reads the proposal one step earlier; None: there is none."""
    turns: Callable[[], Awaitable[Mapping[int, Turn]]]
    """Reads what was proposed at the steps before those in the transcript, and how it was judged."""
    model: RecordedModel
    """The language model; a call that is in the record is not made again."""
