"""A server of the Messages API that fails: what passes is asked again, what stays is told, no wait lasts."""

from __future__ import annotations

import asyncio
import gzip
import socket
import threading
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from language_model.client import served_model
from language_model.client.served_model import ServedModel
from language_model.settings import ModelSettings
from schemas.language_model import Fault
from tests.support.servers.asking_api import Making, failing, prompt
from tests.support.servers.chat_server import ChatServer
from tests.support.servers.messages_server import (
    CUT,
    OVERLONG,
    RUBBISH,
    SILENCE,
    Answer,
    MessagesServer,
    in_turn,
    refuses,
    says,
)


@pytest.fixture(params=[MessagesServer, ChatServer])
def messages_server(request: pytest.FixtureRequest) -> Iterator[MessagesServer]:
    """A server of either API: both fail alike."""
    with request.param() as server:
        yield server


@pytest.fixture(autouse=True)
def no_long_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served_model, "FIRST_PAUSE", 0.01)


# -- faults that pass


@pytest.mark.parametrize("fault", [refuses(500), refuses(529), refuses(503), refuses(429), CUT])
async def test_a_fault_that_passes_is_asked_again(
    model: ServedModel, messages_server: MessagesServer, fault: Answer
) -> None:
    messages_server.script = in_turn(fault, fault, says("at last"))

    assert (await model.ask(prompt())).text == "at last"
    assert len(messages_server.requests) == 3


async def test_a_server_says_how_long_to_wait(
    model: ServedModel, messages_server: MessagesServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    paused: list[float] = []

    async def immediately(seconds: float) -> None:
        paused.append(seconds)

    monkeypatch.setattr(served_model.asyncio, "sleep", immediately)
    answers = (refuses(429, retry_after="7"), refuses(429, retry_after_ms="1500"), says("yes"))
    messages_server.script = in_turn(*answers)

    await model.ask(prompt())
    assert paused == [7.0, 1.5]


async def test_a_wait_beyond_the_deadline_is_not_begun_and_nobody_is_asked_meanwhile(
    model: ServedModel, messages_server: MessagesServer
) -> None:
    messages_server.script = in_turn(refuses(429, "slow down", retry_after="120"), says("yes"))

    first, second = await failing(model), await failing(model)

    assert (first.fault, second.fault) == (Fault.RATE_LIMITED, Fault.BREAKER_OPEN)
    assert "slow down" in str(first) and "pause" in str(second)
    assert len(messages_server.requests) == 1


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (refuses(429), Fault.RATE_LIMITED),
        (refuses(500), Fault.SERVER),
        (refuses(529), Fault.OVERLOADED),
        (CUT, Fault.UNREACHABLE),
    ],
)
async def test_a_fault_that_stays_is_given_up_after_the_retries(
    making: Making, messages_server: MessagesServer, answer: Answer, fault: Fault
) -> None:
    messages_server.script = lambda request: answer

    error = await failing(await making(retries=2))

    assert (error.fault, len(messages_server.requests)) == (fault, 3)
    assert error.usage.seconds > 0


async def test_nobody_there_is_unreachable(making: Making) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        model = await making(base_url=url, chat_url=url, retries=1)
        error = await failing(model)

    assert error.fault is Fault.UNREACHABLE and "cannot be reached" in str(error)


# -- faults that do not pass


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (refuses(400, "max_tokens: too large", "invalid_request_error"), Fault.REFUSED),
        (refuses(401, "invalid x-api-key", "authentication_error"), Fault.UNAUTHORIZED),
        (refuses(404, "model: none", "not_found_error"), Fault.REFUSED),
        (refuses(529, "no use", **{"x_should_retry": "false"}), Fault.OVERLOADED),
        (RUBBISH, Fault.INVALID_REPLY),
        (Answer(raw=b'{"content": 3}'), Fault.INVALID_REPLY),
        (Answer(raw=b'{"content": [{"type": "text", "text": "\\ud800"}]}'), Fault.INVALID_REPLY),
        (Answer(raw=b'{"content": ' + b"[" * 5_000 + b"]" * 5_000 + b"}"), Fault.INVALID_REPLY),
        (OVERLONG, Fault.INVALID_REPLY),
        (says("", stop="refusal"), Fault.DECLINED),
    ],
)
async def test_a_fault_that_does_not_pass_is_asked_once_and_told_in_the_servers_own_words(
    model: ServedModel, messages_server: MessagesServer, answer: Answer, fault: Fault
) -> None:
    messages_server.script = lambda request: answer

    error = await failing(model)

    assert (error.fault, len(messages_server.requests)) == (fault, 1)
    assert "\n" not in str(error) and len(str(error)) < 500
    if answer.error:
        assert answer.error["message"] in str(error)


async def test_a_server_that_points_elsewhere_is_not_followed(
    model: ServedModel, messages_server: MessagesServer
) -> None:
    with MessagesServer() as other:
        messages_server.script = lambda request: refuses(307, location=f"{other.url}/v1/messages")
        error = await failing(model)

        assert (error.fault, "(307)" in str(error)) == (Fault.INVALID_REPLY, True)
        assert other.requests == [], "it would be told the key"


async def test_a_spent_account_is_not_asked_again(
    model: ServedModel, messages_server: MessagesServer
) -> None:
    told = {"type": "rate_limit_error", "message": "spent"}
    details = {"error_code": "enforced_spend_limit_reached"}
    messages_server.script = lambda request: Answer(status=429, error={**told, "details": details})

    assert (await failing(model)).fault is Fault.RATE_LIMITED
    assert len(messages_server.requests) == 1


# -- a hostile or broken server


