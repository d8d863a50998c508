"""Where the user of the live view looks, and how fast the session goes: keys change it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from schemas.game import SessionPace

DELAYS = (0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0)
"""Seconds between two steps that `+` and `-` go through."""


class PanelKind(StrEnum):
    """What the large part of the screen shows."""

    GAME = "game"
    SERVICES = "services"
    MAP = "map and actions"


@dataclass(slots=True)
class ViewState:
    """`oldest` and `newest` are those of the session's history, and are kept up to date by the view."""

    recorded: bool = False
    """Whether the view itself goes through a record; else it follows a session that is played."""
    pace: SessionPace = field(default_factory=SessionPace)
    oldest: int = 0
    newest: int = -1
    cursor: int | None = None
    """The step that is looked at; None: the newest."""
    scroll: int = 0
    """Lines away from where the panel begins to show its text."""
    page: int = 10
    """Lines of a page, as it was drawn last."""
    panel: PanelKind = PanelKind.GAME
    quits: bool = False

    @property
    def number(self) -> int:
        """The step that is looked at."""
        return self.newest if self.cursor is None else self.cursor

    @property
    def held(self) -> bool:
        """Whether the session goes no further for now."""
        after = self.pace.hold_after
        return after is not None and after <= (self.number if self.recorded else self.newest)

    def press(self, key: str) -> SessionPace | None:
        """Do what a key says; a pace, if it changes."""
        pace = self.pace
        match key:
            case "space":
                pace = replace_hold(pace, None if pace.hold_after is not None else self._present)
            case ".":
                pace = replace_hold(pace, max(self._present, pace.hold_after or 0) + 1)
            case "+" | "=":
                pace = pace.model_copy(update={"delay": _next_delay(pace.delay, faster=True)})
            case "-":
                pace = pace.model_copy(update={"delay": _next_delay(pace.delay, faster=False)})
            case "left" | "right" | "home" | "end":
                return self._move(key)
            case "up" | "down" | "page up" | "page down":
                return self._scroll(key)
            case "tab":
                kinds = list(PanelKind)
                self.panel, self.scroll = kinds[(kinds.index(self.panel) + 1) % len(kinds)], 0
            case "q":
                self.quits = True
            case _:
                pass
        return self._paced(pace)

    def advance(self) -> None:
        """Go to the next step of a record."""
        self.look_at(self.number + 1)

    def look_at(self, number: int) -> None:
        """Look at a step; a session that is played is followed again from its newest step on."""
        number = min(max(number, self.oldest), self.newest)
        if number != self.number:
            self.scroll = 0
        self.cursor = None if number == self.newest and not self.recorded else number

    @property
    def _present(self) -> int:
        """The step after which a session is held that is paused now."""
        return max(self.number if self.recorded else self.newest, 0)

    def _move(self, key: str) -> SessionPace | None:
        if self.recorded and not self.held:
            self.pace = replace_hold(self.pace, 0)
        targets = {"left": self.number - 1, "right": self.number + 1, "home": self.oldest, "end": self.newest}
        self.look_at(targets[key])
        return None

    def _scroll(self, key: str) -> SessionPace | None:
        """What is read stays on the screen, until the user goes on."""
        if self.cursor is None and key.endswith("up"):
            self.cursor = self.number
        if self.recorded and not self.held:
            self.pace = replace_hold(self.pace, 0)
        lines = max(self.page - 1, 1) if key.startswith("page") else 1
        self.scroll += lines if key.endswith("down") else -lines
        return None

    def _paced(self, pace: SessionPace) -> SessionPace | None:
        if pace == self.pace:
            return None
        self.pace = pace
        return pace


def replace_hold(pace: SessionPace, hold_after: int | None) -> SessionPace:
    """The same pace, held after another step, or after none."""
    return pace.model_copy(update={"hold_after": hold_after})


def _next_delay(delay: float, *, faster: bool) -> float:
    if faster:
        return max((each for each in DELAYS if each < delay), default=0.0)
    return min((each for each in DELAYS if each > delay), default=DELAYS[-1])
