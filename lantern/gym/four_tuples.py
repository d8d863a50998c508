"""TextWorld's conventions for those who have agents for them: a step gives four values."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

import gymnasium


class FourTupleEnvironment:
    """`reset` gives (text, infos), `step` gives (text, score, done, infos), with TextWorld's names.

    The score is the sum so far, not what the step has added. `infos` has `feedback`, `score`, `max_score`,
    `moves`, `won`, `lost`, `inventory` (a text), `location`, `admissible_commands` and `last_action`; what is
    unknown is None.
    """

    def __init__(self, environment: gymnasium.Env[str, str]) -> None:
        self.environment = environment
        self._seed: int | None = None
        self._score = 0.0

    def seed(self, seed: int | None = None) -> list[int | None]:
        """The seed of the next reset."""
        self._seed = seed
        return [seed]

    def reset(self) -> tuple[str, dict[str, Any]]:
        """Begin an episode."""
        text, info = self.environment.reset(seed=self._seed)
        self._seed = None
        self._score = float(info.get("score", 0))
        return text, _infos(info, self._score, None)

    def step(self, command: str) -> tuple[str, float, bool, dict[str, Any]]:
        """Play a command."""
        text, reward, terminated, truncated, info = self.environment.step(command)
        self._score += float(reward)
        return text, self._score, terminated or truncated, _infos(info, self._score, command)

    def render(self, mode: str = "ansi") -> Any:
        """The last text."""
        return self.environment.render()

    def close(self) -> None:
        """End the game."""
        self.environment.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _infos(info: dict[str, Any], score: float, command: str | None) -> dict[str, Any]:
    held = info.get("inventory")
    return {
        "feedback": info["feedback"],
        "score": info.get("score", score),
        "max_score": info.get("max_score"),
        "moves": info.get("moves"),
        "won": info["won"],
        "lost": info["lost"],
        "inventory": None if held is None else ", ".join(held) or "nothing",
        "location": info.get("room"),
        "admissible_commands": info.get("admissible_commands"),
        "last_action": command,
    }
