"""How a fresh child gets to where the game is: from the opening or a snapshot, by the moves made since."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from services.game.emulator.protocol import Begin, Move, ReplayMoves, RestoreSnapshot


@dataclass(slots=True)
class MoveHistory:
    """The moves since the opening or the newest snapshot."""

    snapshot_every: int
    """Moves between two snapshots, and at most in one batch."""
    base: Begin | RestoreSnapshot = field(default_factory=Begin)
    moves: list[Move] = field(default_factory=list)

    def restart(self, base: Begin | RestoreSnapshot) -> None:
        """Forget the moves: the game is now at this base."""
        self.base, self.moves = base, []

    @property
    def snapshot_is_due(self) -> bool:
        return len(self.moves) % self.snapshot_every == 0

    @property
    def fresh_snapshot(self) -> str | None:
        """The snapshot of this very moment, if one has been taken."""
        if self.moves or not isinstance(self.base, RestoreSnapshot):
            return None
        return self.base.snapshot

    def batches(self, moves: Sequence[Move] | None = None) -> Iterator[ReplayMoves]:
        """Requests that replay these moves (by default, the history's own)."""
        moves = self.moves if moves is None else moves
        for start in range(0, len(moves), self.snapshot_every):
            yield ReplayMoves(tuple(moves[start : start + self.snapshot_every]))
