"""What has earned points, and what of it can be earned again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from folds.attempts import Attempt
from folds.vocabulary.verbs import ActionKind, action_kind_of
from folds.vocabulary.words import words_of

LEAVING = (ActionKind.DROP, ActionKind.PLACE)
"""Kinds of actions that leave something somewhere."""
_OFTEN = 2
"""Losses that are no accident."""
_NO_POINTS: Mapping[str, int] = {}


class Rewards:
    """Points by room and action."""

    def __init__(self) -> None:
        self.first_points = 0
        """The points that actions earned when they were done in a room for the first time."""
        self.treasures: set[str] = set()
        """The nouns of things that earned points when they were taken."""
        self._costs: Counter[str] = Counter()
        """How often each action has cost points, in whatever room."""
        self.paid_for_leaving: set[str] = set()
        """Rooms where something that was left there earned points."""
        self._victories: dict[str, dict[str, int]] = defaultdict(dict)
        self.begin()

    def begin(self) -> None:
        """In a new episode everything can be earned again."""
        self._claimed: dict[str, set[str]] = defaultdict(set)
        self.left: set[str] = set()
        """The words for things that earned points when they were left somewhere."""

    def note(self, room: str, attempt: Attempt, *, first: bool) -> None:
        """Learn from an attempt; `first`: the action had never been done in this room."""
        if first and attempt.scored:
            self.first_points += attempt.reward
        if attempt.won:
            self._victories[room][attempt.action] = attempt.reward
        if attempt.reward < 0:
            self._costs[attempt.action] += 1
        if not attempt.scored:
            return
        self._claimed[room].add(attempt.action)
        kind = action_kind_of(attempt.action)
        if kind is ActionKind.TAKE:
            self.treasures.add(words_of(attempt.action)[-1])
        elif kind in LEAVING and attempt.lost:
            self.left.update(word for name in attempt.lost for word in words_of(name))
            self.paid_for_leaving.add(room)

    def is_costly(self, action: str) -> bool:
        """Whether an action costs points: leaving something did so once, or anything else twice."""
        times = self._costs.get(action, 0)
        return times >= _OFTEN or (times > 0 and action_kind_of(action) in LEAVING)

    def victories_in(self, room: str) -> Mapping[str, int]:
        """The actions that have won the game in a room, each with the points that it brought."""
        return self._victories.get(room, _NO_POINTS)

    def unclaimed(self, room: str, earned: Mapping[str, int]) -> Mapping[str, int]:
        """The part of what was `earned` in a room that won no game, and was not earned in this episode."""
        if not earned:
            return _NO_POINTS
        without = {"score", *self._claimed.get(room, ()), *self.victories_in(room)}
        return {action: points for action, points in earned.items() if action not in without}
