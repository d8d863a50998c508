"""How often each action was done, and how often it had no effect."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Set

from folds.vocabulary.actions import direction_of
from folds.vocabulary.verbs import ActionKind, action_kind_of
from services.actor.knowledge.texts import PUT_AWAY

_CHANGING = (
    ActionKind.OPEN,
    ActionKind.LIGHT,
    ActionKind.USE,
    ActionKind.HANDLE,
    ActionKind.GIVE,
    ActionKind.ATTACK,
    ActionKind.UNDO,
    ActionKind.TALK,
    ActionKind.CONSUME,
    ActionKind.MOVE,
)
"""Kinds of actions whose effect gives reason to try other actions in the room again."""

_SOON, _OFTEN = 15, 2
"""Steps within which a death may come of an action, and deaths after which its effect is forgotten."""
_MONOTONOUS = 3
"""Times in a row that one answer is given, from which on a changed room gives no hope of another."""
_NO_COUNTS: Mapping[str, int] = {}
_NO_ANSWER = ("", 0)
_NONE: Set[str] = frozenset()


class ActionHistory:
    """Actions by room: those of this episode, and those of the session with an effect and without one."""

    def __init__(self) -> None:
        self._effective: dict[str, set[str]] = defaultdict(set)
        self._effective_anywhere: set[str] = set()
        self._fatal: Counter[tuple[str, str]] = Counter()
        """By room and action, the deaths that followed soon."""
        self._survived: set[tuple[str, str]] = set()
        self._ineffective: dict[str, Counter[str]] = defaultdict(Counter)
        self.begin()

    def begin(self) -> None:
        """In a new episode nothing has been done yet."""
        self.anywhere: Counter[str] = Counter()
        """How often each action was done in this episode, in whatever room."""
        self.changed_at: dict[str, int] = {}
        """By room, the step at which an action last changed something in it."""
        self.worked_at = 0
        """The step at which something last began to work, which may be felt in other rooms too."""
        self._answers: dict[tuple[str, str], tuple[str, int]] = {}
        """By room and action, the last answer, and how often in a row it has been given."""
        self._done: dict[str, Counter[str]] = defaultdict(Counter)
        self._done_at: dict[str, dict[str, int]] = defaultdict(dict)

    def note(self, room: str, action: str, step: int, result: str, *, effective: bool) -> None:
        """Count one action."""
        self._done[room][action] += 1
        self._done_at[room][action] = step
        self.anywhere[action] += 1
        last, times = self._answers.get((room, action), _NO_ANSWER)
        self._answers[room, action] = result, times + 1 if result == last else 1
        if not effective:
            self._ineffective[room][action] += 1
            return
        self.note_effect(room, action)
        kind = action_kind_of(action)
        sets_off = kind is ActionKind.PLACE and not PUT_AWAY.fullmatch(result)
        if (kind in _CHANGING or sets_off) and " " in action:
            self.changed_at[room] = step

    def note_effect(self, room: str, action: str) -> None:
        """Remember an action to be done again in a new episode."""
        self._effective[room].add(action)
        self._effective_anywhere.add(action)

    def note_death(self, step: int) -> None:
        """Forget the effects of what was followed by a death soon, each time, and twice at least."""
        for room, done_at in self._done_at.items():
            for action, at in done_at.items():
                if step - at > _SOON:
                    self._survived.add((room, action))
                else:
                    self._fatal[room, action] += 1
        for room, action in (each for each, deaths in self._fatal.items() if deaths >= _OFTEN):
            if (room, action) not in self._survived:
                self._effective[room].discard(action)
                self._effective_anywhere.discard(action)

    def done_in(self, room: str) -> Mapping[str, int]:
        """How often each action was done in a room in this episode."""
        return self._done.get(room, _NO_COUNTS)

    def done_at(self, room: str) -> Mapping[str, int]:
        """The step at which each action was last done in a room in this episode."""
        return self._done_at.get(room, _NO_COUNTS)

    def is_monotonous(self, room: str, action: str) -> bool:
        """Whether the last answers to an action in a room were one and the same."""
        return self._answers.get((room, action), _NO_ANSWER)[1] >= _MONOTONOUS

    def answer_to(self, room: str, action: str) -> str:
        """The last answer to an action in a room in this episode."""
        return self._answers.get((room, action), _NO_ANSWER)[0]

    def effective_in(self, room: str) -> Set[str]:
        """What has had an effect in a room, in any episode."""
        return self._effective.get(room, _NONE)

    def deeds_in(self, room: str) -> Set[str]:
        """What else than walking has had an effect in a room and was done there in this episode."""
        done = self.effective_in(room) & self._done.get(room, _NO_COUNTS).keys()
        return {action for action in done if direction_of(action) is None}

    def due_in(self, room: str) -> Set[str]:
        """What had an effect in a room in an earlier episode, and has not been done there in this one."""
        return self.effective_in(room) - self._done.get(room, _NO_COUNTS).keys()

    @property
    def due_anywhere(self) -> Set[str]:
        """What had an effect in an earlier episode, and has not been done in this one."""
        return self._effective_anywhere - self.anywhere.keys()

    def ineffective_in(self, room: str) -> Mapping[str, int]:
        """How often each action had no effect in a room, in all episodes."""
        return self._ineffective.get(room, _NO_COUNTS)
