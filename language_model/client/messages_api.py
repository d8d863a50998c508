"""Requests and responses of the Messages API as our prompts and replies; a response is untrusted data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import accumulate, groupby
from typing import Annotated, Any

from pydantic import Field

from language_model.client.response import response_in
from language_model.client.token_counts import check_usage
from language_model.known_models import KnownModel, known
from language_model.model import ModelError, Prompt, PromptPart, Reply, ToolCall, Usage
from language_model.prompting.calls import as_json, call_id, finite, schema_of
from schemas.base import Frozen
from schemas.language_model import Fault

MAX_CACHE_MARKS = 4
"""Places of a request that the API accepts as ends of a cached prefix."""

CACHE_MARK = {"cache_control": {"type": "ephemeral"}}

CALL_ONE = "Answer with a call of exactly one of the tools, never in words alone."
"""An instruction for models whose tool calls cannot be forced."""

THINKING_TOKENS = 2_048
"""Additional output tokens for a model that always thinks: thinking counts as output."""

TRUNCATING = frozenset({"max_tokens", "model_context_window_exceeded"})


def request_for(
    prompt: Prompt,
    name: str,
    effort: str | None = None,
    temperature: float | None = None,
    by_grammar: bool = False,
) -> dict[str, Any]:
    """The parameters of `messages.create` for a prompt; only those that the model accepts.

    `by_grammar`: the server holds its replies to the schemas of the tools.
    """
    model = known(name)
    forced = model.can_be_forced(effort) if model else not name.startswith("claude-")
    system = prompt.system
    if prompt.must_call and not forced:
        system = f"{system}\n\n{CALL_ONE}" if system else CALL_ONE
    request = {
        "model": name,
        "max_tokens": _max_tokens(prompt, model, effort),
        "messages": _messages(prompt.parts, MAX_CACHE_MARKS - bool(system or prompt.tools)),
        **_tools_and_system(prompt, system, by_grammar),
        **_effort_and_thinking(model, effort),
    }
    if prompt.tools and prompt.must_call:
        request["tool_choice"] = {"type": "any" if forced else "auto", "disable_parallel_tool_use": True}
    if temperature is not None and not name.startswith("claude-"):
        request["extra_body"] = {"temperature": temperature}
    return request


def reply_in(body: bytes, name: str, most: Usage, *, costs_nothing: bool = False) -> Reply:
    """The reply in a response of the Messages API; its model has the name that the request used.

    `most`: the most tokens that the call can have taken. `costs_nothing`: the server says so. A known model
    has its price anyway.

    Raises:
        ModelError: it holds none, or says of itself what cannot be.
    """
    answer = response_in(body, _Answer)
    usage = answer.usage.usage(known(name), costs_nothing)
    check_usage(usage, most, known(name))
    if answer.stop_reason == "refusal":
        raise ModelError("The model declined to answer.", Fault.DECLINED, usage)
    return Reply(
        model=name,
        text="".join(block.text for block in answer.content if block.type == "text"),
        calls=tuple(_calls(answer.content)),
        truncated=answer.stop_reason in TRUNCATING,
        usage=usage,
    )


class _Block(Frozen):
    type: str
    text: str = ""
    name: str = ""
    input: Mapping[str, Any] = Field(default_factory=dict)


_Count = Annotated[int, Field(ge=0, le=10**15)]
"""It can be reckoned with; whether it can be true is checked afterwards."""


class _Tokens(Frozen):
    input_tokens: _Count = 0
    cache_creation_input_tokens: _Count | None = None
    cache_read_input_tokens: _Count | None = None
    output_tokens: _Count = 0

    def usage(self, model: KnownModel | None, costs_nothing: bool) -> Usage:
        written, cached = self.cache_creation_input_tokens or 0, self.cache_read_input_tokens or 0
        usage = Usage(
            input_tokens=self.input_tokens + written + cached,
            cached_tokens=cached,
            output_tokens=self.output_tokens,
            priced=model is not None or costs_nothing,
        )
        return usage.model_copy(update={"cost_usd": model.cost(usage, written)}) if model else usage


class _Answer(Frozen):
    """The parts of a response that we read."""

    content: tuple[_Block, ...]
    stop_reason: str | None = None
    usage: _Tokens = _Tokens()


def _calls(blocks: Iterable[_Block]) -> Iterable[ToolCall]:
    for block in blocks:
        if block.type == "tool_use":
            yield ToolCall(name=block.name, arguments={key: finite(it) for key, it in block.input.items()})


def _max_tokens(prompt: Prompt, model: KnownModel | None, effort: str | None) -> int:
    if model is None:
        return prompt.max_tokens
    wanted = prompt.max_tokens + (THINKING_TOKENS if model.thinks(effort) else 0)
    return min(wanted, model.max_output)


def _effort_and_thinking(model: KnownModel | None, effort: str | None) -> dict[str, Any]:
    parameters: dict[str, Any] = {}
    if model is not None and model.takes_effort and effort is not None:
        parameters["output_config"] = {"effort": effort}
    if model is not None and (off := model.thinking_off(effort)):
        parameters["thinking"] = {"type": off}
    return parameters


def _tools_and_system(prompt: Prompt, system: str, by_grammar: bool) -> dict[str, Any]:
    """Tools and system text: the prefix that all requests share. Its end is marked for the cache."""
    tools = [
        {"name": tool.name, "description": tool.description, "input_schema": schema_of(tool, by_grammar)}
        for tool in prompt.tools
    ]
    parameters: dict[str, Any] = {}
    if tools:
        parameters["tools"] = tools
    if system:
        parameters["system"] = [{"type": "text", "text": system, **CACHE_MARK}]
    elif tools:
        tools[-1] |= CACHE_MARK
    return parameters


def _messages(parts: Iterable[PromptPart], marks: int) -> list[dict[str, Any]]:
    """The messages: consecutive parts of one role form one message. The last cacheable parts are marked."""
    shown = [part for part in parts if part.text or part.call or part.is_result]
    marked = [number for number, part in enumerate(shown) if part.cacheable][-marks:]
    calls = accumulate(part.call is not None for part in shown)
    said = [
        (part.role, _blocks(part, call_id(call), CACHE_MARK if number in marked else {}))
        for number, (part, call) in enumerate(zip(shown, calls, strict=True))
    ]
    return [
        {"role": role.value, "content": [block for _, blocks in group for block in blocks]}
        for role, group in groupby(said, key=lambda each: each[0])
    ]


def _blocks(part: PromptPart, call: str, mark: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The blocks of one part; `call`: the id of the last call up to here."""
    if part.is_result:
        return [{"type": "tool_result", "tool_use_id": call, "content": part.text, **mark}]
    blocks: list[dict[str, Any]] = [{"type": "text", "text": part.text}] if part.text else []
    if part.call is not None:
        used = {"id": call, "name": part.call.name, "input": as_json(part.call.arguments)}
        blocks.append({"type": "tool_use", **used})
    return [*blocks[:-1], {**blocks[-1], **mark}]
