"""Summaries that a language model has been asked for while the game goes on."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from language_model.model import ModelError, Prompt, Reply


@dataclass(slots=True)
class Pending:
    """A summary that was asked for and not told yet."""

    prompt: Prompt
    due: int
    """The step with which it was due."""
    reply: asyncio.Task[Reply | ModelError]
    answered: int
    """The last step that was answered without it."""

    @property
    def outcome(self) -> Reply | ModelError:
        """What has come of it by now."""
        if self.reply.done() and not self.reply.cancelled():
            return self.reply.result()
        return ModelError("Nobody waited for the reply to its end; what it took is not known.")

    def arrives(self, step: int) -> bool:
        """Whether the reply is there at a step that was not answered before; now it counts as answered."""
        is_new, self.answered = step > self.answered, max(step, self.answered)
        return is_new and self.reply.done()


class AllPending:
    """At most one for each session. Nothing is left of one that is dropped."""

    def __init__(self) -> None:
        self._held: dict[str, Pending] = {}

    def of(self, session: str) -> Pending | None:
        """What is awaited for a session."""
        return self._held.get(session)

    def hold(self, session: str, pending: Pending) -> None:
        """Await a summary for a session for which none is awaited."""
        self._held[session] = pending

    async def drop(self, session: str) -> None:
        """Await nothing any more for a session."""
        if (pending := self._held.pop(session, None)) is not None:
            pending.reply.cancel()
            await asyncio.gather(pending.reply, return_exceptions=True)

    async def drop_all(self) -> None:
        """Await nothing any more."""
        for session in list(self._held):
            await self.drop(session)
