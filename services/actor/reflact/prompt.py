"""The prompt of a step: a constant part, the steps so far, and notes about the present; each is bounded.

The order suits the cache: rules and tools are the same in every prompt, the steps are those of the previous
prompt and one more, and only the notes about the present are new.
"""

from __future__ import annotations

from collections.abc import Iterable

from language_model.model import Prompt, PromptPart, Role
from language_model.prompting.tokens import cut, plain
from services.actor.knowledge.transcript import HISTORY_TOKENS
from services.actor.reflact.reply import UnusableReply
from services.actor.reflact.rules import RULES
from services.actor.reflact.scene import PromptScene
from services.actor.reflact.sections import NOW_TOKENS, now
from services.actor.reflact.tools import ToolName, tools_offered
from services.actor.reflact.walk import rooms_ahead

LOOK_UPS = 3
"""The look-ups in a row after which the model must act (text-adventure agent, loop and stuck detection)."""

REPLY_TOKENS = 400
"""The most tokens of a reply: enough for the longest arguments and for a grammar's brackets."""

STABLE_TOKENS = 2_180
"""The most tokens of rules and tools."""
WROTE_TOKENS, ANSWER_TOKENS, FAULT_TOKENS, ASIDES_TOKENS = 25, 115, 105, 590
"""The most tokens of a look-up, of its answer, of a correction; and of three look-ups and a correction."""

INPUT_TOKENS = 6_000
"""The most tokens of a prompt, all parts together."""
assert STABLE_TOKENS + HISTORY_TOKENS + NOW_TOKENS + ASIDES_TOKENS <= INPUT_TOKENS

FollowUps = tuple[PromptPart, ...]
"""The parts after the first question about a step: look-ups with their answers, and corrections."""


def prompt_of(scene: PromptScene, follow_ups: FollowUps = (), look_ups: int = 0) -> Prompt:
    """The prompt of a step; after `LOOK_UPS` look-ups the model must act.

    The cache marks are at the last mark of the previous prompt, and where the next prompt will have its own.
    """
    texts = scene.situation.transcript.texts
    marked = len(texts) - 2
    steps = [PromptPart(role=Role.USER, text=text, cacheable=n >= marked) for n, text in enumerate(texts)]
    present = PromptPart(role=Role.USER, text=now(scene))
    return Prompt(
        system=RULES,
        parts=(*steps, present, *follow_ups),
        tools=tools_offered(
            may_look_up=look_ups < LOOK_UPS and "memory" not in scene.situation.started.without,
            may_walk=any(rooms_ahead(scene.situation)),
        ),
        must_call=True,
        max_tokens=REPLY_TOKENS,
    )


def lookup_request(question: str) -> PromptPart:
    """The part that records the model's question to the memory."""
    return PromptPart(role=Role.ASSISTANT, text=cut(f"ask_memory: {question}", WROTE_TOKENS))


def lookup_answer(answer: str, look_ups: int, offered: Iterable[str]) -> PromptPart:
    """The memory's answer, and how many more questions are allowed; else which of the tools are left."""
    left = LOOK_UPS - look_ups
    acting = " or ".join(name for name in offered if name != ToolName.ASK_MEMORY)
    more = f"You may ask {left} more." if left > 0 else f"Now act: {acting}."
    return PromptPart(role=Role.USER, text=f"Memory: {cut(plain(answer), ANSWER_TOKENS)}\n{more}")


def correction(written: str, fault: UnusableReply) -> FollowUps:
    """The model's reply, and the explanation of its fault."""
    reply = cut(plain(written), WROTE_TOKENS) or "(nothing)"
    explanation = cut(f"That did not fit. {fault}", FAULT_TOKENS)
    return PromptPart(role=Role.ASSISTANT, text=reply), PromptPart(role=Role.USER, text=explanation)
