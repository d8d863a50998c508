"""The messages of the actor, and of a person who plays in its place."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field, NonNegativeInt, PositiveFloat

from schemas.base import Action, Frozen, Kind, Message, Name, PolicyId
from schemas.game import HUMAN, SessionStarted


class SubGoal(Frozen):
    """A goal on the way to the objective, and why it is one."""

    goal: str
    reason: str = ""
    by_rule: bool = Field(False, description="Whether rules found it; it goes when its reason does.")


class OpenPuzzle(Frozen):
    """Something that stands in the way and is not understood yet."""

    puzzle: str
    by_rule: bool = Field(False, description="Whether rules found it; it goes when it is solved.")


class Mind(Frozen):
    """What an actor intends and has noted, carried from one step to the next."""

    objective: str = Field("", description="The goal that it pursues, until it names another.")
    heading: str = Field("", description="The id of the room to which it walks. Empty: none.")
    advice: tuple[str, ...] = Field((), description="Lessons from earlier episodes, the newest last.")
    plan: tuple[SubGoal, ...] = Field((), description="The next one first.")
    puzzles: tuple[OpenPuzzle, ...] = Field((), description="The oldest first.")
    clues: tuple[str, ...] = Field((), description="What a model has noted, the oldest first.")
    token_ratio: PositiveFloat = Field(
        1.0,
        description="How many tokens the model's server counts for one of our estimate, as it last said.",
    )


class FragmentUsed(Frozen):
    """The fragment of one service that the actor used."""

    service: Name
    step: NonNegativeInt = Field(
        description="The step of the message that holds its text; the service has answered `unchanged` since."
    )


class ActionProposed(Message):
    """The actor wants this action next.

    Published by: actor, once for each step that is not the last.
    Consumed by: critic, game, lantern, memory.
    """

    kind: ClassVar[Kind] = Kind.PROPOSAL
    version: ClassVar[str] = "1.1"

    action: Action
    policy: PolicyId
    reason: str
    fragments: tuple[FragmentUsed, ...] = Field((), description="The fragments that the actor used.")
    notices: tuple[str, ...] = Field((), description="Signs of being stuck, the most pressing first.")
    missing: tuple[Name, ...] = Field(
        (), description="Services that should have answered the step but did not in time."
    )
    mind: Mind | None = Field(None, description="None: the policy keeps no such state.")
    degraded: str = Field(
        "", description="Why the rules decided instead of a language model. Empty: they did not."
    )


class ControlsTaken(Message):
    """A person has taken the controls of a session from its policy, or has handed them back.

    The newest one counts, until the session ends: then its policy has the controls again.

    Published by: game, once for each change of hands.
    Consumed by: actor, lantern.
    """

    kind: ClassVar[Kind] = Kind.CONTROLS
    version: ClassVar[str] = "1.0"
    by_service: ClassVar[bool] = True
    numbered: ClassVar[bool] = True

    call: NonNegativeInt = Field(0, description="The number of the change at this step, from 0 on.")
    by_hand: bool = Field(description="Whether a person has the controls now.")
    until: NonNegativeInt | None = Field(
        None, description="With `by_hand` false: the step from which on the person has the controls again."
    )


def is_by_hand(started: SessionStarted, newest: ControlsTaken | None, step: int) -> bool:
    """Whether a person has the controls at a step; `newest`: the change of hands that counts."""
    if newest is None:
        return started.policy == HUMAN
    return newest.by_hand or (newest.until is not None and step >= newest.until)


class TakeControls(Frozen):
    """A request to take the controls of a session from its policy, or to hand them back.

    From then on the actor waits at each step for an action that a person types. A change of hands is
    recorded.

    Asked by: lantern.
    Answered by: game, with ControlsAnswer.
    """

    session: str
    by_hand: bool | None = Field(None, description="None: leave it as it is, and tell.")
    until: NonNegativeInt | None = Field(
        None, description="With `by_hand` false: the step from which on the person has the controls again."
    )


class TypeAction(Frozen):
    """A person's action for the newest step of a session whose controls a person has.

    Asked by: lantern.
    Answered by: actor, with ControlsAnswer.
    """

    session: str
    step: NonNegativeInt = Field(description="The step to which the action is the answer.")
    action: Action


class ControlsAnswer(Frozen):
    """Who has the controls now, or a refusal in one line."""

    ok: bool
    refusal: str = ""
    by_hand: bool = Field(False, description="Whether a person has the controls.")


class AskAdvice(Frozen):
    """The question what the agent itself would do at the step that waits for a person's action.

    Asked by: lantern.
    Answered by: actor, with AdviceAnswer.
    """

    session: str


class AdviceAnswer(Frozen):
    """What the agent would do, or a refusal in one line."""

    ok: bool
    refusal: str = ""
    step: NonNegativeInt = 0
    action: str = ""
    reason: str = ""
