"""`lantern.gym` wherever Lantern is installed: importing this puts Lantern's packages on the path."""

from lantern.gym import FourTupleEnvironment, StoryEnvironment, register_all, story_environment

__all__ = ["FourTupleEnvironment", "StoryEnvironment", "register_all", "story_environment"]
