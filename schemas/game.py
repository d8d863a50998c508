"""The messages of the game service."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field, NonNegativeInt, PositiveInt

from schemas.base import Action, Frozen, Kind, Message, Name, SessionId
from schemas.language_model import ModelBudget
from schemas.sources import Source, TextKind

REFLACT = "reflact"
"""The policy that asks a language model; in its sessions the sub-agents may ask one too."""


class Room(Frozen):
    """A place in the game's world. Two rooms of one name have two ids."""

    id: str = Field(description="Stable within a story; `name:` and the name if only the name is known.")
    name: str


class Thing(Frozen):
    """An object that the player holds or sees."""

    id: int = Field(description="The object's number in the Z-machine's object table.")
    name: str
    container: int | None = Field(None, description="The visible object that this one is in or on.")


class ValidActions(Frozen):
    """Actions that change the world here, as the search has found; best first."""

    actions: tuple[str, ...] = ()
    complete: bool = Field(False, description="Whether every candidate was tried.")
    tried: NonNegativeInt = Field(0, description="The number of candidates tried in this state so far.")


class Handicap(StrEnum):
    """Help beyond the text that a player reads."""

    VALID_ACTIONS = "valid_actions"
    OBJECT_TREE = "object_tree"
    WORLD_HASH = "world_hash"
    SCORE = "score"


class Sources(Frozen):
    """The source of each value of a step; `unknown` if there is no value."""

    room: Source = Source.UNKNOWN
    inventory: Source = Source.UNKNOWN
    objects: Source = Source.UNKNOWN
    score: Source = Source.UNKNOWN
    max_score: Source = Source.UNKNOWN
    moves: Source = Source.UNKNOWN
    done: Source = Source.UNKNOWN
    victory: Source = Source.UNKNOWN


class Ancestor(Frozen):
    """A session of which this one is a fork."""

    session: SessionId
    step: NonNegativeInt = Field(
        description="Steps up to this one were taken in that session, and have its digests."
    )


class SessionStarted(Message):
    """A session has been started, or is resumed at a step; the newest message of a session counts.

    Published by: game, once for a session and once for each resume; lantern, once for a fork.
    Consumed by: actor, critic, hint, lantern, memory, narrator, npc_tracker, game.
    """

    kind: ClassVar[Kind] = Kind.STARTED
    version: ClassVar[str] = "1.3"

    game: str = Field(description="The story's file name without its suffix.")
    story_md5: Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
    story_suffix: Annotated[str, Field(pattern=r"^\.z[1-8]$")]
    policy: Name
    seed: PositiveInt = Field(
        description="The seed of the emulator, and of the policies unless `policy_seed` is set."
    )
    policy_seed: PositiveInt | None = Field(
        None, description="The seed of the policies, in a fork with another seed than its parent's."
    )
    steps: PositiveInt = Field(description="The step budget: the session ends after this many actions.")
    max_score: int | None = Field(None, description="None: unknown.")
    max_score_source: Source = Source.UNKNOWN
    handicaps: tuple[Handicap, ...] = ()
    valid_actions: bool = Field(True, description="Whether the game service looks for valid actions.")
    resumed: bool = Field(
        False, description="Whether the session continues from `step`, which was taken before."
    )
    text_only: bool = Field(
        False, description="Whether the steps have only the text; `max_score` then comes with the end."
    )
    ancestors: tuple[Ancestor, ...] = Field((), description="A fork's ancestors, its parent last.")
    budget: ModelBudget | None = Field(None, description="For language models. None: no limit.")

    @property
    def asks_models(self) -> bool:
        """Whether services ask language models in this session; otherwise they only use rules."""
        return self.policy == REFLACT

    def taken_in(self, session: str, step: int) -> str:
        """The session in which a step was taken: `session` itself, or one of its ancestors."""
        return next((each.session for each in self.ancestors if step <= each.step), session)


class StepTaken(Message):
    """The game has executed one action.

    In a text-only session only `action`, `observation`, `done`, `episode`, and a `victory` that the text
    announces are set; every other field has its default, which then means "unknown".

    Published by: game, once for each step of a session.
    Consumed by: actor, critic, hint, lantern, memory, narrator, npc_tracker.
    """

    kind: ClassVar[Kind] = Kind.STEP
    version: ClassVar[str] = "1.1"

    action: str | None = Field(description="None: the opening text, step 0.")
    observation: str
    room: Room | None = Field(None, description="None: unknown.")
    inventory: tuple[Thing, ...] | None = Field(None, description="None: unknown.")
    objects: tuple[Thing, ...] | None = Field(None, description="Visible here, not carried. None: unknown.")
    score: int | None = Field(None, description="None: unknown.")
    reward: int = Field(0, description="Points gained or lost by this step.")
    moves: int | None = Field(None, description="The game's own count of its turns. None: unknown.")
    world: str = Field(
        "", description="Hash of the object tree: equal worlds have equal hashes. Empty: unknown."
    )
    world_seen: NonNegativeInt = Field(0, description="How often this hash was seen before in this session.")
    changed: bool = Field(True, description="Whether the action changed the world.")
    valid_actions: ValidActions | None = Field(None, description="None: they were not searched.")
    done: bool = Field(False, description="The game is over; the next action can only be `restart`.")
    victory: bool = False
    text_kind: TextKind = Field(TextKind.STORY, description="What the observation is.")
    sources: Sources = Sources()
    episode: PositiveInt = 1
    digest: str = Field(
        "", description="Digest of session, number, world and text; playing the step again must give it."
    )


class EndReason(StrEnum):
    """Why a session ended."""

    BUDGET = "budget"
    STOPPED = "stopped"
    FAILED = "failed"


class SessionEnded(Message):
    """No more steps follow (unless the session is resumed).

    Published by: game, with the number of the last step.
    Consumed by: actor, critic, hint, lantern, memory, narrator, npc_tracker, game.
    """

    kind: ClassVar[Kind] = Kind.ENDED
    version: ClassVar[str] = "1.0"

    reason: EndReason
    detail: str = ""
    score: int | None = Field(None, description="At the last step. None: unknown.")
    best_score: int | None = Field(None, description="Of all episodes. None: unknown.")
    max_score: int | None = Field(None, description="None: unknown.")
    victories: NonNegativeInt = Field(0, description="Episodes known to be won.")


class StartSession(Frozen):
    """A request to start a session; the story store has the story's bytes under their MD5.

    Asked by: lantern.
    Answered by: game, with SessionAnswer.
    """

    session: str
    game: str
    story_md5: Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
    policy: Name
    seed: PositiveInt
    steps: PositiveInt
    valid_actions: bool = True
    text_only: bool = Field(False, description="True: no handicap, whatever `valid_actions` says.")
    budget: ModelBudget | None = Field(None, description="For language models. None: no limit.")


class ResumeSession(Frozen):
    """A request to resume a session from its last recorded step.

    Asked by: lantern.
    Answered by: game, with SessionAnswer.
    """

    session: str
    steps: PositiveInt | None = Field(None, description="Further actions. None: the rest of the budget.")
    budget: ModelBudget | None = Field(
        None, description="For language models, for the whole session. None: unchanged."
    )


class StopSession(Frozen):
    """A request to end a session after the current step.

    Asked by: lantern.
    Answered by: game, with SessionAnswer.
    """

    session: str


class SessionAnswer(Frozen):
    """The answer to a request: done, or refused, with one line that says what, why and what to do."""

    ok: bool
    refusal: str = ""


RESTART: Action = "restart"
"""The only action of a game that is over; the game service executes it itself."""
