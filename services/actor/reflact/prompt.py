"""The prompt of a step: a constant part, the steps so far, and notes about the present; each is bounded.

The order suits the cache: rules and tools are the same in every prompt, the steps are those of the previous
prompt and one more, and only the notes about the present are new.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import islice

from language_model.model import Prompt, PromptPart, Reply, Role, Tool, ToolCall
from language_model.prompting.tokens import cut, plain, tokens
from services.actor.knowledge.transcript import LEAST
from services.actor.reflact.history import WORDS_TOKENS, history_of, size_of
from services.actor.reflact.reply import ModelDecision, UnusableReply
from services.actor.reflact.rules import RULES
from services.actor.reflact.scene import PromptScene
from services.actor.reflact.sections import now
from services.actor.reflact.tools import ARGUMENT, REFLECTION, ToolName, tools_offered
from services.actor.reflact.walk import rooms_ahead

LOOK_UPS = 3
"""The look-ups in a row after which the model must act (text-adventure agent, loop and stuck detection)."""

REPLY_TOKENS = 500
"""The most tokens of a reply: enough for the longest arguments and for a grammar's brackets."""

ROOMS = 40
"""Rooms that `go_to` can name, the nearest."""

CALL_TOKENS, ANSWER_TOKENS, FAULT_TOKENS = 80, 90, 110
"""The most tokens of a look-up or an unfit call, of an answer for which nothing else leaves room, and of a
correction."""
ASIDES_TOKENS = LOOK_UPS * (CALL_TOKENS + ANSWER_TOKENS) + CALL_TOKENS + FAULT_TOKENS
"""Reserved for three look-ups and a correction; an answer gets what the rest leaves of the budget beside."""

INPUT_TOKENS = 6_000
"""The most tokens of a prompt, all parts together, as the model's server counts them."""
LEAST_NOW_TOKENS = 700
"""What the notes about the present have at least, where the texts of the steps take unusually much."""

CORRECTED = "That did not fit."
"""How a correction begins."""

MARGIN = 1.1
"""The server's count of one prompt tells that of the next one only about."""
RATIOS = (0.4, 1.0)
"""Bounds of the ratio that is believed: no server counts fewer, and our estimate is never too small."""

FollowUps = tuple[PromptPart, ...]
"""The parts after the first question about a step: look-ups with their answers, and corrections."""


def prompt_of(scene: PromptScene, follow_ups: FollowUps = (), look_ups: int = 0) -> Prompt:
    """The prompt of a step; after `LOOK_UPS` look-ups the model must act.

    The notes about the present get all that the rest leaves of the budget; before they are cut, the
    conversation tells of the newest steps only. What look-ups and a correction may take is reserved, so that
    the notes are the same in every call about the step.
    """
    rooms = [label for _, label in islice(rooms_ahead(scene.situation), ROOMS)]
    has_memory = "memory" in scene.fragments and scene.situation.step.step > 0
    tools = tools_offered(has_memory and look_ups < LOOK_UPS, rooms)
    stable = tokens(RULES) + sum(tokens(_without_choices(tool)) for tool in tools_offered(has_memory, rooms))
    left = _limit(scene) - stable - ASIDES_TOKENS
    steps, notes = _told(scene, left)
    if notes != now(scene, INPUT_TOKENS):
        steps, notes = _told(replace(scene, most_steps=LEAST), left)
    present = PromptPart(role=Role.USER, text=notes)
    return Prompt(
        system=RULES,
        parts=(*steps, present, *follow_ups),
        tools=tools,
        must_call=True,
        max_tokens=REPLY_TOKENS,
    )


def _told(scene: PromptScene, most: int) -> tuple[tuple[PromptPart, ...], str]:
    """The conversation and the notes about the present, in `most` tokens."""
    steps = history_of(scene, most - LEAST_NOW_TOKENS)
    return steps, now(scene, most - sum(map(size_of, steps)))


def token_ratio(reply: Reply, prompt: Prompt, before: float) -> float:
    """How many tokens the server has counted for one of our estimate; `before`, if it does not say."""
    if not reply.usage.input_tokens:
        return before
    least, most = RATIOS
    return round(min(most, max(least, MARGIN * reply.usage.input_tokens / estimate(prompt))), 2)


def estimate(prompt: Prompt) -> int:
    """The tokens of a prompt, rather too many than too few."""
    tools = sum(tokens(_without_choices(tool)) for tool in prompt.tools)
    return tokens(prompt.system) + tools + sum(map(size_of, prompt.parts))


def lookup_request(decision: ModelDecision) -> PromptPart:
    """The part that records the model's question to the memory."""
    said = {REFLECTION: decision.reflection, ARGUMENT[ToolName.ASK_MEMORY]: decision.argument}
    return _called(ToolName.ASK_MEMORY, said)


def answer_room(prompt: Prompt, scene: PromptScene, look_ups: int) -> int:
    """The tokens that the answer to a look-up may take, so that what may follow fits too."""
    following = (LOOK_UPS - look_ups) * (CALL_TOKENS + ANSWER_TOKENS) + CALL_TOKENS + FAULT_TOKENS
    return max(ANSWER_TOKENS, _limit(scene) - estimate(prompt) - CALL_TOKENS - following)


def lookup_answer(answer: str, room: int, look_ups: int, offered: Iterable[str]) -> PromptPart:
    """The memory's answer in `room` tokens, and how many more questions are allowed; else which tools are."""
    left = LOOK_UPS - look_ups
    acting = " or ".join(name for name in offered if name != ToolName.ASK_MEMORY)
    more = f"You may ask {left} more." if left > 0 else f"Now act: {acting}."
    said = cut(plain(answer), room - tokens(f"Memory: \n{more}"))
    return PromptPart(role=Role.USER, text=f"Memory: {said}\n{more}", is_result=True)


def correction(reply: Reply, fault: UnusableReply) -> FollowUps:
    """The model's reply, and the explanation of its fault."""
    explanation = cut(f"{CORRECTED} {fault}", FAULT_TOKENS)
    call = reply.calls[0] if reply.calls else None
    if call is not None and call.name in tuple(ToolName):
        told = _called(call.name, {key: str(it) for key, it in call.arguments.items()})
        return told, PromptPart(role=Role.USER, text=explanation, is_result=True)
    written = reply.text or (f"{call.name}: {dict(call.arguments)}" if call else "")
    said = cut(plain(written), CALL_TOKENS) or "(nothing)"
    return PromptPart(role=Role.ASSISTANT, text=said), PromptPart(role=Role.USER, text=explanation)


def _limit(scene: PromptScene) -> int:
    """The budget in tokens of our estimate."""
    return int(INPUT_TOKENS / scene.mind.token_ratio)


def _called(name: str, arguments: dict[str, str]) -> PromptPart:
    """A call, with as much of the beginnings of its arguments as a follow-up may take."""
    own = ARGUMENT[ToolName(name)]
    kept = [key for key in (REFLECTION, own) if key in arguments]
    said = {key: cut(plain(arguments[key]), WORDS_TOKENS // len(kept)) for key in kept}
    return PromptPart(role=Role.ASSISTANT, call=ToolCall(name=name, arguments=said))


def _without_choices(tool: Tool) -> str:
    return tool.model_dump_json(exclude={"choices"})
