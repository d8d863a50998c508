"""Lantern's stories as Gymnasium environments; importing this registers them.

import gymnasium
import lantern.gym

env = gymnasium.make("Lantern/Story-v0", story="zork1.z5")
"""

try:
    import gymnasium as _gymnasium  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"lantern.gym needs the extra 'gym': {error.name} is not installed. "
        "Run `pip install 'lantern-mesh[gym]'`; in a clone, `make install`.",
        name=error.name,
    ) from None

from lantern.gym.environment import StoryEnvironment
from lantern.gym.four_tuples import FourTupleEnvironment
from lantern.gym.making import register_all, story_environment

__all__ = ["FourTupleEnvironment", "StoryEnvironment", "register_all", "story_environment"]

register_all()
