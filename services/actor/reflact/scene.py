"""The input of a prompt: the situation, the fragments, and the state of mind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from folds.text.phrases import DIED
from schemas.actor import ActionProposed, Mind
from schemas.fragment import Fragment
from schemas.game import RESTART, StepTaken
from services.actor.knowledge.situation import Situation
from services.actor.knowledge.transcript import MOST, TranscriptEntry
from services.actor.logic import signs
from services.actor.plan.notes import mind_now
from services.actor.reflact.rule_takeover import takeover_note
from services.actor.reflact.walk import Walk, continued_walk
from services.actor.turn import Turn

ADVICE = 3
"""The number of newest sentences of advice that are kept."""


@dataclass(frozen=True, slots=True)
class Past:
    """What the record has of the steps before: the last proposal, and the turns by step."""

    before: ActionProposed | None = None
    turns: Mapping[int, Turn] = field(default_factory=dict)


NO_PAST = Past()


@dataclass(frozen=True, slots=True)
class PromptScene:
    """The input of a prompt: a function of the session's record."""

    situation: Situation
    fragments: Mapping[str, Fragment]
    mind: Mind
    notes: tuple[str, ...] = ()
    """Unexpected events, the most pressing first."""
    turns: Mapping[int, Turn] = field(default_factory=dict)
    """By step, what was proposed there and how it was judged."""
    most_steps: int = MOST
    """Of the newest steps, how many the conversation tells at most."""

    @property
    def steps(self) -> Sequence[TranscriptEntry]:
        """The steps that the conversation tells, oldest first."""
        return self.situation.transcript.steps[-self.most_steps :]

    def advised(self, sentence: str) -> Self:
        """The scene with one more sentence of advice; the oldest ones are dropped."""
        advice = (*(known for known in self.mind.advice if known != sentence), sentence)[-ADVICE:]
        return replace(self, mind=self.mind.model_copy(update={"advice": advice}))


def scene_of(
    situation: Situation, fragments: Mapping[str, Fragment], past: Past = NO_PAST
) -> tuple[PromptScene, Walk | None]:
    """The scene of a step, and the rest of the walk in progress.

    While the rules act, no walk is in progress.
    """
    before = past.before
    mind = mind_now((before.mind if before else None) or Mind(), situation)
    continued = continued_walk(before, situation) if before and mind.heading else ""
    walk = continued if isinstance(continued, Walk) and not situation.stagnation.rules_act else None
    notes = (
        continued if isinstance(continued, str) else "",
        takeover_note(situation.stagnation.takeover, situation.step.step),
    )
    mind = mind.model_copy(update={"heading": walk.goal if walk else ""})
    told = (*filter(None, notes), *signs(situation))
    return PromptScene(situation, fragments, mind, told, past.turns), walk


def is_after_an_end(situation: Situation) -> bool:
    """Whether advice is due at this step: the game is over, the player has died, or has restarted."""
    step = situation.step
    before = situation.recent[-2] if len(situation.recent) > 1 else None
    if step.done or before is None:
        return step.done
    if step.action == RESTART:
        return not before.done
    return _has_died(step) and not _has_died(before)


def _has_died(step: StepTaken) -> bool:
    """Whether the text announces the player's death; some games repeat that at each step."""
    return DIED.search(step.observation) is not None
