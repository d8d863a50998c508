"""Reads what was proposed at the last steps of a session, and how it was judged; each once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from schemas.actor import ActionProposed
from schemas.critic import ActionJudged
from services.actor.knowledge.transcript import MOST
from services.actor.turn import Turn

Proposals = Callable[[int], Awaitable[ActionProposed | None]]
Verdicts = Callable[[int], Awaitable[ActionJudged | None]]


class TurnReader:
    """The turns of one session: they never change once the next step is taken."""

    def __init__(self) -> None:
        self._turns: dict[int, Turn] = {}

    async def before(self, step: int, proposals: Proposals, verdicts: Verdicts) -> Mapping[int, Turn]:
        """The turns that led to the last steps, by the step at which each was proposed."""
        first = max(0, step - MOST - 1)
        for at in range(first, step):
            if at not in self._turns:
                before = self._turns.get(at - 1)
                proposal = before.proposal if before else await proposals(at - 1) if at else None
                self._turns[at] = Turn(
                    await proposals(at), await verdicts(at), proposal.mind if proposal else None
                )
        self._turns = {at: turn for at, turn in self._turns.items() if at >= first}
        return self._turns
