"""Things are left where a text asks for them: `LEAVE TREASURE HERE`."""

from __future__ import annotations

from collections.abc import Iterator

from folds.vocabulary.actions import normal
from folds.vocabulary.words import head_of
from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.experience.experience import Experience

_UTILITY = 94.0


def deliver(context: OptionContext) -> Iterator[Idea]:
    """What a text of this room asks the player to leave here is dropped."""
    for noun in wanted_in(context.room, context.known):
        yield Idea(normal(f"drop {noun}"), "a text asks for it", _UTILITY, insists=True)


def wanted_in(room: str, known: Experience) -> tuple[str, ...]:
    """The nouns of what is held that a text of a room asks for, and that was not refused there lately."""
    done_at, gained_at = known.history.done_at(room), known.belongings.gained_at
    names = (name for name in known.belongings.names if known.instructions.asks_for(name, room))
    nouns = dict.fromkeys(map(head_of, names))
    return tuple(noun for noun in nouns if done_at.get(f"drop {noun}", -1) < gained_at)
