"""What is known of a story from earlier sessions, and the requests about it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, NonNegativeInt, PositiveInt, StringConstraints

from schemas.base import Action, Frozen

MOST_ROOMS = 300
MOST_IN_A_ROOM = 40
"""Of each kind: exits, rewards, deaths."""
MOST_STAGES = 300
MOST_BYTES = 40_000
"""Of an experience as JSON: it travels in messages."""

EARLIER = "in an earlier session: "
"""Before what an earlier session has taught, where it is told."""
MOST_REFLECTIONS = 3
"""The newest failures of which a sentence is kept (MC-DML, section 3.3: k = 3)."""
REFLECTION_LENGTH = 240

Reflection = Annotated[str, StringConstraints(min_length=1, max_length=REFLECTION_LENGTH)]
RoomId = Annotated[str, StringConstraints(min_length=1, max_length=120)]
RoomName = Annotated[str, StringConstraints(max_length=60)]
StoryMd5 = Annotated[str, Field(pattern="^[0-9a-f]{32}$")]


class StoryDeath(Frozen):
    """An action that has ended the game in a room without winning it."""

    action: Action
    times: PositiveInt = Field(1, description="How often, in all sessions.")
    dark: bool = Field(False, description="Whether it was dark there: then the darkness may have killed.")


class StoryRoom(Frozen):
    """A room of a story, as it was found in earlier sessions."""

    id: RoomId
    name: RoomName = ""
    exits: tuple[tuple[Action, RoomId], ...] = Field(
        (), max_length=MOST_IN_A_ROOM, description="Actions that led to another room, and to which."
    )
    earned: tuple[tuple[Action, PositiveInt], ...] = Field(
        (), max_length=MOST_IN_A_ROOM, description="Actions, and the most points that each brought."
    )
    deadly: tuple[StoryDeath, ...] = Field((), max_length=MOST_IN_A_ROOM)


class RouteStage(Frozen):
    """An action of the best list of actions, where it was done and where it led."""

    action: Action
    room: RoomId
    arrives: RoomId


class StoryExperience(Frozen):
    """What earlier sessions of a story have found out: what earned, what killed, the map, the best actions.

    Text-only sessions and others know rooms by different ids, so each kind has an experience of its own.
    """

    sessions: NonNegativeInt = 0
    best_session: str = Field("", description="The session that earned most in one episode.")
    best_points: NonNegativeInt = Field(0, description="The points that it earned in that episode.")
    best_score: int | None = Field(None, description="The best score of any session. None: unknown.")
    best_route: tuple[RouteStage, ...] = Field(
        (), max_length=MOST_STAGES, description="What it did to earn them, without what came to nothing."
    )
    rooms: tuple[StoryRoom, ...] = Field((), max_length=MOST_ROOMS)
    reflections: tuple[Reflection, ...] = Field(
        (), max_length=MOST_REFLECTIONS, description="What the last failures taught, in a sentence each."
    )
    cut: bool = Field(False, description="Whether more is known than fits into a message.")

    @property
    def deaths(self) -> int:
        """How often the player has died, in all sessions."""
        return sum(death.times for room in self.rooms for death in room.deadly)


class AskExperience(Frozen):
    """The question what earlier sessions of a story have found out.

    Asked by: lantern.
    Answered by: memory, with ExperienceAnswer.
    """

    story_md5: StoryMd5
    text_only: bool = Field(False, description="Whether it is asked for a text-only session.")


class ExperienceAnswer(Frozen):
    """What earlier sessions have found out; of a story that none has played, nothing."""

    experience: StoryExperience = StoryExperience()
    fault: str = Field("", description="One line: why what was known is lost or cannot be read.")


class ForgetExperience(Frozen):
    """A request to forget what earlier sessions of a story have found out, text-only ones too.

    Asked by: lantern.
    Answered by: memory, with ExperienceForgotten.
    """

    story_md5: StoryMd5


class ExperienceForgotten(Frozen):
    """What was forgotten, or why nothing was."""

    sessions: NonNegativeInt = Field(0, description="The sessions that had taught it.")
    files: tuple[str, ...] = Field((), description="The files that were deleted.")
    fault: str = Field("", description="One line: why nothing was deleted.")
