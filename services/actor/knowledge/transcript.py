"""The last steps as the model reads them: a conversation that only grows, and is cut seldom and by much.

What a prompt shares with the one before it is not paid for again, so nothing that was told is ever told
otherwise, and its beginning moves in jumps.
"""

from __future__ import annotations

from language_model.prompting.quoting import plain_line
from language_model.prompting.tokens import cut, plain, tokens
from schemas.game import StepTaken

LEAST, MOST = 10, 20
"""Steps told: the last 10 always (text-adventure agent, actor), and what came before up to 20."""

HISTORY_TOKENS, STEP_TOKENS = 2_250, 600
"""What all steps take at most, and a single one."""

SHARED_TOKENS, LEAST_TOKENS = 1_750, 100
"""A step takes no more than half of what the nine before it leave of the first, but as much as the second
always: a long text is told whole between short ones, and of long ones in a row each is told in part. The
last ten never take more than all may (600 + 575 + 287 + 144 + 6 x 100)."""

_ACTION_LENGTH = 150


class Transcript:
    """The steps told now, oldest first."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.rest = ""
        """What of the last step's text was too long to be told."""

    def after(self, step: StepTaken) -> None:
        """Tell one more step, folded once; where that is too much, begin again with the last ten."""
        whole = f"{_head(step)}\n{plain(step.observation)}"
        left = SHARED_TOKENS - sum(map(tokens, self.texts[-LEAST + 1 :]))
        self.texts.append(cut(whole, min(STEP_TOKENS, max(LEAST_TOKENS, left // 2))))
        self.rest = "" if self.texts[-1] == whole else whole[len(self.texts[-1]) - 1 :].strip()
        if len(self.texts) > MOST or sum(map(tokens, self.texts)) > HISTORY_TOKENS:
            self.texts = self.texts[-LEAST:]


def _head(step: StepTaken) -> str:
    action = "(the opening)" if step.action is None else f"> {plain_line(step.action, _ACTION_LENGTH)}"
    told = [f"[{step.step}] {action}"]
    if step.reward:
        told.append(f"({step.reward:+d} points{'' if step.score is None else f', {step.score} now'})")
    if step.done:
        told.append("(the game is won)" if step.victory else "(the game is over)")
    return " ".join(told)
