"""Requests and responses of OpenAI's chat completions as our prompts and replies; a response is untrusted."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Annotated, Any

from pydantic import Field

from language_model.client.response import response_in
from language_model.client.token_counts import check_usage
from language_model.known_models import known
from language_model.model import ModelError, Prompt, PromptPart, Reply, Role, ToolCall, Usage
from language_model.prompting.calls import as_json, call_id, finite, schema_of
from schemas.base import Frozen
from schemas.language_model import Fault

PATH = "/chat/completions"

LEAST_TOKENS = 16
"""The least maximum of a reply that all servers accept."""


def request_for(
    prompt: Prompt, name: str, temperature: float | None = None, *, is_openai: bool, by_grammar: bool
) -> dict[str, Any]:
    """The body of a request. OpenAI has another name for the maximum than the servers that speak its API.

    `by_grammar`: the server holds its replies to the schemas of the tools.
    """
    maximum = "max_completion_tokens" if is_openai else "max_tokens"
    request: dict[str, Any] = {
        "model": name,
        maximum: max(LEAST_TOKENS, prompt.max_tokens),
        "messages": list(_messages(prompt)),
    }
    if prompt.tools:
        functions = (
            {"name": tool.name, "description": tool.description, "parameters": schema_of(tool, by_grammar)}
            for tool in prompt.tools
        )
        request["tools"] = [{"type": "function", "function": function} for function in functions]
        request["tool_choice"] = "required" if prompt.must_call else "auto"
        request["parallel_tool_calls"] = False
    if temperature is not None:
        request["temperature"] = temperature
    return request


def reply_in(body: bytes, name: str, most: Usage) -> Reply:
    """The reply in a response; its model has the name that the request used.

    `most`: the most tokens that the call can have taken.

    Raises:
        ModelError: it holds none, or says of itself what cannot be.
    """
    answer = response_in(body, _Completion)
    usage, choice = answer.usage.usage(name), answer.choices[0]
    check_usage(usage, most, known(name))
    if choice.message.refusal or choice.finish_reason == "content_filter":
        raise ModelError("The model declined to answer.", Fault.DECLINED, usage)
    return Reply(
        model=name,
        text=choice.message.content or "",
        calls=tuple(each.function.call() for each in choice.message.tool_calls or ()),
        truncated=choice.finish_reason == "length",
        usage=usage,
    )


def _messages(prompt: Prompt) -> Iterator[dict[str, Any]]:
    """The messages; consecutive words of one role form one, and a call's result is one of its own."""
    if prompt.system:
        yield {"role": "system", "content": prompt.system}
    shown = [part for part in prompt.parts if part.text or part.call or part.is_result]
    calls = accumulate(part.call is not None for part in shown)
    last: dict[str, Any] = {}
    for part, call in zip(shown, calls, strict=True):
        message = _message(part, call_id(call))
        if _is_words(last) and _is_words(message) and last["role"] == message["role"]:
            last["content"] += f"\n\n{message['content']}"
            continue
        if last:
            yield last
        last = message
    if last:
        yield last


def _is_words(message: Mapping[str, Any]) -> bool:
    return message.get("role") in (Role.USER.value, Role.ASSISTANT.value) and "tool_calls" not in message


def _message(part: PromptPart, call: str) -> dict[str, Any]:
    """The message of one part; `call`: the id of the last call up to here."""
    if part.is_result:
        return {"role": "tool", "tool_call_id": call, "content": part.text}
    if part.call is None:
        return {"role": part.role.value, "content": part.text}
    arguments = json.dumps(as_json(part.call.arguments), ensure_ascii=False)
    function = {"name": part.call.name, "arguments": arguments}
    used = [{"id": call, "type": "function", "function": function}]
    return {"role": part.role.value, "content": part.text or None, "tool_calls": used}


class _Function(Frozen):
    name: str
    arguments: str | Mapping[str, Any] = ""

    def call(self) -> ToolCall:
        """The call; arguments that are no JSON object are none, which whoever asked finds missing."""
        arguments: Any = self.arguments
        if isinstance(arguments, str):
            try:
                arguments = json.loads(arguments)
            except (ValueError, RecursionError):
                arguments = {}
        given = arguments if isinstance(arguments, dict) else {}
        return ToolCall(name=self.name, arguments={str(key): finite(it) for key, it in given.items()})


class _ToolCall(Frozen):
    function: _Function


class _Message(Frozen):
    content: str | None = None
    refusal: str | None = None
    tool_calls: tuple[_ToolCall, ...] | None = None


class _Choice(Frozen):
    message: _Message
    finish_reason: str | None = None


_Count = Annotated[int, Field(ge=0, le=10**15)]


class _Details(Frozen):
    cached_tokens: _Count | None = None


class _TokenCounts(Frozen):
    prompt_tokens: _Count = 0
    completion_tokens: _Count = 0
    prompt_tokens_details: _Details | None = None

    def usage(self, name: str) -> Usage:
        cached = (self.prompt_tokens_details.cached_tokens if self.prompt_tokens_details else 0) or 0
        model = known(name)
        usage = Usage(
            input_tokens=self.prompt_tokens,
            cached_tokens=min(cached, self.prompt_tokens),
            output_tokens=self.completion_tokens,
            priced=model is not None,
        )
        return usage.model_copy(update={"cost_usd": model.cost(usage, 0)}) if model else usage


class _Completion(Frozen):
    """The parts of a response that we read."""

    choices: Annotated[tuple[_Choice, ...], Field(min_length=1)]
    usage: _TokenCounts = _TokenCounts()
