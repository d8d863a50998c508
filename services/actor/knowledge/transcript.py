"""The last steps as the model reads them: a conversation that only grows, and is cut seldom and by much.

What a prompt shares with the one before it is cheap, so a text never changes once it is in the transcript,
and the transcript's beginning moves seldom and far.
"""

from __future__ import annotations

from language_model.prompting.quoting import plain_line
from language_model.prompting.tokens import cut, plain, tokens
from schemas.game import StepTaken

LEAST, MOST = 10, 20
"""Steps in the transcript: always the last 10 (text-adventure agent, actor), and up to 20."""

HISTORY_TOKENS, STEP_TOKENS = 2_190, 600
"""What all steps take at most, and a single one."""

SHARED_TOKENS, LEAST_TOKENS = 1_750, 100
"""A step takes no more than half of what the nine before it leave of the first, but as much as the second
always: a long text stays whole between short ones, and of long ones in a row each is cut. The
last ten never take more than all may (600 + 575 + 287 + 144 + 6 x 100)."""

_ACTION_LENGTH = 150


class Transcript:
    """The steps in the transcript, each as a text, oldest first."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.rest = ""
        """The part of the last step's text that was too long."""

    def after(self, step: StepTaken) -> None:
        """Add one step, folded once; where that is too much, begin again with the last ten."""
        whole = f"{_head(step)}\n{plain(step.observation)}"
        left = SHARED_TOKENS - sum(map(tokens, self.texts[-LEAST + 1 :]))
        self.texts.append(cut(whole, min(STEP_TOKENS, max(LEAST_TOKENS, left // 2))))
        self.rest = "" if self.texts[-1] == whole else whole[len(self.texts[-1]) - 1 :].strip()
        if len(self.texts) > MOST or sum(map(tokens, self.texts)) > HISTORY_TOKENS:
            self.texts = self.texts[-LEAST:]


def _head(step: StepTaken) -> str:
    action = "(the opening)" if step.action is None else f"> {plain_line(step.action, _ACTION_LENGTH)}"
    parts = [f"[{step.step}] {action}"]
    if step.reward:
        parts.append(f"({step.reward:+d} points{'' if step.score is None else f', {step.score} now'})")
    if step.done:
        parts.append("(the game is won)" if step.victory else "(the game is over)")
    return " ".join(parts)
