"""The view of a session whose client asks for what it wants to see."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from lantern.views.text_view import SilentView
from schemas.base import Kind
from schemas.game import SessionPace


class QuietView(SilentView):
    """Says on standard error what keeps the session waiting, except that it waits for its client."""

    kinds: Collection[Kind] = ()

    def show_waiting(self, absent: Iterable[str]) -> None:
        """The client takes its time."""

    def show_pace(self, pace: SessionPace) -> None:
        """It knows."""

    def show_stopping(self) -> None:
        """It has asked for that."""
