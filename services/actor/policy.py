"""What a policy answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Protocol

from schemas.fragment import Fragment
from services.actor.knowledge.situation import Situation


@dataclass(frozen=True, slots=True)
class Choice:
    """An action and why."""

    action: str
    reason: str


class Policy(Protocol):
    """Picks the next action. Promise: the same arguments give the same choice."""

    def choose(self, situation: Situation, fragments: Mapping[str, Fragment], random: Random) -> Choice:
        """The next action; `fragments` by the name of the service that gave them."""
        ...
