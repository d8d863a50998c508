"""What the tools answer. Each class becomes the tool's output schema."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from schemas.base import Frozen
from schemas.memory import NamedRoom


class CriticOpinion(Frozen):
    """What the critic's rules said of an action before it was played."""

    score: float = Field(description="From -1 (a waste) to 1 (it changes the world).")
    reason: str
    instead: str | None = Field(None, description="The action that the critic would rather have played.")


class Hint(Frozen):
    """What a sub-agent says after a step."""

    service: str
    text: str = ""
    suggestions: tuple[str, ...] = ()


class PlayedStep(Frozen):
    """A step of the game, and what the services say about it."""

    session: str
    step: int
    steps_left: int
    action: str | None = Field(description="What was played. None: nothing yet, this is the opening.")
    substituted: bool = Field(False, description="Whether the critic had another action played than yours.")
    observation: str
    opening: str | None = Field(None, description="The text before your action, if it began the game.")
    room: NamedRoom | None
    score: int | None
    max_score: int | None
    reward: int
    moves: int | None
    done: bool = Field(description="The game is over; `restart` begins it anew.")
    victory: bool
    episode: int
    valid_actions: tuple[str, ...] | None = Field(description="None: not looked for.")
    critic: CriticOpinion | None = None
    hints: tuple[Hint, ...] = ()
    notices: tuple[str, ...] = Field((), description="Signs of being stuck, the most pressing first.")
    ended: str | None = Field(None, description="Why the session takes no more actions. None: it does.")


class TriedHere(Frozen):
    """An action that was tried in the room, and what came of it."""

    step: int
    action: str
    reward: int
    score_before: int | None
    score_after: int | None
    gained: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    result: str


class RoomOnMap(Frozen):
    """A room that was visited."""

    room: NamedRoom
    exits: dict[str, str] = Field(description="By action, the room that it led to.")
    blocked: tuple[str, ...] = ()
    unexplored: tuple[str, ...] = ()


class RoomState(Frozen):
    """The room where the player is: what is there, what was tried, and what is believed of the world."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)

    session: str
    step: int
    room: NamedRoom | None
    score: int | None
    history: tuple[TriedHere, ...] = Field(description="The last 40 actions in this room, newest first.")
    all_tried: dict[str, int] = Field(
        alias="ALL_TRIED", description="Every action ever tried in this room, with how often."
    )
    valid_actions: tuple[str, ...] | None = Field(description="None: not looked for.")
    things: tuple[str, ...] | None = Field(description="Visible here. None: unknown.")
    inventory: tuple[str, ...] | None = Field(description="None: unknown.")
    map: tuple[RoomOnMap, ...] = Field(description="The nearest rooms, this one first.")
    beliefs: str = Field(description="What the memory believes of places, things and doors.")
    state_revisit_count: int | None = Field(
        alias="STATE_REVISIT_COUNT",
        description="How often this very state of the world was seen before. None: unknown.",
    )


class MemoryContext(Frozen):
    """What the memory tells an actor at a step."""

    session: str
    step: int
    sections: dict[str, str]


class Found(Frozen):
    """The memory's answer to a question."""

    answer: str
    known: bool
    steps: tuple[int, ...] = Field((), description="The steps that prove it.")
    by_text: bool = Field(False, description="It rests on the game's text alone.")


class WayThere(Frozen):
    """How to get to a room."""

    answer: str
    known: bool
    actions: tuple[str, ...] = ()
    room: NamedRoom | None = None
    unexplored: str | None = Field(None, description="The direction there that was not tried yet.")


class RecordedSession(Frozen):
    """A session in the list."""

    session: str
    story: str | None
    policy: str | None
    steps: int
    score: int | None
    best_score: int | None
    max_score: int | None
    state: str
    date: str
    parent: str | None = Field(description="The session and step of which it is a fork. None: of none.")
    playable: bool = Field(description="Whether `play_action` plays it at this server now.")


class RecordedSessions(Frozen):
    """The sessions, the newest first."""

    sessions: tuple[RecordedSession, ...]
    left_out: int = Field(0, description="Older ones that are not listed.")


class Utterance(Frozen):
    """What somebody said at a step."""

    who: str
    text: str


class ReplayedMoment(Frozen):
    """Everything that is recorded about one step."""

    session: str
    step: int
    last_step: int
    heading: str
    said: tuple[Utterance, ...]


class ForkedSession(Frozen):
    """A new session with the past of another."""

    session: str
    parent: str
    at: int
    next: str
