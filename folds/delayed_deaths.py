"""What leads to a death some steps later, whatever is done in between: an alarm, a poison, a trap."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import chain

from folds.vocabulary.verbs import ActionKind, action_kind_of

Deed = tuple[str, str]
"""A room, and an action in it."""

_SOON, _OFTEN = 15, 3
"""Steps within which a death may come of a deed, and different last deeds before deaths that show it."""
_LOOKS = 2
"""So many different looks with which a death came in the same words tell of a clock, or of hunger."""
_END = re.compile(r"\*{2,}")
"""Before what a story prints in the same words below each of its deaths."""
_TELLING = 100
"""Characters at the end of a text that tell of what one died."""


class DelayedDeaths:
    """Deeds after which a death came soon, each time, in the same words and after other last deeds; and
    deaths that the passing time has brought."""

    def __init__(self) -> None:
        self._followed_by: dict[tuple[Deed, str], set[Deed]] = defaultdict(set)
        """By deed and by what was told of the deaths after it: the last deeds before them."""
        self._deaths_by: Counter[Deed] = Counter()
        """By the last deed before them."""
        self._survived: set[Deed] = set()
        self._done_without: set[Deed] = set()
        """Deeds without which the player has lived for longer."""
        self._begun_at = 0
        self._done_at: dict[Deed, int] = {}
        """In this episode, for the first time."""
        self._told_after: dict[Deed, str] = {}
        """By the last deed before a death, what was told of it."""
        self._looks: dict[str, set[Deed]] = defaultdict(set)
        """By what was told, the looks with which such deaths came: nobody dies of a look."""
        self._suspects: set[Deed] = set()
        self._innocent: set[Deed] = set()

    def begin(self, step: int) -> None:
        """In a new episode, which begins at this step, nothing has been done yet."""
        for deed in {deed for deed, _ in self._followed_by} - self._done_without:
            if self._done_at.get(deed, step) - self._begun_at > _SOON:
                self._done_without.add(deed)
        self._judge(step)
        self._done_at.clear()
        self._begun_at = step

    def note(self, deed: Deed, step: int) -> None:
        """Remember what had an effect."""
        self._done_at.setdefault(deed, step)

    def note_death(self, last: Deed, step: int, text: str) -> None:
        """Remember a death: the deed that ended the episode, and what was told then."""
        told = _told_in(text)
        self._deaths_by[last] += 1
        self._told_after[last] = told
        if told and action_kind_of(last[1]) in (ActionKind.EXAMINE, ActionKind.READ):
            self._looks[told].add(last)
        for deed in self._done_at.keys() - {last}:
            self._followed_by[deed, told].add(last)
        self._judge(step)

    def deaths_by(self, last: Deed) -> int:
        """How many deaths came with a deed."""
        return self._deaths_by[last]

    def is_cause(self, deed: Deed) -> bool:
        """Whether a deed seems to lead to a death, and the player has lived for longer without it."""
        return deed in self._suspects and deed in self._done_without

    @property
    def by_the_clock(self) -> bool:
        """Whether the time that passes, or hunger, has killed."""
        return any(map(self._tells_of_a_clock, self._looks))

    def is_innocent(self, last: Deed) -> bool:
        """Whether the only death that came with a deed seems to come of another one before it, or all come of
        the time that has passed."""
        is_late = self._tells_of_a_clock(self._told_after.get(last, ""))
        return is_late or (last in self._innocent and self._deaths_by[last] == 1)

    def _tells_of_a_clock(self, told: str) -> bool:
        return len(self._looks.get(told, ())) >= _LOOKS

    def _judge(self, step: int) -> None:
        self._survived.update(deed for deed, at in self._done_at.items() if step - at > _SOON)
        proved = [
            (deed, last)
            for (deed, _), last in self._followed_by.items()
            if deed not in self._survived and len(last) >= _OFTEN
        ]
        self._suspects = {deed for deed, _ in proved}
        self._innocent = set(chain.from_iterable(last for _, last in proved))


def _told_in(text: str) -> str:
    """The end of what a text tells before the game announces that it is over."""
    return " ".join(_END.split(text, maxsplit=1)[0].split())[-_TELLING:]
