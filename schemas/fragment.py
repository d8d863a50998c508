"""The messages of the fragment services."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from schemas.base import Action, Frozen, Kind, Message, Name

SECTION_LENGTH = 6_000
"""The most characters of a section, because an actor's context is bounded."""


class Section(Frozen):
    """A named block of the actor's context."""

    name: Name
    text: Annotated[str, StringConstraints(max_length=SECTION_LENGTH)]


class Fragment(Frozen):
    """A sub-agent's contribution: text for the actor's context, and actions worth trying."""

    sections: tuple[Section, ...] = ()
    suggestions: tuple[Action, ...] = Field((), description="Actions worth trying now, best first.")


class FragmentGiven(Fragment, Message):
    """A sub-agent has answered a step, with a new fragment or with `unchanged`.

    Published by: hint, memory, narrator, npc_tracker, planner, and any sub-agent of yours.
    Consumed by: actor, lantern.
    """

    kind: ClassVar[Kind] = Kind.FRAGMENT
    version: ClassVar[str] = "1.1"
    by_service: ClassVar[bool] = True

    unchanged: bool = Field(False, description="True: the service's last fragment still holds.")
    degraded: str = Field(
        "", description="Why this fragment is by rule instead of by a language model. Empty: it is not."
    )
