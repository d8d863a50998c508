"""A model behind a server's API, the Messages API or chat completions, asked through the anthropic SDK.

The SDK's client sends both: it authenticates, and turns what goes wrong into its errors.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from anthropic import APIError, APIStatusError, AsyncAnthropic, DefaultAsyncHttpxClient

from language_model.client import chat_api, messages_api
from language_model.client.bounded_response import UNCOMPRESSED, bound
from language_model.client.breaker import Breaker
from language_model.client.call_error import CallError
from language_model.client.failures import call_error, hidden
from language_model.client.likelihoods_api import UNSUPPORTED, likelihoods_in, likelihoods_request
from language_model.client.token_counts import most_tokens
from language_model.known_models import FREE, known
from language_model.likelihoods import LIKELIHOODS, Likelihoods, LikelihoodsUnsupported
from language_model.model import ModelError, Prompt, PromptPart, Reply, Role, Usage
from language_model.settings import PUBLIC_CHAT, ModelSettings
from schemas.language_model import Fault, ModelApi

T = TypeVar("T")

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 8.0
"""Seconds before a retry, if the server does not say: the first pause, doubled for each further retry."""

HELLO = Prompt(parts=(PromptPart(role=Role.USER, text="Say: ready"),), max_tokens=1)


class ServedModel:
    """Asks with retries, within one deadline that includes the wait for a free slot and all pauses.

    The key appears in no error, message or log. It is sent to the configured server only: redirects are not
    followed.
    """

    def __init__(self, settings: ModelSettings, clock: Callable[[], float] = time.monotonic) -> None:
        self.name, self.settings, self.clock = settings.name, settings, clock
        key, login = settings.key(), settings.login
        self._secrets = tuple(filter(None, (key, login[1] if login else None)))
        self._client = AsyncAnthropic(
            **_credentials(settings.api, key, login is not None),
            base_url=settings.address,
            timeout=settings.deadline,
            max_retries=0,
            http_client=DefaultAsyncHttpxClient(
                auth=login,
                follow_redirects=False,
                mounts=dict.fromkeys(settings.without_proxy),
                headers=UNCOMPRESSED,
                event_hooks={"response": [bound]},
            ),
        )
        self._slots = asyncio.Semaphore(settings.max_concurrency)
        self._breaker = Breaker(settings.breaker_threshold, settings.breaker_cooldown, clock)

    async def ask(self, prompt: Prompt) -> Reply:
        """The model's reply.

        Raises:
            ModelError: there is none.
        """
        started = self.clock()
        try:
            reply = await self._in_time(lambda: self._send(prompt), started + self.settings.deadline)
        except ModelError as error:
            raise ModelError(str(error), error.fault, self._timed(error.usage, started)) from None
        return reply.model_copy(update={"usage": self._timed(reply.usage, started)})

    async def likelihoods(self, prompt: Prompt, replies: Sequence[str]) -> Likelihoods:
        """The likelihood of each of these replies, where the server is one of Lantern's.

        Raises:
            LikelihoodsUnsupported: the server is another.
            ModelError: it tells none now.
        """
        if known(self.name) or self.settings.api is ModelApi.CHAT:  # Claude tells none
            raise LikelihoodsUnsupported
        started = self.clock()
        found = await self._in_time(
            lambda: self._send_likelihoods(prompt, replies), started + self.settings.deadline
        )
        return replace(found, usage=self._timed(found.usage, started))

    async def greet(self) -> None:
        """Make the smallest possible call, once, to check that the server accepts key, model and parameters.

        Raises:
            ModelError: it does not, or there is no server.
        """
        try:
            async with asyncio.timeout(self.settings.deadline):
                await self._send(HELLO)
        except TimeoutError:
            raise self._too_late("gave no reply") from None

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _in_time(self, send: Callable[[], Awaitable[T]], deadline: float) -> T:
        problem = "was too busy for another call"
        try:
            async with asyncio.timeout(self.settings.deadline), self._slots:
                problem = "gave no reply"
                with self._breaker.call():
                    return await self._with_retries(send, deadline)
        except TimeoutError:
            raise self._too_late(problem) from None

    async def _with_retries(self, send: Callable[[], Awaitable[T]], deadline: float) -> T:
        retry = 0
        while True:
            try:
                return await send()
            except CallError as error:
                pause = _pause(retry) if error.wait is None else error.wait
                is_last = retry >= self.settings.retries or self.clock() + pause >= deadline
                if is_last or not error.is_transient:
                    raise
            await asyncio.sleep(pause)
            retry += 1

    async def _send(self, prompt: Prompt) -> Reply:
        """Make one request."""
        try:
            if self.settings.api is ModelApi.CHAT:
                return await self._send_chat(prompt)
            return await self._send_message(prompt)
        except APIError as error:
            raise call_error(error, self._secrets) from None

    async def _send_message(self, prompt: Prompt) -> Reply:
        effort, temperature = self.settings.effort, self.settings.temperature
        request = messages_api.request_for(prompt, self.name, effort, temperature, self._holds_to_schemas)
        response = await self._client.messages.with_raw_response.create(**request)
        body = hidden(self._secrets, await response.read())
        most = most_tokens(len(response.http_request.content), request["max_tokens"])
        is_free = FREE.items() <= response.headers.items()
        return messages_api.reply_in(body, self.name, most, costs_nothing=is_free)

    async def _send_chat(self, prompt: Prompt) -> Reply:
        request = chat_api.request_for(
            prompt,
            self.name,
            self.settings.temperature,
            is_openai=self.settings.address == PUBLIC_CHAT,
            by_grammar=self._holds_to_schemas,
        )
        body = await self._client.post(chat_api.PATH, cast_to=bytes, body=request)
        most = most_tokens(len(json.dumps(request)), max(chat_api.LEAST_TOKENS, prompt.max_tokens))
        return chat_api.reply_in(hidden(self._secrets, body), self.name, most)

    @property
    def _holds_to_schemas(self) -> bool:
        """Whether the server probably holds its replies to a grammar: those that serve open models do."""
        return self.settings.is_on_this_machine and not known(self.name)

    async def _send_likelihoods(self, prompt: Prompt, replies: Sequence[str]) -> Likelihoods:
        try:
            answer = await self._client.post(
                LIKELIHOODS, cast_to=bytes, body=likelihoods_request(prompt, self.name, replies)
            )
        except APIStatusError as error:
            if error.status_code in UNSUPPORTED:
                raise LikelihoodsUnsupported from None
            raise call_error(error, self._secrets) from None
        except APIError as error:
            raise call_error(error, self._secrets) from None
        return likelihoods_in(answer, len(replies))

    def _too_late(self, problem: str) -> ModelError:
        return ModelError(f"The model {problem} within {self.settings.deadline:g} s.", Fault.TIMEOUT)

    def _timed(self, usage: Usage, started: float) -> Usage:
        timed: Usage = usage.model_copy(update={"seconds": self.clock() - started})
        return timed


def _credentials(api: ModelApi, key: str | None, has_login: bool) -> dict[str, Any]:
    """How the client names its key: a login takes the usual header of the Messages API."""
    if api is ModelApi.CHAT:
        return {"auth_token": None if has_login else key or "none"}
    return {"api_key": key or "none", "default_headers": {"X-Api-Key": key} if key and has_login else None}


def _pause(retry: int) -> float:
    return min(LONGEST_PAUSE, FIRST_PAUSE * 2.0**retry) * random.uniform(0.75, 1.0)
