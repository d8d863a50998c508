"""The Messages API, in front of llama.cpp."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Any

from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from language_model.known_models import FREE
from language_model.likelihoods import LIKELIHOODS
from language_model.local.api.prompt import body_of
from language_model.local.api.reply import ReplyBuilder
from language_model.local.api.request import CountRequest, LikelihoodRequest, MessageRequest, request_in
from language_model.local.api.stream import events_of
from language_model.local.errors import ApiFault
from language_model.local.llama import Llama

LARGEST = 32 * 1024 * 1024
"""Bytes of a request, as at Anthropic's."""


class Api:
    """Answers requests with one model."""

    def __init__(self, llama: Llama, key: SecretStr) -> None:
        self._llama, self._key = llama, key
        self._since = datetime.now(UTC).isoformat()
        self.app = Starlette(
            routes=[
                Route("/health", self.health),
                Route("/v1/models", self.models),
                Route("/v1/models/{name:path}", self.one_model),
                Route("/v1/messages", self.messages, methods=["POST"]),
                Route("/v1/messages/count_tokens", self.count_tokens, methods=["POST"]),
                Route(LIKELIHOODS, self.likelihoods, methods=["POST"]),
            ],
            exception_handlers={ApiFault: _fault, HTTPException: _no_route, Exception: _internal_error},
        )

    async def health(self, request: Request) -> Response:
        """Report that the server runs; the only page without a key."""
        return JSONResponse({"status": "ok"})

    async def models(self, request: Request) -> Response:
        """List the one model."""
        self._check_key(request)
        model = self._model_json()
        page = {"data": [model], "has_more": False, "first_id": model["id"], "last_id": model["id"]}
        return _answer(page)

    async def one_model(self, request: Request) -> Response:
        """Describe the model of that name."""
        self._check_key(request)
        self._check_model(request.path_params["name"])
        return _answer(self._model_json())

    async def count_tokens(self, request: Request) -> Response:
        """Count the tokens of a prompt, including the descriptions of its tools."""
        self._check_key(request)
        asked = request_in(await _body(request), CountRequest)
        self._check_model(asked.model)
        return _answer({"input_tokens": await self._llama.count(body_of(asked))})

    async def likelihoods(self, request: Request) -> Response:
        """Tell how likely each of some replies is; the prompt is read once for all of them."""
        self._check_key(request)
        asked = request_in(await _body(request), LikelihoodRequest)
        self._check_model(asked.model)
        body = body_of(asked)
        found = [await self._llama.likelihood(body, reply) for reply in asked.replies]
        cached = sum(each.cached_tokens for each in found)
        usage = {
            "input_tokens": sum(each.prompt_tokens for each in found) - cached,
            "cache_read_input_tokens": cached,
            "output_tokens": sum(each.reply_tokens for each in found),
        }
        return _answer({"log_probabilities": [each.log_probability for each in found], "usage": usage})

    async def messages(self, request: Request) -> Response:
        """Write a reply; writing stops when the client disconnects."""
        self._check_key(request)
        asked = request_in(await _body(request), MessageRequest)
        self._check_model(asked.model)
        file = self._llama.file
        reply = ReplyBuilder(asked, file.name, file.context)
        if not asked.stream:
            return await _unless_gone(request, self._whole(reply))
        events = events_of(reply, self._llama)
        first = await anext(events)  # a refusal is raised here, so that it can have a status of its own
        return StreamingResponse(_chain(first, events), media_type="text/event-stream", headers=_headers())

    async def _whole(self, reply: ReplyBuilder) -> Response:
        async with aclosing(self._llama.write(body_of(reply.request))) as pieces:
            async for piece in pieces:
                reply.take(piece)
                if reply.stopped_by is not None:
                    break
        return _answer(reply.message())

    def _model_json(self) -> dict[str, Any]:
        name = self._llama.file.name
        return {"type": "model", "id": name, "display_name": name, "created_at": self._since}

    def _check_key(self, request: Request) -> None:
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        given = request.headers.get("x-api-key") or bearer
        if not secrets.compare_digest(given.encode(), self._key.get_secret_value().encode()):
            raise ApiFault(401, "authentication_error", "invalid x-api-key")

    def _check_model(self, name: str) -> None:
        if name != self._llama.file.name:
            raise ApiFault(404, "not_found_error", f"model: {name}; this server has {self._llama.file.name}")


async def _body(request: Request) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST:
            raise ApiFault(413, "request_too_large", f"a request has at most {LARGEST} bytes")
    return bytes(body)


async def _unless_gone(request: Request, answer: Any) -> Response:
    """The answer; it is cancelled when the client closes its connection."""
    work, gone = asyncio.ensure_future(answer), asyncio.ensure_future(_disconnected(request))
    try:
        await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
        if work.done():
            response: Response = work.result()
            return response
        raise ClientDisconnect
    finally:
        for task in (work, gone):
            task.cancel()
        await asyncio.gather(work, gone, return_exceptions=True)


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _chain(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for event in rest:
        yield event


def _headers() -> dict[str, str]:
    return {"request-id": f"req_{secrets.token_hex(12)}", **FREE}


def _answer(body: dict[str, Any], status: int = 200) -> Response:
    return Response(json.dumps(body), status, _headers(), "application/json")


async def _fault(request: Request, fault: Exception) -> Response:
    assert isinstance(fault, ApiFault)
    return _answer(fault.as_json(), fault.status)


async def _no_route(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _answer(ApiFault(404, "not_found_error", "there is no such page").as_json(), error.status_code)


async def _internal_error(request: Request, error: Exception) -> Response:
    """Answer an unexpected error; Starlette raises it again, for the log."""
    return _answer(ApiFault(500, "api_error", "Internal server error").as_json(), 500)
