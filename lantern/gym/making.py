"""Makes environments, and registers their ids."""

from __future__ import annotations

import gymnasium

from lantern.evaluation.plan import Regime
from lantern.evaluation.planning.presets import preset_named
from lantern.gym.bare import BareGame
from lantern.gym.environment import StoryEnvironment, as_emulator_seed
from lantern.gym.game import GymGame
from lantern.gym.recorded import RecordedGame
from lantern.play.story_files import load_story
from mesh.errors import InputError
from mesh.settings import MeshSettings, from_environment

NAMESPACE = "Lantern"
ENTRY_POINT = "lantern_mesh.gym:story_environment"
"""A module that can be imported wherever Lantern is installed: in the processes of a vectorised one, too."""

STORIES = (
    "905 acorncourt advent adventureland afflicted anchor awaken balances ballyhoo curses cutthroat deephome "
    "detective dragon enchanter enter gold hhgg hollywood huntdark infidel inhumane jewel karn library loose "
    "lostpig ludicorp lurking moonlit murdac night omniquest partyfoul pentari planetfall plundered reverb "
    "seastalker sherbet sherlock snacktime sorcerer spellbrkr spirit temple theatre trinity tryst205 weapon "
    "wishbringer yomomma zenon zork1 zork2 zork3 ztuu"
).split()
"""The stories that Jericho knows; each has an id, and none is in this repository."""

FREE = Regime(steps=1_000, valid_actions=False)
"""The regime where none is named: all is told that costs little."""


def story_environment(
    story: str = "bundled",
    *,
    regime: str | Regime | None = None,
    recorded: bool = False,
    scene: bool = True,
    seed: int = 1,
    render_mode: str | None = None,
) -> StoryEnvironment:
    """An environment of a story: a path, a name in `LANTERN_STORIES`, or `bundled`.

    `regime`: a preset of `lantern evaluate`, or a Regime (steps, text_only, valid_actions, restore).
    `recorded`: through the mesh, each episode a session. `scene`: whether a bare game tells room and
    inventory. `seed`: of the story's chance, until `reset(seed=...)` gives another.

    Raises:
        InputError: there is no such story or regime.
    """
    chosen = _regime(regime)
    file = load_story(story)
    first = as_emulator_seed(seed)
    game: GymGame = (
        RecordedGame(story, chosen, first, from_environment(MeshSettings))
        if recorded
        else BareGame(file, chosen, first, scene=scene)
    )
    return StoryEnvironment(game, chosen.steps, render_mode)


def register_all() -> None:
    """Register `Lantern/Story-v0`, `Lantern/Kelder-v0` (the bundled one), and an id for each known story."""
    ids = {"Story": "bundled", "Kelder": "bundled", **{name.capitalize(): name for name in STORIES}}
    for name, story in ids.items():
        if (whole := f"{NAMESPACE}/{name}-v0") not in gymnasium.registry:
            gymnasium.register(id=whole, entry_point=ENTRY_POINT, kwargs={"story": story})


def _regime(given: str | Regime | None) -> Regime:
    if given is None:
        return FREE
    if not isinstance(given, str | Regime):
        raise InputError(f"A regime cannot be {given!r}. Give the name of a preset, or a Regime.")
    regime = preset_named(given).regime if isinstance(given, str) else given
    if regime.seconds is not None:
        regime = regime.model_copy(update={"seconds": None})  # the caller keeps the time
    usual = not regime.text_only if regime.valid_actions is None else regime.valid_actions
    return regime.model_copy(update={"valid_actions": usual})
