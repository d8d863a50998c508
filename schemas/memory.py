"""The questions that the memory service answers, in words or typed, and its answers."""

from __future__ import annotations

from pydantic import Field, NonNegativeInt

from schemas.base import Frozen, SessionId

NAME_LENGTH = 240
"""The most characters of a name in an answer; a longer one ends with an ellipsis."""
ANSWER_LENGTH = 12_000
"""The most characters of an answer in words."""


class MemoryQuestion(Frozen):
    """A question about the beliefs of one session's world after a step."""

    session: SessionId
    at: NonNegativeInt | None = Field(
        None, description="The step after which the question is asked. None: the last step."
    )


class AskMemory(MemoryQuestion):
    """A question about one session's world, in words: `where is the lamp`.

    Asked by: actor, lantern.
    Answered by: memory, with MemoryAnswer.
    """

    question: str


class AskWhereAmI(MemoryQuestion):
    """The question where the player is.

    Asked by: programs of users, with the login of lantern.
    Answered by: memory, with RoomAnswer.
    """


class AskInventory(MemoryQuestion):
    """The question what the player has.

    Asked by: programs of users, with the login of lantern.
    Answered by: memory, with InventoryAnswer.
    """


class AskExits(MemoryQuestion):
    """The question which exits a room has, which directions are blocked, and which were not tried.

    Asked by: programs of users, with the login of lantern.
    Answered by: memory, with ExitsAnswer.
    """

    room: str | None = Field(None, description="Its name, or its id in brackets: `[12]`. None: here.")
    only_unexplored: bool = Field(False, description="Whether the answer in words lists the unexplored only.")


class AskNearestUnexplored(MemoryQuestion):
    """The question where the nearest untried direction of any room is.

    Asked by: programs of users, with the login of lantern.
    Answered by: memory, with RouteAnswer.
    """


class AskWhereIs(MemoryQuestion):
    """The question where a thing or a character is.

    Asked by: programs of users, with the login of lantern.
    Answered by: memory, with WhereaboutsAnswer.
    """

    thing: str


class AskWhatHappened(MemoryQuestion):
    """The question what has happened with a thing, a character or a room.

    Asked by: programs of users, with the login of lantern.
    Answered by: memory, with EventsAnswer.
    """

    about: str
    topic: str | None = Field(
        None, description="Only conversations on this topic; empty: on any topic. None: all events."
    )


class AskRoute(MemoryQuestion):
    """The question which actions lead to a room, over known exits that are not known to be shut.

    Asked by: programs of users, with the login of lantern.
    Answered by: memory, with RouteAnswer.
    """

    goal: str | None = Field(description="None: here.")
    start: str | None = Field(None, description="None: here.")


class AskTried(MemoryQuestion):
    """The question what was tried in a room, and with which result.

    Asked by: programs of users, with the login of lantern.
    Answered by: memory, with TriedAnswer.
    """

    room: str | None = Field(None, description="None: here.")


class MemoryAnswer(Frozen):
    """The answer in words, with the steps that prove it."""

    answer: str
    steps: tuple[int, ...] = Field((), description="The steps that prove the answer.")
    known: bool = Field(True, description="False: the memory does not know.")
    by_text: bool = Field(
        False, description="Whether it rests on the game's text alone, and so is less certain."
    )


class NamedRoom(Frozen):
    """A room in an answer."""

    id: str
    name: str


class NamedThing(Frozen):
    """A thing in an answer."""

    id: str
    name: str


class RoomAnswer(MemoryAnswer):
    """Where the player is; no room: that is unknown."""

    room: NamedRoom | None = None


class InventoryItem(Frozen):
    """A thing that the player has."""

    thing: NamedThing
    container: NamedThing | None = Field(None, description="The thing that it is in or on.")
    since: int


class InventoryAnswer(MemoryAnswer):
    """What the player has; the newest thing stands last."""

    things: tuple[InventoryItem, ...] = ()


class KnownExit(Frozen):
    """An action that led out of a room, and the room to which it led."""

    action: str
    room: NamedRoom
    since: int
    shut_by: NamedThing | None = Field(None, description="The door that shuts it.")
    walked_back: bool = Field(
        False, description="Whether the player has walked the opposite direction, from there to here."
    )


class BlockedWay(Frozen):
    """A direction that led nowhere, and the door that shuts it, if there is one."""

    direction: str
    since: int
    shut_by: NamedThing | None = None


class RoomExits(Frozen):
    """The exits of one room."""

    room: NamedRoom
    exits: tuple[KnownExit, ...] = ()
    told: tuple[KnownExit, ...] = Field(
        (),
        description="Ways back to the room before, which the game names and nobody has walked.",
    )
    blocked: tuple[BlockedWay, ...] = ()
    unexplored: tuple[str, ...] = Field((), description="Neither walked nor blocked, the likeliest first.")
    likely: tuple[str, ...] = Field((), description="The unexplored ones that the game offers or mentions.")


class ExitsAnswer(MemoryAnswer):
    """The exits of every room of the name in the question."""

    rooms: tuple[RoomExits, ...] = ()


class RouteAnswer(MemoryAnswer):
    """The actions that lead to a room; no room: no route is known."""

    actions: tuple[str, ...] = ()
    told: tuple[str, ...] = Field(
        (), description="Those of the actions that nobody has done yet: the game names these ways."
    )
    room: NamedRoom | None = None
    unexplored: str | None = Field(None, description="The unexplored direction there.")


class ThingLocation(Frozen):
    """Where one thing is believed to be, or was last."""

    thing: NamedThing
    carried: bool = Field(False, description="Whether the player has it.")
    room: NamedRoom | None = None
    container: NamedThing | None = None
    since: int | None = Field(None, description="The step from which on it is there.")
    until: int | None = Field(None, description="The step from which on it is not there. None: it is.")
    last_seen: int | None = Field(None, description="The last step that showed it.")


class LocationAnswer(MemoryAnswer):
    """Where the things of the name in the question are."""

    things: tuple[ThingLocation, ...] = ()


class MemoryEvent(Frozen):
    """A change of beliefs by a step, or what a step says."""

    step: int
    action: str | None = None
    what: str


class EventsAnswer(MemoryAnswer):
    """What happened, oldest first; the oldest are left out where there are too many."""

    events: tuple[MemoryEvent, ...] = ()


class TriedAction(Frozen):
    """An action that was tried, and its result."""

    step: int
    room: NamedRoom
    action: str
    reward: int
    result: str


class TriedAnswer(MemoryAnswer):
    """What was tried; the newest action stands first."""

    tried: tuple[TriedAction, ...] = ()
