"""One sentence on each failure of a session, by rule: for sessions in which no model reflects."""

from __future__ import annotations

from folds.text.phrases import DIED
from schemas.experience import EARLIER, MOST_REFLECTIONS, REFLECTION_LENGTH
from schemas.game import StepTaken

_SAID = 100
"""Characters of what the game said."""


class Failures:
    """A fold over steps: the sentences on the last failures, the newest last."""

    def __init__(self, known: tuple[str, ...] = ()) -> None:
        """`known`: what earlier sessions have learnt from theirs."""
        self.known = known
        self.sentences: tuple[str, ...] = ()

    def after(self, before: StepTaken | None, now: StepTaken) -> None:
        """Fold a step, with the one before it. The caller folds each step once."""
        has_failed = (now.done and not now.victory) or DIED.search(now.observation) is not None
        if before is None or now.action is None or not has_failed:
            return
        room = before.room.name if before.room else "an unknown room"
        said = " ".join(now.observation.split())[:_SAID]
        sentence = f"At step {now.step}, {now.action!r} in {room} was the end: {said}"
        self.sentences = (*self.sentences, sentence[:REFLECTION_LENGTH])[-MOST_REFLECTIONS:]

    @property
    def text(self) -> str:
        """What the actor is told of the last failures: of earlier sessions, then of this one."""
        earlier = [f"- {EARLIER}{sentence}" for sentence in self.known]
        told = (*earlier, *(f"- {sentence}" for sentence in self.sentences))
        return "\n".join(told[-MOST_REFLECTIONS:])
