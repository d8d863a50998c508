"""The prompt of a step: what never changes, what only grows, and what is new; each of bounded length.

The order is the cache's: rules and tools are the same in every prompt, the steps are those of the prompt
before and one more, and only the notes about the present are read anew.
"""

from __future__ import annotations

from language_model.model import Prompt, PromptPart, Role
from language_model.prompting.tokens import cut, plain
from services.actor.knowledge.transcript import HISTORY_TOKENS
from services.actor.reflact.reply import UnusableReply
from services.actor.reflact.rules import RULES
from services.actor.reflact.scene import PromptScene
from services.actor.reflact.sections import NOW_TOKENS, now
from services.actor.reflact.tools import tools_offered

LOOK_UPS = 3
"""Look-ups in a row after which an action is forced (text-adventure agent, loop and stuck detection)."""

REPLY_TOKENS = 400
"""Of a reply: room for the longest arguments that are kept, and for a grammar's brackets."""

STABLE_TOKENS = 2_180
"""What rules and tools take at most."""
WROTE_TOKENS, ANSWER_TOKENS, FAULT_TOKENS, ASIDES_TOKENS = 25, 115, 45, 530
"""What a look-up, its answer, and what did not fit take at most; and three look-ups and a correction."""

INPUT_TOKENS = 6_000
"""What a prompt takes at most, all parts together."""
assert STABLE_TOKENS + HISTORY_TOKENS + NOW_TOKENS + ASIDES_TOKENS <= INPUT_TOKENS

FollowUps = tuple[PromptPart, ...]
"""What follows the first question about a step: look-ups with their answers, and corrections."""


def prompt_of(scene: PromptScene, follow_ups: FollowUps = (), look_ups: int = 0) -> Prompt:
    """What the model is asked; after so many look-ups it must act.

    The cache's marks are where the prompt before had its last one, and where the next will look for one.
    """
    texts = scene.situation.transcript.texts
    marked = len(texts) - 2
    steps = [PromptPart(role=Role.USER, text=text, cacheable=n >= marked) for n, text in enumerate(texts)]
    present = PromptPart(role=Role.USER, text=now(scene))
    return Prompt(
        system=RULES,
        parts=(*steps, present, *follow_ups),
        tools=tools_offered(may_look_up=look_ups < LOOK_UPS),
        must_call=True,
        max_tokens=REPLY_TOKENS,
    )


def lookup_request(question: str) -> PromptPart:
    """That the model has asked the memory."""
    return PromptPart(role=Role.ASSISTANT, text=cut(f"ask_memory: {question}", WROTE_TOKENS))


def lookup_answer(answer: str, look_ups: int) -> PromptPart:
    """What the memory has answered, and whether it may be asked again."""
    left = LOOK_UPS - look_ups
    more = f"You may ask {left} more." if left > 0 else "Now act: play_action or go_to."
    return PromptPart(role=Role.USER, text=f"Memory: {cut(plain(answer), ANSWER_TOKENS)}\n{more}")


def correction(written: str, fault: UnusableReply) -> FollowUps:
    """What the model wrote, and what about it did not fit."""
    reply = cut(plain(written), WROTE_TOKENS) or "(nothing)"
    explanation = cut(f"That did not fit. {fault}", FAULT_TOKENS)
    return PromptPart(role=Role.ASSISTANT, text=reply), PromptPart(role=Role.USER, text=explanation)
