"""What an environment needs of a game, whether it is played bare or through the mesh."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class GameMoment:
    """What has come of an action, as far as the regime tells it."""

    text: str
    reward: float = 0.0
    done: bool = False
    victory: bool = False
    facts: dict[str, Any] = field(default_factory=dict)
    """The values of `info` that are known: score, max_score, moves, room, inventory, admissible_commands."""
    cut: bool = False
    """Whether the game takes no more actions although it is not over."""


class GymGame(Protocol):
    """One story in one regime, episode after episode."""

    def begin(self, seed: int | None) -> GameMoment:
        """Begin an episode; `seed` of the story's chance, None: the same as before."""
        ...

    def play(self, action: str) -> GameMoment:
        """Play an action, whatever its text."""
        ...

    def save(self) -> bytes:
        """Where the game is now, to be given to `restore`."""
        ...

    def restore(self, saved: bytes) -> GameMoment:
        """Go back to where the game was."""
        ...

    def close(self) -> None:
        """Release everything. May be called twice."""
        ...
