"""Builds a reply of the Messages API from the chunks of llama.cpp."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from typing import Any

from jsonschema import Draft202012Validator

from language_model.local.api.grammar import call_schema
from language_model.local.api.prompt import call_as_text
from language_model.local.api.request import MessageRequest, ToolParam
from language_model.local.errors import ApiFault, bad_request
from language_model.local.llama import ReplyChunk


class ReplyBuilder:
    """Takes a reply chunk by chunk; text can be shown at once, a call only when it is complete."""

    def __init__(self, request: MessageRequest, model: str, context: int) -> None:
        self.request, self.model, self.context = request, model, context
        self.text = ""
        self.stopped_by: str | None = None
        self._shown = 0
        self._last = ReplyChunk("", None, 0, 0, 0)
        self._id = f"msg_{secrets.token_hex(12)}"

    def take(self, piece: ReplyChunk) -> str:
        """Add a chunk; the text that can be shown now."""
        self._last = piece
        self.text += piece.text
        self._look_for_stops()
        end = len(self.text)
        if self._is_held_back:
            end = 0
        elif piece.finish is None and self.stopped_by is None:
            end -= _partial_stop(self.text, self.request.stop_sequences)
        shown, self._shown = self.text[self._shown : end], max(self._shown, end)
        return shown

    def message(self) -> dict[str, Any]:
        """The whole reply.

        Raises:
            ApiFault: the reply does not keep to the schema.
        """
        content = self.content()
        return self._envelope(content, self.stop_reason(content))

    def beginning(self) -> dict[str, Any]:
        """The reply before its first word."""
        return self._envelope([], None)

    def content(self) -> list[dict[str, Any]]:
        """The blocks of the reply. An incomplete call is returned as text.

        Raises:
            ApiFault: the reply does not keep to the schema.
        """
        tools, shape = self.request.callable_tools, self.request.schema_of_reply
        wordy = not self.text.startswith("{") and self.request.tool_choice.type == "auto"
        if (tools and not wordy) or shape is not None:
            try:
                value = _validated(call_schema(tools) if shape is None else shape, self.text)
            except ApiFault:
                if self._last.finish != "length" or not (shape or _may_become_a_call(self.text, tools)):
                    raise
                return _words(self.text)
            if shape is None:
                called = {"name": value["tool"], "input": value["arguments"]}
                return [{"type": "tool_use", "id": f"toolu_{secrets.token_hex(12)}", **called}]
        return _words(self.text)

    def stop_reason(self, content: Sequence[dict[str, Any]]) -> str:
        """The reason for the end of the reply."""
        if self.stopped_by is not None:
            return "stop_sequence"
        if any(block["type"] == "tool_use" for block in content):
            return "tool_use"
        if self._last.finish == "length":
            cut = self._last.reply_tokens < self.request.max_tokens
            return "model_context_window_exceeded" if cut else "max_tokens"
        return "end_turn"

    @property
    def usage(self) -> dict[str, int]:
        """Tokens as the API counts them: those from the cache are counted separately."""
        return {
            "input_tokens": self._last.prompt_tokens - self._last.cached_tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": self._last.cached_tokens,
            "output_tokens": self._last.reply_tokens,
        }

    @property
    def _is_held_back(self) -> bool:
        """Whether the text must not be shown yet, because it may be a call or must keep to a schema."""
        if self.request.schema_of_reply is not None:
            return True
        return bool(self.request.callable_tools) and (
            self.request.tool_choice.type != "auto" or self.text.startswith("{")
        )

    def _look_for_stops(self) -> None:
        found = [(at, stop) for stop in self.request.stop_sequences if (at := self.text.find(stop)) >= 0]
        if found:
            at, self.stopped_by = min(found)
            self.text = self.text[:at]

    def _envelope(self, content: list[dict[str, Any]], reason: str | None) -> dict[str, Any]:
        return {
            "id": self._id,
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": content,
            "stop_reason": reason,
            "stop_sequence": self.stopped_by,
            "usage": self.usage,
        }


def _words(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text}] if text else []


def _partial_stop(text: str, stops: Sequence[str]) -> int:
    """The number of characters at the end that may begin a stop sequence."""
    lengths = (n for stop in stops for n in range(len(stop) - 1, 0, -1) if text.endswith(stop[:n]))
    return max(lengths, default=0)


def _validated(schema: dict[str, Any], text: str) -> Any:
    """The value in a text that was written by a schema's grammar.

    Raises:
        ApiFault: the text does not keep to the schema: llama.cpp ignores a grammar that it cannot use.
    """
    try:
        value = json.loads(text)
        value = json.loads(json.dumps(value, ensure_ascii=False, allow_nan=False).encode(errors="replace"))
    except ValueError as error:
        raise _schema_error() from error
    if not Draft202012Validator(schema).is_valid(value):
        raise _schema_error()
    return value


def _may_become_a_call(text: str, tools: Sequence[ToolParam]) -> bool:
    """Whether a text that was cut off was written by the grammar of calls."""
    beginnings = (call_as_text(tool.name, {}).removesuffix("}}") for tool in tools)
    return any(text.startswith(beginning) or beginning.startswith(text) for beginning in beginnings)


def _schema_error() -> ApiFault:
    return bad_request(
        "The reply does not keep to the schema: llama.cpp cannot use it as a grammar. Use a simpler schema."
    )
