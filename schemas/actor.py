"""What the actor publishes."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from schemas.base import Action, Kind, Message, Name


class ActionProposed(Message):
    """The actor wants this action next.

    Published by: actor, once for each step that is not the last.
    Consumed by: critic, game, lantern.
    """

    kind: ClassVar[Kind] = Kind.PROPOSAL
    version: ClassVar[str] = "1.0"

    action: Action
    policy: Name
    reason: str
    fragments: tuple[Name, ...] = Field((), description="The services whose fragments were at hand.")
    notices: tuple[str, ...] = Field((), description="Signs of being stuck, the most pressing word first.")
    missing: tuple[Name, ...] = Field((), description="Live services that had not answered in time.")
