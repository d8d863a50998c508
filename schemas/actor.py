"""The messages of the actor."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field, NonNegativeInt, PositiveFloat

from schemas.base import Action, Frozen, Kind, Message, Name, PolicyId


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
