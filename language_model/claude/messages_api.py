"""Between our prompts and replies and the bodies of the Messages API: pure, and wary of what comes back."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from pydantic import Field, NonNegativeInt, ValidationError

from language_model.claude.known_models import KnownModel, Thinking, known
from language_model.model import ModelError, Prompt, Reply, Said, ToolCall, Usage
from schemas.base import Frozen
from schemas.language_model import Fault

MARKS = 4
"""Places of a request at which the API takes a mark for its cache, at most."""

MARK = {"cache_control": {"type": "ephemeral"}}

CALL_ONE = "Answer with a call of exactly one of the tools, never in words alone."
"""Said to models that cannot be forced."""

ROOM_TO_THINK = 2_048
"""Tokens that a model which always thinks gets beside those of its reply: its thoughts count as output."""

MOST_CHARACTERS = 200_000
"""Of a reply; one that is longer is read by nobody."""

CUT = frozenset({"max_tokens", "model_context_window_exceeded"})


def request_for(
    prompt: Prompt, name: str, effort: str | None = None, temperature: float | None = None
) -> dict[str, Any]:
    """The parameters of `messages.create` for a prompt, with what the model takes and without the rest."""
    model = known(name)
    forced = model.can_be_forced(effort) if model else not name.startswith("claude-")
    system = prompt.system
    if prompt.must_call and not forced:
        system = f"{system}\n\n{CALL_ONE}" if system else CALL_ONE
    told = {
        "model": name,
        "max_tokens": _most_tokens(prompt, model, effort),
        "messages": _messages(prompt.said, MARKS - bool(system or prompt.tools)),
        **_beginning(prompt, system),
        **_how_to_think(model, effort),
    }
    if prompt.tools and prompt.must_call:
        told["tool_choice"] = {"type": "any" if forced else "auto", "disable_parallel_tool_use": True}
    if temperature is not None and not name.startswith("claude-"):
        told["extra_body"] = {"temperature": temperature}
    return told


def reply_in(body: bytes, name: str, *, costs_nothing: bool = False) -> Reply:
    """The reply that a body of the Messages API holds; its model is called as the request called it.

    `costs_nothing`: its server says so; a model that is known has its price all the same.

    Raises:
        ModelError: it holds none.
    """
    if len(body) > MOST_CHARACTERS:
        raise ModelError(f"The model's answer is too long ({len(body):,} bytes).", Fault.INVALID_REPLY)
    try:
        answer = _Answer.model_validate_json(body)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, fault["loc"]))
        raise ModelError(
            f"The model's server answered with nonsense ({where}: {fault['msg']}).", Fault.INVALID_REPLY
        ) from None
    usage = answer.usage.as_ours(known(name), costs_nothing)
    if answer.stop_reason == "refusal":
        raise ModelError("The model declined to answer.", Fault.DECLINED, usage)
    return Reply(
        model=name,
        text="".join(block.text for block in answer.content if block.type == "text"),
        calls=tuple(_calls(answer.content)),
        cut=answer.stop_reason in CUT,
        usage=usage,
    )


class _Block(Frozen):
    type: str
    text: str = ""
    name: str = ""
    input: Mapping[str, Any] = Field(default_factory=dict)


class _Tokens(Frozen):
    input_tokens: NonNegativeInt = 0
    cache_creation_input_tokens: NonNegativeInt | None = None
    cache_read_input_tokens: NonNegativeInt | None = None
    output_tokens: NonNegativeInt = 0

    def as_ours(self, model: KnownModel | None, costs_nothing: bool) -> Usage:
        kept, cached = self.cache_creation_input_tokens or 0, self.cache_read_input_tokens or 0
        usage = Usage(
            input_tokens=self.input_tokens + kept + cached,
            cached_tokens=cached,
            output_tokens=self.output_tokens,
            priced=model is not None or costs_nothing,
        )
        return usage.model_copy(update={"cost_usd": model.cost(usage, kept)}) if model else usage


class _Answer(Frozen):
    """As much of an answer as we read."""

    content: tuple[_Block, ...]
    stop_reason: str | None = None
    usage: _Tokens = _Tokens()


def _calls(blocks: Iterable[_Block]) -> Iterable[ToolCall]:
    for block in blocks:
        if block.type == "tool_use":
            yield ToolCall(name=block.name, arguments={key: _plain(it) for key, it in block.input.items()})


def _plain(value: Any) -> Any:
    """Without numbers that JSON has not: what is recorded must come back as it was."""
    match value:
        case float() if not math.isfinite(value):
            return None
        case dict():
            return {key: _plain(it) for key, it in value.items()}
        case list():
            return [_plain(it) for it in value]
        case _:
            return value


def _most_tokens(prompt: Prompt, model: KnownModel | None, effort: str | None) -> int:
    if model is None:
        return prompt.most_tokens
    wanted = prompt.most_tokens + (ROOM_TO_THINK if model.thinks(effort) else 0)
    return min(wanted, model.most_output)


def _how_to_think(model: KnownModel | None, effort: str | None) -> dict[str, Any]:
    told: dict[str, Any] = {}
    if model is not None and model.takes_effort and effort is not None:
        told["output_config"] = {"effort": effort}
    can_stop = model is not None and model.thinking in (Thinking.DISABLED, Thinking.BETWEEN_TOOLS)
    if model is not None and can_stop and not model.thinks(effort):
        told["thinking"] = {"type": model.thinking.value}
    return told


def _beginning(prompt: Prompt, system: str) -> dict[str, Any]:
    """Tools and system, marked at their end: what comes first in every request."""
    tools = [
        {"name": tool.name, "description": tool.description, "input_schema": _as_json(tool.parameters)}
        for tool in prompt.tools
    ]
    told: dict[str, Any] = {}
    if tools:
        told["tools"] = tools
    if system:
        told["system"] = [{"type": "text", "text": system, **MARK}]
    elif tools:
        tools[-1] |= MARK
    return told


def _messages(said: Iterable[Said], marks: int) -> list[dict[str, Any]]:
    """What was said; what one says in several parts is one message. The last marks are the ones that stay."""
    parts = [part for part in said if part.text]
    stays = [number for number, part in enumerate(parts) if part.comes_again]
    marked = set(stays[-marks:])
    return [
        {
            "role": role.value,
            "content": [
                {"type": "text", "text": part.text, **(MARK if number in marked else {})}
                for number, part in own
            ],
        }
        for role, own in groupby(enumerate(parts), key=lambda numbered: numbered[1].role)
    ]


def _as_json(parameters: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(json.dumps(dict(parameters)))
    return made
