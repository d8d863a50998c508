"""Commands that came to nothing, and commands that killed."""

from __future__ import annotations

from collections import Counter, defaultdict, deque

BLAMED = 5
"""How many of the last commands a death is blamed on (Golovin, handling of a death)."""


class Blacklist:
    """By place, what is not to be tried again: until `forgive`, if it failed; for ever, if it killed.

    A death is blamed on the last five commands. The command that stands n places before the last one counts
    as deadly from the (n + 1)th such death on, so the last one does at once.
    """

    def __init__(self) -> None:
        self._failed: dict[str, set[str]] = defaultdict(set)
        self._deadly: dict[str, set[str]] = defaultdict(set)
        self._recent: deque[tuple[str, str]] = deque(maxlen=BLAMED)
        self._blame: Counter[tuple[str, str, int]] = Counter()

    def bans(self, place: str, command: str) -> bool:
        """Whether a command is not to be tried in a place."""
        return command in self._failed.get(place, ()) or command in self._deadly.get(place, ())

    def note(self, place: str, command: str, *, failed: bool) -> None:
        """Remember a command that was executed in a place."""
        self._recent.append((place, command))
        if failed:
            self._failed[place].add(command)

    def died(self) -> None:
        """The commands so far have ended the game."""
        for before, (place, command) in enumerate(reversed(self._recent)):
            self._blame[place, command, before] += 1
            if self._blame[place, command, before] > before:
                self._deadly[place].add(command)
        self._recent.clear()

    def forgive(self) -> None:
        """What failed may be tried again; what killed may not."""
        self._failed.clear()
