"""The context of a recorded session: what the proposals of its actor name."""

from __future__ import annotations

from typing import Any

from mesh.replay.replayed_record import ReplayedRecord
from mesh.runner.service import Session
from schemas.actor import ActionProposed, FragmentUsed
from schemas.base import Kind
from schemas.critic import ActionJudged
from schemas.envelope import Envelope
from schemas.fragment import FragmentGiven
from services.actor.context.source import ActorContext, ContextSource


class RecordedContext(ContextSource):
    """Looks up the fragments that each recorded proposal names.

    A service that is replayed beside the actor is quoted by what it publishes now, up to the same step.
    """

    def __init__(self, record: ReplayedRecord, actor: str) -> None:
        self.record, self.actor = record, actor

    async def context_for(self, session: Session[Any], step: Envelope) -> ActorContext:
        """The recorded context of the step; nothing, if the record has no proposal."""
        proposal = self.record.original(Kind.PROPOSAL, step.step, self.actor)
        if proposal is None or not isinstance(proposal.body, ActionProposed):
            return ActorContext({})
        return self._context_of(proposal.body)

    async def verdict_at(self, session: Session[Any], step: int) -> ActionJudged | None:
        """The verdict that counts in the replay: of whoever gave it."""
        envelope = self.record.verdict_at(step)
        return envelope.body if envelope and isinstance(envelope.body, ActionJudged) else None

    def _context_of(self, proposal: ActionProposed) -> ActorContext:
        fragments, missing = {}, {*proposal.missing}
        for used in proposal.fragments:
            given = self._fragment(used, proposal)
            if given is not None:
                fragments[used.service] = given
            if given is None or self._is_silent_now(used.service, proposal.step):
                missing.add(used.service)
        return ActorContext(fragments, tuple(sorted(missing)))

    def _is_silent_now(self, service: str, step: int) -> bool:
        return service in self.record.replayed and self._given(step, service) is None

    def _fragment(self, used: FragmentUsed, proposal: ActionProposed) -> FragmentGiven | None:
        if used.service not in self.record.replayed:
            return self._given(used.step, used.service)
        oldest, newest = None, used.step if used.service in proposal.missing else proposal.step
        for step in range(newest, self._first_known(used) - 1, -1):
            given = self._given(step, used.service)
            if given is not None and not given.unchanged:
                return given
            oldest = given or oldest
        return oldest

    def _first_known(self, used: FragmentUsed) -> int:
        """The first step that counts: what a sub-agent would have said before it joined was not known."""
        original = self.record.original(Kind.FRAGMENT, used.step, used.service)
        joined = original and isinstance(original.body, FragmentGiven) and original.body.unchanged
        return used.step if joined else 0

    def _given(self, step: int, service: str) -> FragmentGiven | None:
        envelope = self.record.current(Kind.FRAGMENT, step, service)
        return envelope.body if envelope and isinstance(envelope.body, FragmentGiven) else None
