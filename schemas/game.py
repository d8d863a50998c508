"""The messages of the game service."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt, StringConstraints

from schemas.base import Action, Frozen, Kind, Message, Name, PolicyId, SessionId
from schemas.experience import StoryExperience
from schemas.language_model import ModelBudget, ModelOptions
from schemas.sources import Source, TextKind

REFLACT = "reflact"
"""The policy that asks a language model; in its sessions the sub-agents may ask one too."""

HUMAN = "human"
"""The policy of a person who types the actions; also the policy of each proposal that a person has typed."""


GOAL_LENGTH = 300
Goal = Annotated[str, StringConstraints(max_length=GOAL_LENGTH, pattern=r"^[^\x00-\x1f\x7f]*$")]
"""A goal in one line."""


class Room(Frozen):
    """A place in the game's world. Two rooms of one name have two ids."""

    id: str = Field(description="Stable within a story; `name:` and the name if only the name is known.")
    name: str


class Thing(Frozen):
    """An object that the player holds or sees."""

    id: int = Field(description="The object's number in the Z-machine's object table.")
    name: str
    container: int | None = Field(None, description="The visible object that this one is in or on.")
    words: tuple[str, ...] = Field(
        (),
        description="Other words that the story's parser takes for it, cut to 6 or 9 letters.",
    )


class ValidActions(Frozen):
    """Actions that change the world here, as the search has found; best first."""

    actions: tuple[str, ...] = ()
    complete: bool = Field(False, description="Whether every candidate was tried.")
    tried: NonNegativeInt = Field(0, description="The number of candidates tried in this state so far.")
    cut: bool = Field(
        False,
        description="Whether the clock or a failure ended this search, not its number of candidates: "
        "another machine may find more.",
    )


class Handicap(StrEnum):
    """Help beyond the text that a player reads."""

    VALID_ACTIONS = "valid_actions"
    OBJECT_TREE = "object_tree"
    WORLD_HASH = "world_hash"
    SCORE = "score"
    RESTORE = "restore"
    EXPERIENCE = "experience"
    LOOKAHEAD = "lookahead"
    """Actions tried in an emulator beside the game, before the session or while it is played."""
    STATUS_LINE = "status_line"
    """What a human reads in the line above the text, in a session that otherwise has the text alone."""


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


class SearchedActions(Frozen):
    """What a search before the session has found; the policy `search` plays the actions in their order."""

    method: Name
    seed: NonNegativeInt = Field(description="Of the search's chance.")
    probes: NonNegativeInt = Field(description="Actions that the search has executed in its own emulators.")
    actions: tuple[Action, ...]


class Deadlines(Frozen):
    """The seconds that a session's services wait, as its user has set them. None: as each service is set."""

    fragments: PositiveFloat | None = Field(None, description="A step, for the fragments.")
    thinking: PositiveFloat | None = Field(None, description="A step, for the model's decision.")
    verdict: PositiveFloat | None = Field(None, description="A proposal, for its verdict.")
    model_fragment: PositiveFloat | None = Field(None, description="A fragment, for a model's reply.")
    model_background: PositiveFloat | None = Field(None, description="A call that delays no step.")


MOST_SCORE_CHANGES = 10_000
"""Changes of the score that the end of a session tells: its message must not get too large."""


class SessionStarted(Message):
    """A session has been started, or is resumed at a step; the newest message of a session counts.

    Published by: game, once for a session and once for each resume; lantern, once for a fork.
    Consumed by: actor, critic, hint, lantern, memory, narrator, npc_tracker, planner, game.
    """

    kind: ClassVar[Kind] = Kind.STARTED
    version: ClassVar[str] = "1.9"

    game: str = Field(description="The story's file name without its suffix.")
    story_md5: Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
    story_suffix: Annotated[str, Field(pattern=r"^\.z[1-8]$")]
    policy: PolicyId
    seed: NonNegativeInt = Field(
        description="The seed of the emulator, and of the policies unless `policy_seed` is set. 0: the one "
        "that published scores of many stories rest on."
    )
    policy_seed: PositiveInt | None = Field(
        None, description="The seed of the policies, if it is another than the emulator's."
    )
    steps: PositiveInt = Field(description="The step budget: the session ends after this many actions.")
    episodes: PositiveInt | None = Field(
        None, description="The session ends with this episode, if it comes first. None: no limit."
    )
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
    status_line: bool = Field(
        False, description="Whether the steps of a text-only session also have what the status line shows."
    )
    ancestors: tuple[Ancestor, ...] = Field((), description="A fork's ancestors, its parent last.")
    budget: ModelBudget | None = Field(None, description="For language models. None: no limit.")
    model: ModelOptions | None = Field(
        None, description="None: it asks none, or each service asks the one that it is set to."
    )
    deadlines: Deadlines = Deadlines()
    without: tuple[Name, ...] = Field(
        (), description="Services that do not answer in this session, and are not waited for."
    )
    without_behaviours: tuple[Name, ...] = Field(
        (), description="Behaviours of the heuristic player that are switched off."
    )
    restore: bool = Field(
        False,
        description="Whether `restore` and `restore N` (the position after step N) lead back at any time, "
        "also from a game that is over.",
    )
    goal: Goal = Field("", description="What the user wants the player to do above all. Empty: nothing.")
    agent: str = Field(
        "", description="The agent from outside that decides: a command or `path.py:Class`. Empty: none does."
    )
    experience: StoryExperience | None = Field(
        None,
        description="What earlier sessions of the story have taught; this one adds to it. None: it is played "
        "without experience.",
    )
    searched: SearchedActions | None = Field(
        None, description="What a search before the session has found. None: none was made."
    )

    @property
    def allows_lookahead(self) -> bool:
        """Whether actions may be tried in an emulator beside the game."""
        return Handicap.LOOKAHEAD in self.handicaps

    @property
    def asks_models(self) -> bool:
        """Whether services ask language models in this session; otherwise they only use rules."""
        return self.policy == REFLACT

    def ends_with(self, step: StepTaken) -> bool:
        """Whether a step is the last: the budget of steps, or of episodes, is used up with it."""
        is_last_episode = self.episodes is not None and step.episode >= self.episodes
        return step.step >= self.steps or (step.done and is_last_episode)

    def taken_in(self, session: str, step: int) -> str:
        """The session in which a step was taken: `session` itself, or one of its ancestors."""
        return next((each.session for each in self.ancestors if step <= each.step), session)


