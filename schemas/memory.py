"""Questions that the memory service answers, and its answers: typed, and in words."""

from __future__ import annotations

from pydantic import Field, NonNegativeInt

from schemas.base import Frozen, SessionId

NAME_LENGTH = 240
"""The most characters of a name in an answer; a longer one ends with an ellipsis."""
ANSWER_LENGTH = 12_000
"""The most characters of an answer's words."""


class Asked(Frozen):
    """A question about one session's world, as it was believed to be after a step."""

    session: SessionId
    at: NonNegativeInt | None = Field(None, description="The step. None: now.")


class AskMemory(Asked):
    """A question about one session's world, in words: `where is the lamp`.

    Asked by: actor, lantern.
    Answered by: memory, with MemoryAnswer.
    """

    question: str


class AskWhereAmI(Asked):
    """The question where the player is.

    Asked by: actor, lantern.
    Answered by: memory, with RoomAnswer.
    """


class AskInventory(Asked):
    """The question what the player has.

    Asked by: actor, lantern.
    Answered by: memory, with InventoryAnswer.
    """


class AskExits(Asked):
    """The question which ways lead out of a room, which do not, and which were not tried.

    Asked by: actor, lantern.
    Answered by: memory, with ExitsAnswer.
    """

    room: str | None = Field(None, description="Its name, or its id in brackets: `[12]`. None: here.")
    only_unexplored: bool = Field(False, description="Whether the words tell of untried ways alone.")


class AskNearestUnexplored(Asked):
    """The question which untried way out of any room is nearest.

    Asked by: actor, lantern.
    Answered by: memory, with RouteAnswer.
    """


class AskWhereIs(Asked):
    """The question where a thing or a character is.

    Asked by: actor, lantern.
    Answered by: memory, with WhereaboutsAnswer.
    """

    thing: str


class AskWhatHappened(Asked):
    """The question what has happened with a thing, a character or a room.

    Asked by: actor, lantern.
    Answered by: memory, with EventsAnswer.
    """

    about: str
    topic: str | None = Field(
        None, description="Only what was said about this; empty: about anything. None: everything."
    )


class AskRoute(Asked):
    """The question which actions lead to a room, over ways that were walked and are not known to be shut.

    Asked by: actor, lantern.
    Answered by: memory, with RouteAnswer.
    """

    goal: str | None = Field(description="None: here.")
    start: str | None = Field(None, description="None: here.")


class AskTried(Asked):
    """The question what was tried in a room, and what came of it.

    Asked by: actor, lantern.
    Answered by: memory, with TriedAnswer.
    """

    room: str | None = Field(None, description="None: here.")


class MemoryAnswer(Frozen):
    """The answer in words, with the steps that told it."""

    answer: str
    steps: tuple[int, ...] = Field((), description="The reason: the steps that told. Empty: none did.")
    known: bool = Field(True, description="False: the memory has never seen that, or does not know.")
    by_text: bool = Field(False, description="Whether it rests on the game's text alone: it is less sure.")


class NamedRoom(Frozen):
    """A room in an answer."""

    id: str
    name: str


class NamedThing(Frozen):
    """A thing in an answer."""

    id: str
    name: str


class RoomAnswer(MemoryAnswer):
    """Where the player is; no room: nowhere known."""

    room: NamedRoom | None = None


class HeldThing(Frozen):
    """A thing that the player has."""

    thing: NamedThing
    container: NamedThing | None = Field(None, description="The thing that it is in or on.")
    since: int


class InventoryAnswer(MemoryAnswer):
    """What the player has, what came last at the end."""

    things: tuple[HeldThing, ...] = ()


class KnownExit(Frozen):
    """A way out of a room that was walked (or a deed that led out of it), and where it led."""

    action: str
    room: NamedRoom
    since: int
    shut_by: NamedThing | None = Field(None, description="The door that is known to shut it now.")
    back: bool = Field(False, description="Whether the opposite direction was walked back.")


class BlockedWay(Frozen):
    """A direction that was found to lead nowhere, and the shut door if that is why."""

    direction: str
    since: int
    shut_by: NamedThing | None = None


class RoomExits(Frozen):
    """The ways out of one room."""

    room: NamedRoom
    exits: tuple[KnownExit, ...] = ()
    blocked: tuple[BlockedWay, ...] = ()
    unexplored: tuple[str, ...] = Field((), description="Neither walked nor blocked, the likeliest first.")
    likely: tuple[str, ...] = Field((), description="Of these, those that the game offers or mentions.")


class ExitsAnswer(MemoryAnswer):
    """The ways out of every room of the name that was asked for."""

    rooms: tuple[RoomExits, ...] = ()


class RouteAnswer(MemoryAnswer):
    """The actions that lead to a room; no room: no way is known."""

    actions: tuple[str, ...] = ()
    room: NamedRoom | None = None
    then: str | None = Field(None, description="The untried direction there.")


class Whereabouts(Frozen):
    """Where one thing is believed to be, or was last."""

    thing: NamedThing
    held: bool = Field(False, description="Whether the player has it.")
    room: NamedRoom | None = None
    container: NamedThing | None = None
    since: int | None = Field(None, description="The step that told so.")
    until: int | None = Field(None, description="The step that found it there no longer. None: it still is.")
    seen: int | None = Field(None, description="The last step at which it was in sight: how old this is.")


class WhereaboutsAnswer(MemoryAnswer):
    """Where everything of the name that was asked for is."""

    things: tuple[Whereabouts, ...] = ()


class MemoryEvent(Frozen):
    """Something that a step changed in what is believed, or told."""

    step: int
    action: str | None = None
    what: str


class EventsAnswer(MemoryAnswer):
    """What happened, oldest first; the oldest are left out where there are too many."""

    events: tuple[MemoryEvent, ...] = ()


class TriedAction(Frozen):
    """An action, and what came of it."""

    step: int
    room: NamedRoom
    action: str
    reward: int
    result: str


class TriedAnswer(MemoryAnswer):
    """What was tried, newest first."""

    tried: tuple[TriedAction, ...] = ()
