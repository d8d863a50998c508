"""The messages of the critic."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field, NonNegativeInt

from schemas.base import Action, Frozen, Kind, Message, Name

NO_CRITIC = "the session has no critic"
"""The reason of a verdict in a session that is played without a critic."""


class Decision(StrEnum):
    """The two possible verdicts on a proposal."""

    APPROVE = "approve"
    SUBSTITUTE = "substitute"


class ActionJudged(Message):
    """The action that the game executes next, and the service that decided it.

    Published by: critic, once for each proposal; game, if none came in time or there is no critic.
    Consumed by: actor, game, lantern.
    """

    kind: ClassVar[Kind] = Kind.VERDICT
    version: ClassVar[str] = "1.0"

    action: Action
    proposed: Action
    decision: Decision
    score: Annotated[float, Field(ge=-1, le=1)]
    reason: str
    by: Name = Field(description="`critic`, or `game` if the critic did not answer in time or there is none.")


class AskOpinion(Frozen):
    """The question what the critic thinks of an action at a step; nothing is proposed or executed.

    Asked by: lantern.
    Answered by: critic, with OpinionAnswer.
    """

    session: str
    step: NonNegativeInt
    action: Action


class OpinionAnswer(Frozen):
    """The critic's opinion of an action, or a refusal in one line."""

    ok: bool
    refusal: str = ""
    score: Annotated[float, Field(ge=-1, le=1)] = 0.0
    reason: str = ""
