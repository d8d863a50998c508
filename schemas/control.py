"""The requests of a person who plays a session, or takes its controls for a while."""

from __future__ import annotations

from pydantic import Field, NonNegativeInt

from schemas.base import Action, Frozen


class TakeControls(Frozen):
    """A request to take the controls of a session from its policy, or to hand them back.

    From then on the actor waits at each step for an action that a person types. Nothing of it is recorded but
    the proposals that are typed. Every instance of the actor answers; the first answer counts.

    Asked by: lantern.
    Answered by: actor, with ControlsAnswer.
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
