"""The parts of the frontier search that can be left out, to measure what each is worth."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class SearchPart(StrEnum):
    """A part, by its name in the option `without`."""

    RULES = "rules"
    """The rule-based player plays before the search, which goes on from what that has earned."""
    ANCESTORS = "ancestors"
    """Epochs begin anywhere on the best way so far, not only at the opening."""
    SHORTENING = "shortening"
    """After an epoch in vain the best list is made shorter, once for a score."""
    GRAFTING = "grafting"
    """After each epoch its best list is done again together with what has earned points in others."""
    FORGETTING = "forgetting"
    """Each epoch forgets which places in memory have turned out to tell nothing; in every second process."""
    TOURS = "tours"
    """Harmless deeds are done at once, one after the other; else each is a cell of its own."""
    BURSTS = "bursts"
    """Random actions that have worked somewhere, where little else is left."""
    WAITING = "waiting"
    """What ended the game is tried again after a wait."""
    INSISTING = "insisting"
    """An action with a new answer and no effect is done again."""
    REPEATING = "repeating"
    """A deed is done again while its answer differs."""
    FOLLOWING = "following"
    """After something was put somewhere, what is of interest there is done."""
    EXCHANGING = "exchanging"
    """Under a heavy load the least used thing is dropped for a new one."""
    EMPTY_HANDS = "empty-hands"
    """Where a way is barred for a reason of its own, what is held is laid down, and the way tried again."""
    ANSWERS = "answers"
    """Phrases with an unusual answer are tried with other things, and again when things have changed."""
    EARNED = "earned"
    """What has earned points with one thing is tried with others of the same place or use."""
    LEARNING = "learning"
    """What phrases have done elsewhere says how likely they do something here."""
    TOOLS = "tools"
    """What was done with a tool in vain is expected of it less and less."""
    PLACES = "places"
    """Less is expected of a thing at further places."""


@dataclass(frozen=True, slots=True)
class FrontierOptions:
    """How the frontier search works."""

    without: frozenset[SearchPart] = frozenset()

    @classmethod
    def of(cls, options: dict[str, list[str]]) -> FrontierOptions:
        """From the options of an order."""
        return cls(frozenset(map(SearchPart, options.get("without", ()))))
