"""A reply as server-sent events: words as they are written, a call when it is whole."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from typing import Any

from language_model.local.api.prompt import body_of
from language_model.local.api.reply import ReplyBuilder
from language_model.local.errors import ApiFault
from language_model.local.llama import Llama


async def events_of(writing: ReplyBuilder, llama: Llama) -> AsyncIterator[bytes]:
    """The events of one reply.

    Raises:
        ApiFault: there is none; after the first event, a fault is an event too.
    """
    begun = shown = False
    try:
        async with aclosing(llama.write(body_of(writing.request))) as pieces:
            async for piece in pieces:
                words = writing.take(piece)
                if not begun:
                    begun = True
                    yield _event("message_start", message=writing.beginning())
                if words:
                    if not shown:
                        shown = True
                        yield _begins({"type": "text", "text": ""})
                    yield _goes_on({"type": "text_delta", "text": words})
                if writing.stopped_by is not None:
                    break
        for event in _ending(writing, shown):
            yield event
    except ApiFault as fault:
        if not begun:
            raise
        yield _event("error", error=fault.as_json()["error"])


def _ending(writing: ReplyBuilder, shown: bool) -> Iterator[bytes]:
    content = writing.content()
    if content and not shown:
        yield from _at_once(content[0])
    if content:
        yield _event("content_block_stop", index=0)
    delta = {"stop_reason": writing.stop_reason(content), "stop_sequence": writing.stopped_by}
    yield _event("message_delta", delta=delta, usage=writing.usage)
    yield _event("message_stop")


def _at_once(block: dict[str, Any]) -> Iterator[bytes]:
    if block["type"] == "text":
        yield _begins({**block, "text": ""})
        yield _goes_on({"type": "text_delta", "text": block["text"]})
    else:
        yield _begins({**block, "input": {}})
        yield _goes_on({"type": "input_json_delta", "partial_json": json.dumps(block["input"])})


def _begins(block: dict[str, Any]) -> bytes:
    return _event("content_block_start", index=0, content_block=block)


def _goes_on(delta: dict[str, Any]) -> bytes:
    return _event("content_block_delta", index=0, delta=delta)


def _event(kind: str, **told: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **told})}\n\n".encode()
