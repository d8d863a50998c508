"""The Gymnasium environment: spaces, the five values of a step, `info`, save and restore."""

from __future__ import annotations

from typing import Any

import gymnasium

from lantern.gym.game import GameMoment, GymGame
from lantern.gym.spaces import action_space, observation_space, observed
from mesh.errors import InputError


class StoryEnvironment(gymnasium.Env[str, str]):
    """A text adventure. The reward of a step is what it adds to the score."""

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 (as Gymnasium declares it)

    def __init__(self, game: GymGame, steps: int, render_mode: str | None = None) -> None:
        """`steps`: the actions of an episode, after which it is truncated."""
        self.observation_space = observation_space()
        self.action_space = action_space()
        self.render_mode = render_mode
        self._game, self._steps = game, steps
        self._taken = 0
        self._last: GameMoment | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Begin an episode. `seed`: of the story's chance, too; without one, that stays as it is."""
        super().reset(seed=seed)
        self._taken = 0
        return self._told(self._game.begin(None if seed is None else as_emulator_seed(seed)))

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Play one action; text, reward, whether the game is over, whether its steps are, and `info`.

        Raises:
            gymnasium.error.ResetNeeded: the episode has not begun, or is over.
        """
        if self._last is None or self._last.done:
            raise gymnasium.error.ResetNeeded("The episode has not begun, or is over. Call reset().")
        self._taken += 1
        moment = self._game.play(str(action))
        text, info = self._told(moment)
        truncated = not moment.done and (moment.cut or self._taken >= self._steps)
        return text, moment.reward, moment.done, truncated, info

    def render(self) -> str | None:
        """The last text."""
        return observed(self._last.text) if self._last and self.render_mode == "ansi" else None

    def save(self) -> tuple[bytes, int]:
        """Where the game is now: may be pickled, and restored in any environment of the same story.

        Raises:
            InputError: the game cannot be saved.
        """
        if self._last is None:
            raise InputError("Nothing is played yet. Call reset() first.")
        return self._game.save(), self._taken

    def restore(self, saved: tuple[bytes, int]) -> tuple[str, dict[str, Any]]:
        """Go back to a saved moment; its text (empty where that is not known) and `info`.

        Raises:
            InputError: it is no moment of this story.
        """
        position, self._taken = saved
        return self._told(self._game.restore(position))

    def close(self) -> None:
        """End the game."""
        self._game.close()

    def _told(self, moment: GameMoment) -> tuple[str, dict[str, Any]]:
        self._last = moment
        text = observed(moment.text)
        lost = moment.done and not moment.victory
        return text, {"feedback": text, "won": moment.victory, "lost": lost, **moment.facts}


def as_emulator_seed(seed: int) -> int:
    """Any seed of Gymnasium's as one of the emulator's, which are 1 to 2^31 - 1: these stay what they are."""
    return (seed - 1) % (2**31 - 1) + 1
