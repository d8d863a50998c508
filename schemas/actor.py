"""What the actor publishes."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from schemas.base import Action, Frozen, Kind, Message, Name


class Mind(Frozen):
    """What an actor that asks a language model carries from one step to the next."""

    objective: str = Field("", description="What it wants to reach; it holds until it is replaced.")
    heading: str = Field("", description="The id of the room that it walks to. Empty: it walks nowhere.")
    advice: tuple[str, ...] = Field((), description="What earlier episodes taught, the newest last.")


class ActionProposed(Message):
    """The actor wants this action next.

    Published by: actor, once for each step that is not the last.
    Consumed by: critic, game, lantern.
    """

    kind: ClassVar[Kind] = Kind.PROPOSAL
    version: ClassVar[str] = "1.1"

    action: Action
    policy: Name
    reason: str
    fragments: tuple[Name, ...] = Field((), description="The services whose fragments were at hand.")
    notices: tuple[str, ...] = Field((), description="Signs of being stuck, the most pressing word first.")
    missing: tuple[Name, ...] = Field((), description="Live services that had not answered in time.")
    mind: Mind | None = Field(None, description="None: the policy carries nothing on.")
    degraded: str = Field(
        "", description="Why the rules decided where a language model should have. Empty: they did not."
    )
