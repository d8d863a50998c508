"""What the critic publishes."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field

from schemas.base import Action, Kind, Message, Name


class Decision(StrEnum):
    """What the critic may do with a proposal."""

    APPROVE = "approve"
    SUBSTITUTE = "substitute"


class ActionJudged(Message):
    """The action that the game executes next, and who decided it.

    Published by: critic, once for each proposal; game, where no verdict came in time.
    Consumed by: game, lantern.
    """

    kind: ClassVar[Kind] = Kind.VERDICT
    version: ClassVar[str] = "1.0"

    action: Action
    proposed: Action
    decision: Decision
    score: Annotated[float, Field(ge=-1, le=1)]
    reason: str
    by: Name = Field(description="`critic`, or `game` where the critic did not answer in time.")
