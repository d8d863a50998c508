"""A server that stops ends what is in progress, and prints nothing about it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from mesh import http_serving
from mesh.http_serving import listening, serving, url_of


@pytest.mark.parametrize(("path", "answer"), [("/never", (503, "")), ("/endless", (200, "begun"))])
async def test_what_is_in_progress_when_the_server_stops_is_ended(
    path: str, answer: tuple[int, str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(http_serving, "SHUTDOWN_TIMEOUT", 0.1)
    asked = asyncio.Event()

    async def never(request: Request) -> Response:
        asked.set()
        await asyncio.Event().wait()
        return PlainTextResponse("too late")

    async def endless(request: Request) -> Response:
        async def parts() -> AsyncIterator[str]:
            yield "begun"
            asked.set()
            await asyncio.Event().wait()

        return StreamingResponse(parts())

    app = Starlette(routes=[Route("/never", never), Route("/endless", endless)])
    with caplog.at_level(logging.WARNING), listening("A test", "127.0.0.1", 0) as listener:
        async with httpx2.AsyncClient(base_url=url_of(listener), timeout=30) as client:
            async with serving(app, listener):
                asking = asyncio.create_task(client.get(path))
                await asked.wait()
            told = await asking

    assert (told.status_code, told.text) == answer
    assert caplog.messages == []


async def test_an_answer_that_is_ready_in_time_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, may_answer = asyncio.Event(), asyncio.Event()

    async def slow(request: Request) -> Response:
        asked.set()
        await may_answer.wait()
        return PlainTextResponse("in time")

    monkeypatch.setattr(http_serving, "SHUTDOWN_TIMEOUT", 30)
    with listening("A test", "127.0.0.1", 0) as listener:
        async with httpx2.AsyncClient(base_url=url_of(listener), timeout=30) as client:
            async with serving(Starlette(routes=[Route("/", slow)]), listener):
                asking = asyncio.create_task(client.get("/"))
                await asked.wait()
                asyncio.get_running_loop().call_later(0.2, may_answer.set)
            told = await asking

    assert told.text == "in time"


async def test_a_client_that_takes_nothing_does_not_keep_a_server_from_stopping(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http_serving, "SHUTDOWN_TIMEOUT", 0.1)
    monkeypatch.setattr(http_serving, "STUCK_TIMEOUT", 1)
    sent = 0

    async def endless(request: Request) -> Response:
        async def parts() -> AsyncIterator[bytes]:
            nonlocal sent
            while True:
                sent += 1
                yield bytes(100_000)

        return StreamingResponse(parts())

    with listening("A test", "127.0.0.1", 0) as listener:
        async with asyncio.timeout(30), serving(Starlette(routes=[Route("/", endless)]), listener):
            _, writer = await asyncio.open_connection(*listener.getsockname(), limit=1)
            writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            before = -1
            while not 0 < sent == before:  # until the connection is full
                before = sent
                await asyncio.sleep(0.3)
        writer.close()
