"""Questions that the memory service answers."""

from __future__ import annotations

from schemas.base import Frozen, SessionId


class AskMemory(Frozen):
    """A question about one session's world, in words: `where is the lamp`.

    Asked by: actor, lantern.
    Answered by: memory, with MemoryAnswer.
    """

    session: SessionId
    question: str


class MemoryAnswer(Frozen):
    """The answer in words, with the steps that told (empty: never seen)."""

    answer: str
    steps: tuple[int, ...] = ()
