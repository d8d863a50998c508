"""The messages of the actor."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field, NonNegativeInt

from schemas.base import Action, Frozen, Kind, Message, Name, PolicyId


class Mind(Frozen):
    """The state that an actor which asks a language model carries from one step to the next."""

    objective: str = Field("", description="The goal that it pursues, until it names another.")
    heading: str = Field("", description="The id of the room to which it walks. Empty: none.")
    advice: tuple[str, ...] = Field((), description="Lessons from earlier episodes, the newest last.")


class FragmentUsed(Frozen):
    """The fragment of one service that the actor used."""

    service: Name
    step: NonNegativeInt = Field(
        description="The step of the message that holds its text; the service has answered `unchanged` since."
    )


class ActionProposed(Message):
    """The actor wants this action next.

    Published by: actor, once for each step that is not the last.
    Consumed by: critic, game, lantern.
    """

    kind: ClassVar[Kind] = Kind.PROPOSAL
    version: ClassVar[str] = "1.0"

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
