"""The last steps as the model reads them: a conversation that only grows, and is cut seldom and by much.

What a prompt shares with the one before it is cheap, so a text never changes once it is in the transcript,
and the transcript's beginning moves seldom and far. The opening stays in front of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from language_model.prompting.quoting import plain_line
from language_model.prompting.tokens import cut, plain, tokens
from schemas.game import StepTaken

LEAST, MOST = 10, 20
"""Steps in the transcript: always the last 10 (text-adventure agent, actor), and up to 20."""

OPENING_TOKENS = 450
"""What the opening takes at most."""

HISTORY_TOKENS, STEP_TOKENS = 3_000, 600
"""What all steps take at most with their actions, and the text of a single one."""

ACTION_TOKENS = 75
"""Reserved for the action of each step, and the reflection before it."""

SHARED_TOKENS, LEAST_TOKENS = 1_750, 100
"""A step takes no more than half of what the nine before it leave of the first, but as much as the second
always: a long text stays whole between short ones, and of long ones in a row each is cut. The
last ten never take more than all may (600 + 575 + 287 + 144 + 6 x 100, and 10 x 75)."""


@dataclass(frozen=True, slots=True)
class TranscriptEntry:
    """A step in the transcript."""

    number: int
    action: str
    """In one line."""
    text: str
    """The step's number, its points, and what the game printed."""

    @property
    def told(self) -> str:
        """The step in one text."""
        head, _, rest = self.text.partition("]")
        return f"{head}] > {cut(self.action, ACTION_TOKENS)}{rest}"


class Transcript:
    """The opening and the steps in the transcript, oldest first."""

    def __init__(self) -> None:
        self.opening = ""
        """Of the first episode; it is the task, and stays."""
        self.steps: list[TranscriptEntry] = []
        self.rest = ""
        """The part of the last step's text that was too long."""

    def after(self, step: StepTaken) -> None:
        """Add one step, folded once; where that is too much, begin again with the last ten."""
        whole = f"{_head(step)}\n{plain(step.observation)}"
        left = SHARED_TOKENS - sum(tokens(each.text) for each in self.steps[-LEAST + 1 :])
        most = min(STEP_TOKENS, max(LEAST_TOKENS, left // 2)) if step.action else OPENING_TOKENS
        text = cut(whole, most)
        self.rest = "" if text == whole else whole[len(text) - 1 :].strip()
        if step.action is None:
            self.opening, self.steps = text, []
            return
        self.steps.append(TranscriptEntry(step.step, plain_line(step.action, len(step.action)), text))
        if len(self.steps) > MOST or sum(map(_size, self.steps)) > HISTORY_TOKENS:
            self.steps = self.steps[-LEAST:]


def _size(step: TranscriptEntry) -> int:
    return tokens(step.text) + ACTION_TOKENS


def _head(step: StepTaken) -> str:
    parts = [f"[{step.step}]" if step.action else f"[{step.step}] (the opening)"]
    if step.reward:
        parts.append(f"({step.reward:+d} points{'' if step.score is None else f', {step.score} now'})")
    if step.done:
        parts.append("(the game is won)" if step.victory else "(the game is over)")
    return " ".join(parts)