@pytest.mark.parametrize("status", [200, 400])
async def test_of_a_response_without_end_no_more_is_read_than_a_reply_can_be(
    model: ServedModel, messages_server: MessagesServer, status: int
) -> None:
    messages_server.script = lambda request: Answer(status=status, endless=b" " * 65_536)

    error = await failing(model)

    assert error.fault is Fault.INVALID_REPLY and "too long: more than 200,000 bytes" in str(error)
    assert len(messages_server.requests) == 1
    assert messages_server.sent < 50_000_000, "the connection was closed"


@pytest.mark.parametrize("status", [200, 400])
async def test_a_compressed_response_is_refused_unread(
    model: ServedModel, messages_server: MessagesServer, status: int
) -> None:
    bomb = gzip.compress(b" " * 50_000_000)
    headers = {"content-encoding": "gzip"}
    messages_server.script = lambda request: Answer(status=status, raw=bomb, headers=headers)

    tracemalloc.start()
    error = await failing(model)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert error.fault is Fault.INVALID_REPLY and "it is compressed (gzip)" in str(error)
    assert messages_server.requests[0].headers["accept-encoding"] == "identity"
    assert most < 10_000_000


@pytest.mark.parametrize(
    ("usage", "why"),
    [
        ({"input_tokens": 10**12, "output_tokens": 5}, "reports 1,000,000,000,000 input tokens for a call"),
        ({"input_tokens": 5, "cache_read_input_tokens": 10**6}, "reports 1,000,005 input tokens"),
        ({"input_tokens": 5, "cache_creation_input_tokens": 10**6}, "reports 1,000,005 input tokens"),
        ({"input_tokens": 5, "output_tokens": 10**6}, "reports 1,000,000 output tokens"),
        ({"input_tokens": 10**400}, "cannot be read (usage."),
        ({"input_tokens": -1}, "cannot be read (usage."),
    ],
)
async def test_a_count_of_tokens_that_cannot_be_is_refused_and_not_paid_for(
    model: ServedModel, messages_server: MessagesServer, usage: dict[str, int], why: str
) -> None:
    messages_server.script = lambda request: replace(says("yes"), usage=usage)

    error = await failing(model)

    assert error.fault is Fault.INVALID_REPLY and why in str(error)
    assert error.usage.cost_usd < 0.1
    assert error.usage.input_tokens < 10_000 and error.usage.output_tokens < 10_000


async def test_a_server_that_counts_loosely_is_believed(
    model: ServedModel, messages_server: MessagesServer
) -> None:
    usage = {"input_tokens": 1_500, "output_tokens": 1_900}
    messages_server.script = lambda request: replace(says("yes"), usage=usage)

    assert (await model.ask(prompt())).usage.input_tokens == 1_500


# -- limits


async def test_a_silent_server_is_waited_for_until_the_deadline_only(
    making: Making, messages_server: MessagesServer
) -> None:
    messages_server.script = lambda request: SILENCE

    error = await failing(await making(deadline=0.2))

    assert error.fault is Fault.TIMEOUT and "0.2 s" in str(error)


async def test_calls_wait_for_their_turn_within_their_deadline(
    making: Making, messages_server: MessagesServer
) -> None:
    enough = threading.Barrier(2, timeout=30)

    def both(request: Any) -> Answer:
        enough.wait()  # until two are under way; a third would be counted
        return says("done")

    messages_server.script = both
    model = await making(max_concurrency=2)

    replies = await asyncio.gather(*(model.ask(prompt(str(number))) for number in range(6)))

    assert [reply.text for reply in replies] == ["done"] * 6
    assert messages_server.most_under_way == 2


async def test_a_turn_that_does_not_come_in_time_is_no_fault_of_the_server(
    making: Making, messages_server: MessagesServer
) -> None:
    model = await making(max_concurrency=1, deadline=0.2, breaker_threshold=1)

    async with model._slots:  # as by a call that takes long
        error = await failing(model)

    assert error.fault is Fault.TIMEOUT and "too busy" in str(error)
    assert (await model.ask(prompt())).text == "ready" and len(messages_server.requests) == 1


async def test_a_model_that_fails_again_and_again_rests_and_is_then_tried_once(
    model_settings: ModelSettings, messages_server: MessagesServer
) -> None:
    now = [0.0]
    settings = model_settings.model_copy(
        update={"retries": 0, "breaker_threshold": 3, "breaker_cooldown": 30.0}
    )
    model = ServedModel(settings, clock=lambda: now[0])
    messages_server.script = lambda request: refuses(500)
    faults = [(await failing(model)).fault for _ in range(5)]
    now[0] = 31.0
    faults += [(await failing(model)).fault for _ in range(2)]
    now[0] = 62.0
    messages_server.script = lambda request: says("well again")
    replies = [(await model.ask(prompt())).text for _ in range(2)]
    await model.close()

    assert faults == [Fault.SERVER] * 3 + [Fault.BREAKER_OPEN] * 2 + [Fault.SERVER, Fault.BREAKER_OPEN]
    assert replies == ["well again"] * 2
    assert len(messages_server.requests) == 6


async def test_who_does_not_wait_so_long_has_seen_a_failure_too(
    making: Making, messages_server: MessagesServer
) -> None:
    messages_server.script = lambda request: SILENCE
    model = await making(breaker_threshold=1)

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await model.ask(prompt())

    assert (await failing(model)).fault is Fault.BREAKER_OPEN


async def test_a_prompt_that_is_refused_says_nothing_about_the_next_one(
    making: Making, messages_server: MessagesServer
) -> None:
    messages_server.script = lambda request: refuses(400)
    model = await making(breaker_threshold=1)

    assert [(await failing(model)).fault for _ in range(3)] == [Fault.REFUSED] * 3