class StepTaken(Message):
    """The game has executed one action.

    In a text-only session only `action`, `observation`, `done`, `episode`, and a `victory` that the text
    announces are set; every other field has its default, which then means "unknown". With the status line,
    also the room's name, score, moves and reward that it shows.

    Published by: game, once for each step of a session.
    Consumed by: actor, critic, hint, lantern, memory, narrator, npc_tracker, planner.
    """

    kind: ClassVar[Kind] = Kind.STEP
    version: ClassVar[str] = "1.1"

    action: str | None = Field(description="None: the opening text, step 0.")
    observation: str
    room: Room | None = Field(None, description="None: unknown.")
    inventory: tuple[Thing, ...] | None = Field(None, description="None: unknown.")
    objects: tuple[Thing, ...] | None = Field(None, description="Visible here, not carried. None: unknown.")
    score: int | None = Field(None, description="None: unknown.")
    reward: int = Field(
        0, description="Points gained or lost by this step; 0 if it went back to an earlier position."
    )
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
    DELETED = "deleted"
    QUIT = "quit"
    """Its agent, one from outside, has quit."""


class SessionEnded(Message):
    """No more steps follow (unless the session is resumed).

    Published by: game, with the number of the last step.
    Consumed by: actor, critic, hint, lantern, memory, narrator, npc_tracker, planner, game.
    """

    kind: ClassVar[Kind] = Kind.ENDED
    version: ClassVar[str] = "1.1"

    reason: EndReason
    detail: str = ""
    score: int | None = Field(None, description="At the last step. None: unknown.")
    best_score: int | None = Field(None, description="Of all episodes. None: unknown.")
    max_score: int | None = Field(None, description="None: unknown.")
    victories: NonNegativeInt = Field(0, description="Episodes known to be won.")
    score_changes: tuple[tuple[NonNegativeInt, int], ...] = Field(
        (),
        max_length=MOST_SCORE_CHANGES,
        description="The steps at which the score was another than before, with the score; at step 0, the "
        f"opening's. Only the first {MOST_SCORE_CHANGES:,}.",
    )


class StartSession(Frozen):
    """A request to start a session; the story store has the story's bytes under their MD5.

    Asked by: lantern.
    Answered by: game, with SessionAnswer.
    """

    session: str
    game: str
    story_md5: Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
    policy: PolicyId
    seed: NonNegativeInt
    policy_seed: PositiveInt | None = Field(
        None, description="The seed of the policies, if it is another than the emulator's."
    )
    steps: PositiveInt
    episodes: PositiveInt | None = Field(
        None, description="The session ends with this episode, if it comes first. None: no limit."
    )
    valid_actions: bool = True
    text_only: bool = Field(False, description="True: no handicap, whatever `valid_actions` says.")
    status_line: bool = Field(False, description="In a text-only session: with what the status line shows.")
    budget: ModelBudget | None = Field(None, description="For language models. None: no limit.")
    model: ModelOptions | None = None
    deadlines: Deadlines = Deadlines()
    without: tuple[Name, ...] = ()
    without_behaviours: tuple[Name, ...] = ()
    restore: bool = False
    goal: Goal = ""
    lookahead: bool = False
    agent: str = ""
    experience: StoryExperience | None = Field(None, description="What the memory knows of the story.")
    searched: SearchedActions | None = None


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
    model: ModelOptions | None = Field(None, description="None: unchanged.")
    deadlines: Deadlines = Field(Deadlines(), description="Those that are None are unchanged.")
    without: tuple[Name, ...] | None = Field(None, description="None: unchanged.")


class StopSession(Frozen):
    """A request to end a session after the current step.

    Asked by: lantern.
    Answered by: game, with SessionAnswer.
    """

    session: str
    reason: EndReason = Field(EndReason.STOPPED, description="`deleted`: its record is about to be deleted.")
    detail: str = Field("", description="One line on the reason.")


class SessionPace(Frozen):
    """How fast the game executes a session's actions. A pace is not recorded, and changes no deadline."""

    hold_after: NonNegativeInt | None = Field(
        None, description="The step after which the session is held (paused). None: it is not held."
    )
    delay: float = Field(0.0, ge=0, le=3600, description="Least seconds between two actions.")


class PaceSession(Frozen):
    """A request to pause a session that is played, to let it go on, or to change its pace.

    To execute one more step, ask for a `hold_after` one above the last step. Every instance of the game
    answers; the first answer counts.

    Asked by: lantern.
    Answered by: game, with PaceAnswer.
    """

    session: str
    pace: SessionPace | None = Field(None, description="None: leave it, and tell what it is.")


class PaceAnswer(Frozen):
    """The answer to a request for a pace: the pace that now holds, or a refusal in one line."""

    ok: bool
    refusal: str = ""
    pace: SessionPace = SessionPace()


class SessionAnswer(Frozen):
    """The answer to a request: done, or refused, with one line that says what, why and what to do."""

    ok: bool
    refusal: str = ""


RESTART: Action = "restart"
"""The only action of a game that is over; the game service executes it itself."""
