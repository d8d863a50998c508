"""The base of all messages."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, StringConstraints

NAME_PATTERN = r"^[a-z][a-z0-9_]{0,31}$"
POLICY_PATTERN = r"^[a-z][a-z0-9_-]{0,31}$"
SESSION_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"
RESERVED_SESSIONS = frozenset({"ask", "dead", "live"})
"""Words that other subjects have in the place of the session (`docs/messages.md`)."""

ACTION_LENGTH = 150
"""The most characters of an action; Frotz cuts at 198 bytes."""

Name = Annotated[str, StringConstraints(pattern=NAME_PATTERN)]
PolicyId = Annotated[str, StringConstraints(pattern=POLICY_PATTERN)]
"""A policy stands in no subject, so it may have hyphens."""
Cell = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$")]
SessionId = Annotated[str, StringConstraints(pattern=SESSION_PATTERN)]
Action = Annotated[str, StringConstraints(min_length=1, max_length=ACTION_LENGTH)]


class Kind(StrEnum):
    """The kinds of message in a session's record."""

    STARTED = "started"
    STEP = "step"
    FRAGMENT = "fragment"
    PROPOSAL = "proposal"
    VERDICT = "verdict"
    MODEL = "model"
    LOOKAHEAD = "lookahead"
    CONTROLS = "controls"
    ENDED = "ended"


class Frozen(BaseModel):
    """An immutable value; it ignores fields that a newer minor version added."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Message(Frozen):
    """A fact in a session's record.

    `version` is `major.minor`: within a major version fields are only ever added, with a default.
    """

    kind: ClassVar[Kind]
    version: ClassVar[str]
    by_service: ClassVar[bool] = False
    """Whether each service publishes one for a step (the subject then ends with the service's name)."""
    numbered: ClassVar[bool] = False
    """Whether each service publishes several for a step (the subject then ends with `call`)."""

    step: NonNegativeInt = Field(description="The step this is about; 0 is the opening.")
