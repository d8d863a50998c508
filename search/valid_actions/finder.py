"""The valid actions of the present position, for those who search a story."""

from __future__ import annotations

from dataclasses import dataclass, field

from search.environment import Environment
from search.valid_actions.action_search import ActionSearch

CANDIDATES = 400
"""Tried in one world, at most."""
WHERE_NONE_IS_FOUND = ("wait",)
"""A search that chose among nothing would spend no probe, and never end."""


@dataclass
class ValidActionFinder:
    """Finds valid actions, and remembers them by the world and the score."""

    environment: Environment
    candidates: int = CANDIDATES
    _search: ActionSearch = field(init=False)
    _found: dict[tuple[str, int], tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        environment = self.environment
        self._search = ActionSearch(environment.frotz, environment.reader, environment.tables)

    def here(self) -> tuple[str, ...]:
        """The valid actions, the likeliest first; none where the game is over, `wait` where none is found.

        The position stays.
        """
        position = self.environment.save()
        if position.done:
            return ()
        key = (self.environment.world(), position.score)
        if key not in self._found:
            room = self.environment.room()
            found = self._search.explore(self.environment.player, room, self.candidates)
            self._found[key] = found.actions or WHERE_NONE_IS_FOUND
            self.environment.restore(position)
        return self._found[key]
