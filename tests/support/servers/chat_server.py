"""The same scripted server for OpenAI's chat completions: a script's answers are told in its format.

Its cache needs no marks, as those servers' caches: what a request has in common with an earlier one, from the
beginning on, was read from it, if that is at least `cacheable` tokens.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.support.servers.messages_server import CHARACTERS, Answer, MessagesServer, Request

FINISHES = {"end_turn": "stop", "tool_use": "tool_calls", "max_tokens": "length", "refusal": "content_filter"}


class ChatServer(MessagesServer):
    """The server, on a free port of the loopback device."""

    def environment(self, key: str = "sk-test-0123456789abcdef") -> dict[str, str]:
        return {
            "LANTERN_MODEL_API": "chat",
            "LANTERN_MODEL_NAME": "qwen2.5-72b",
            "OPENAI_BASE_URL": f"{self.url}/v1",
            "OPENAI_API_KEY": key,
        }

    def _error(self, answer: Answer) -> dict[str, Any]:
        error = dict(answer.error or {})
        code = "insufficient_quota" if "details" in error else None
        return {"error": {"message": error["message"], "type": error.get("type"), "code": code}}

    def _reply(self, request: Request, answer: Answer) -> dict[str, Any]:
        words = "".join(block["text"] for block in answer.content if block["type"] == "text")
        calls = [
            {
                "id": block["id"],
                "type": "function",
                "function": {"name": block["name"], "arguments": json.dumps(block["input"])},
            }
            for block in answer.content
            if block["type"] == "tool_use"
        ]
        message = {"role": "assistant", "content": words or None, **({"tool_calls": calls} if calls else {})}
        choice = {"index": 0, "message": message, "finish_reason": FINISHES.get(answer.stop, answer.stop)}
        usage = answer.usage if answer.usage is not None else self._counts(request.body, answer)
        return {
            "id": f"chatcmpl-{request.number}",
            "object": "chat.completion",
            "model": request.body["model"],
            "choices": [choice],
            "usage": _as_chat(usage),
        }

    def _counts(self, body: Mapping[str, Any], answer: Answer) -> dict[str, int]:
        text = json.dumps([body.get("tools"), body["messages"]])
        with self._lock:
            shared = max((_shared(text, told) for told in self._cached), default=0) // CHARACTERS
            self._cached.add(text)
        cached = shared if shared >= self.cacheable else 0
        written = sum(len(json.dumps(block)) for block in answer.content)
        return {
            "input_tokens": len(text) // CHARACTERS - cached,
            "cache_read_input_tokens": cached,
            "output_tokens": written // CHARACTERS,
        }


def _as_chat(usage: Mapping[str, int]) -> dict[str, Any]:
    parts = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    return {
        "prompt_tokens": sum(usage.get(part, 0) for part in parts),
        "completion_tokens": usage.get("output_tokens", 0),
        "prompt_tokens_details": {"cached_tokens": usage.get("cache_read_input_tokens", 0)},
    }


def _shared(text: str, other: str) -> int:
    """The characters that both begin with."""
    unequal = (number for number, (one, two) in enumerate(zip(text, other, strict=False)) if one != two)
    return next(unequal, min(len(text), len(other)))
