"""The record of what the planner has found by looking ahead."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field, NonNegativeInt, PositiveInt

from schemas.base import Action, Frozen, Kind, Message


class ActionRisk(Frozen):
    """How often an action has ended in death, each time with another random generator."""

    action: Action
    tries: PositiveInt
    deaths: PositiveInt

    @property
    def share(self) -> float:
        """The share of the tries that ended in death."""
        return self.deaths / self.tries


class LookedAhead(Message):
    """The planner has tried actions in an emulator of its own, and tells what they led to.

    Published by: planner, at most once for a step, before its fragment.
    Consumed by: critic, lantern.
    """

    kind: ClassVar[Kind] = Kind.LOOKAHEAD
    version: ClassVar[str] = "1.0"
    by_service: ClassVar[bool] = True

    origin: NonNegativeInt = Field(
        description="The step after which the actions were tried. It is `step`, or an earlier one if the "
        "planner was late."
    )
    probes: NonNegativeInt = Field(description="Actions that were executed for this.")
    spent: NonNegativeInt = Field(
        description="Actions that the planner has executed since its last such message, these included."
    )
    points: NonNegativeInt = Field(0, description="The most points that were gained; 0: none were.")
    actions: tuple[Action, ...] = Field(
        (), description="The shortest way to them, from the position after `origin`."
    )
    risks: tuple[ActionRisk, ...] = Field((), description="Actions that killed at least once, worst first.")
