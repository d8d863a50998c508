"""Streams a reply as server-sent events: text as it is written, a call when it is complete."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from typing import Any

from language_model.local.api.prompt import body_of
from language_model.local.api.reply import ReplyBuilder
from language_model.local.errors import ApiFault
from language_model.local.llama import Llama


async def events_of(reply: ReplyBuilder, llama: Llama) -> AsyncIterator[bytes]:
    """The events of one reply.

    Raises:
        ApiFault: there is no reply; after the first event, an error is sent as an event instead.
    """
    started = shown = False
    try:
        async with aclosing(llama.write(body_of(reply.request))) as pieces:
            async for piece in pieces:
                words = reply.take(piece)
                if not started:
                    started = True
                    yield _event("message_start", message=reply.beginning())
                if words:
                    if not shown:
                        shown = True
                        yield _block_start({"type": "text", "text": ""})
                    yield _block_delta({"type": "text_delta", "text": words})
                if reply.stopped_by is not None:
                    break
        for event in _ending(reply, shown):
            yield event
    except ApiFault as fault:
        if not started:
            raise
        yield _event("error", error=fault.as_json()["error"])


def _ending(reply: ReplyBuilder, shown: bool) -> Iterator[bytes]:
    content = reply.content()
    if content and not shown:
        yield from _whole_block(content[0])
    if content:
        yield _event("content_block_stop", index=0)
    delta = {"stop_reason": reply.stop_reason(content), "stop_sequence": reply.stopped_by}
    yield _event("message_delta", delta=delta, usage=reply.usage)
    yield _event("message_stop")


def _whole_block(block: dict[str, Any]) -> Iterator[bytes]:
    if block["type"] == "text":
        yield _block_start({**block, "text": ""})
        yield _block_delta({"type": "text_delta", "text": block["text"]})
    else:
        yield _block_start({**block, "input": {}})
        yield _block_delta({"type": "input_json_delta", "partial_json": json.dumps(block["input"])})


def _block_start(block: dict[str, Any]) -> bytes:
    return _event("content_block_start", index=0, content_block=block)


def _block_delta(delta: dict[str, Any]) -> bytes:
    return _event("content_block_delta", index=0, delta=delta)


def _event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()
