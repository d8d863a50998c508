"""Regimes by name: those under which others have measured, and one of ours that ablates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lantern.evaluation.plan import AblatedParts, Regime
from mesh.errors import InputError
from mesh.suggestions import did_you_mean


@dataclass(frozen=True, slots=True)
class Preset:
    """A regime, and how many seeds it is played with."""

    regime: Regime
    seeds: int
    about: str
    """What is measured, and where the regime comes from."""
    ablate: AblatedParts | None = None
    """What the heuristic agents are also played without, one after the other."""


PRESETS: Mapping[str, Preset] = {
    preset.regime.name: preset
    for preset in (
        Preset(
            Regime(name="competition", steps=1000, text_only=True),
            10,
            "Text alone, 1,000 steps, 10 runs; mean share of the maximum, share of games with any score, "
            "standard deviations. Atkinson et al., The Text-Based Adventure AI Competition (2019), sections "
            "V and VI.",
        ),
        Preset(
            Regime(name="tales", steps=100, text_only=True),
            5,
            "100 steps, a game that is over is restarted within them; the highest score as a share of the "
            "maximum, five seeds. Cui et al., TALES (arXiv 2504.14128).",
        ),
        Preset(
            Regime(name="textquests", steps=500, text_only=True, restore=True),
            1,
            "500 steps, any earlier position may be restored; progress by the user's checkpoints, "
            "with and without clues, which are the user's, too. Phan et al., TextQuests (arXiv 2507.23701).",
        ),
        Preset(
            Regime(name="jttl", steps=5500, episodes=50),
            1,
            "50 episodes of one game by one agent that may learn; the area under the curve of the scores. "
            "J-TTL in He et al., EvoTest (arXiv 2510.13220): an episode has at most 110 steps there; here "
            "the 50 have 5,500 together, and each ends with the game or with the agent's `restart`.",
        ),
        Preset(
            Regime(name="search", steps=100_000, seconds=3600.0),
            1,
            "An hour or 100,000 steps, with every handicap: for agents that search by trying.",
        ),
        Preset(
            Regime(name="behaviours", steps=1000, text_only=True),
            3,
            "Text alone, 1,000 steps; the heuristic player, and it without each of its behaviours: what does "
            "each behaviour add?",
            AblatedParts.BEHAVIOURS,
        ),
    )
}


def preset_named(name: str) -> Preset:
    """The preset of a name.

    Raises:
        InputError: there is none.
    """
    if name not in PRESETS:
        near = did_you_mean(name, PRESETS)
        raise InputError(f"There is no preset {name!r}.{near} Name any of {', '.join(PRESETS)}.")
    return PRESETS[name]
