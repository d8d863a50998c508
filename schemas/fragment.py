"""What the fragment services publish."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from schemas.base import Action, Frozen, Kind, Message, Name

SECTION_LENGTH = 6_000
"""The most characters of a section: what an actor can read at a step is bounded."""


class Section(Frozen):
    """A named block of the actor's context."""

    name: Name
    text: Annotated[str, StringConstraints(max_length=SECTION_LENGTH)]


class Fragment(Frozen):
    """What a sub-agent has to say: text for the actor's context, and actions worth trying."""

    sections: tuple[Section, ...] = ()
    suggestions: tuple[Action, ...] = Field((), description="Actions worth trying now, best first.")


class FragmentGiven(Fragment, Message):
    """A sub-agent has answered a step: something new to say, or nothing.

    Published by: hint, memory, narrator, npc_tracker, and any sub-agent of yours.
    Consumed by: actor, lantern.
    """

    kind: ClassVar[Kind] = Kind.FRAGMENT
    version: ClassVar[str] = "1.1"
    by_service: ClassVar[bool] = True

    unchanged: bool = Field(False, description="True: what this service said last still holds.")
    degraded: str = Field(
        "", description="Why this is by rule where a language model should have spoken. Empty: it is not."
    )
