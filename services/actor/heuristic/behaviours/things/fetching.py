"""What is missed is fetched from where it was laid down, or was found in an earlier episode."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from services.actor.heuristic.behaviours.idea import Idea
from services.actor.heuristic.option_context import OptionContext
from services.actor.knowledge.experience.experience import Experience
from services.actor.knowledge.experience.success import tool_of
from services.actor.knowledge.kinds import LIGHTS

_UTILITY = 88.0


def fetch(context: OptionContext) -> Iterator[Idea]:
    """What lies here and is missed is taken; so is what was laid down, where `all` is too much at once."""
    if not context.blind:
        return
    if noun := missing_things(context.known).get(context.room):
        yield Idea(f"take {noun}", "it is missed elsewhere", _UTILITY, insists=True)
    belongings, laid_at = context.known.belongings, context.done_at.get("drop all", -1)
    for noun in belongings.laid_down if laid_at > 0 and context.known.refusals.takes_no_all else ():
        if belongings.lying.get(noun) == context.room and context.done_at.get(f"take {noun}", -1) < laid_at:
            yield Idea(f"take {noun}", "it was only laid down", _UTILITY, insists=True)


def missing_things(known: Experience) -> Mapping[str, str]:
    """By room, the noun of a thing that lies there and is missed: an answer has asked for it, or something
    was done with it in an earlier episode and is due again, or it is a light, and somewhere it is dark."""
    lying = known.belongings.lying
    if not lying:
        return {}
    missed = known.belongings.asked_for.union(map(tool_of, known.history.due_anywhere))
    missed |= LIGHTS if known.rooms.dark else frozenset()
    return {room: noun for noun, room in lying.items() if noun in missed and noun not in known.rewards.left}
