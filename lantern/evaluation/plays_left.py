"""The plays of a run that have no result yet, and which of them wait for another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lantern.evaluation.plan import PlannedPlay
from lantern.evaluation.playing import failed_result
from lantern.evaluation.results import PlayResult, PlayState


class PlaysLeft:
    """An agent with experience plays a story with one seed after the other, whoever works on the run."""

    def __init__(self, plays: Iterable[PlannedPlay]) -> None:
        self.by_key = {play.key: play for play in plays}
        self._next = {play.before.key: play for play in self.by_key.values() if play.before is not None}
        """By the play that has to end first."""

    def ready(self) -> Iterator[PlannedPlay]:
        """The plays that wait for no other."""
        waiting = {play.key for before, play in self._next.items() if before in self.by_key}
        return (play for key, play in self.by_key.items() if key not in waiting)

    def remove(self, key: str) -> bool:
        """A play has ended; False: it was not left."""
        return self.by_key.pop(key, None) is not None

    def released_by(self, result: PlayResult) -> PlannedPlay | None:
        """The play that may begin after one that has finished."""
        return self._next.get(result.play) if result.state is PlayState.FINISHED else None

    def lost_with(self, result: PlayResult) -> Iterator[PlayResult]:
        """After a play that has failed, the plays that would know of it fail, too; they are removed."""
        play = self._next.get(result.play) if result.state is PlayState.FAILED else None
        while play is not None and self.remove(play.key):
            yield failed_result(play, f"{result.session} failed, of which it would have the experience.")
            play = self._next.get(play.key)
