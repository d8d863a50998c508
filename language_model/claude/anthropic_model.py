"""A model behind the Messages API: Claude, or any server that speaks it, asked through the anthropic SDK."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable

from anthropic import APIError, AsyncAnthropic, DefaultAsyncHttpxClient

from language_model.claude.breaker import Breaker
from language_model.claude.failures import Failure, failure_of, hidden
from language_model.claude.known_models import FREE
from language_model.claude.messages_api import reply_in, request_for
from language_model.model import ModelError, Prompt, Reply, Role, Said, Usage
from language_model.settings import ModelSettings
from schemas.language_model import Fault

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 8.0
"""Seconds before a call is made again, where the server does not say: the first, doubled each time."""

HELLO = Prompt(said=(Said(role=Role.USER, text="Say: ready"),), most_tokens=1)


class AnthropicModel:
    """Asks until there is a reply, the fault is one that stays, or the deadline is near.

    A call that waits for its turn, or between two tries, is inside its deadline. The key is in no error, no
    message and no log; it is sent to the configured server alone, wherever that may point to.
    """

    def __init__(self, settings: ModelSettings, clock: Callable[[], float] = time.monotonic) -> None:
        self.name, self.settings, self.clock = settings.name, settings, clock
        key, login = settings.key(), settings.login
        self._secrets = tuple(filter(None, (key, login[1] if login else None)))
        self._client = AsyncAnthropic(
            api_key=key or "none",
            base_url=settings.address,
            timeout=settings.deadline,
            max_retries=0,
            default_headers={"X-Api-Key": key} if key and login else None,  # the login takes the usual one
            http_client=DefaultAsyncHttpxClient(
                auth=login, follow_redirects=False, mounts=dict.fromkeys(settings.without_proxy)
            ),
        )
        self._turns = asyncio.Semaphore(settings.at_once)
        self._breaker = Breaker(settings.rest_after, settings.rest, clock)

    async def ask(self, prompt: Prompt) -> Reply:
        """The model's reply.

        Raises:
            ModelError: there is none.
        """
        began = self.clock()
        try:
            return _timed(await self._ask_in_time(prompt, began), self.clock() - began)
        except ModelError as error:
            took = error.usage.model_copy(update={"seconds": self.clock() - began})
            raise ModelError(str(error), error.fault, took) from None

    async def greet(self) -> None:
        """Make the smallest possible call, once, to see whether key, model and parameters are taken.

        Raises:
            ModelError: they are not, or the server is not there.
        """
        try:
            async with asyncio.timeout(self.settings.deadline):
                await self._ask_once(HELLO)
        except APIError as error:
            failure = failure_of(error, self._secrets)
            raise ModelError(failure.words, failure.fault) from None
        except TimeoutError:
            raise self._too_late("gave no reply") from None

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _ask_in_time(self, prompt: Prompt, began: float) -> Reply:
        is_asking = False
        try:
            async with asyncio.timeout(self.settings.deadline), self._turns:
                with self._breaker.trying():
                    is_asking = True
                    return await self._ask_watched(prompt, began)
        except TimeoutError:
            what = "gave no reply" if is_asking else "was too busy for another call"
            raise self._too_late(what) from None

    async def _ask_watched(self, prompt: Prompt, began: float) -> Reply:
        try:
            return await self._ask_again_and_again(prompt, began)
        except asyncio.CancelledError:  # at its deadline, or by who does not wait so long
            self._took(False)
            raise

    async def _ask_again_and_again(self, prompt: Prompt, began: float) -> Reply:
        tried = 0
        while True:
            try:
                reply = await self._ask_once(prompt)
            except APIError as error:
                failure = failure_of(error, self._secrets)
            except ModelError as error:
                self._took(error.fault is not Fault.INVALID_REPLY)
                raise
            else:
                self._took(True)
                return reply
            pause = _pause(tried) if failure.wait is None else failure.wait
            left = self.settings.deadline - (self.clock() - began)
            if not failure.may_pass or tried >= self.settings.retries or pause >= left:
                raise self._given_up(failure)
            await asyncio.sleep(pause)
            tried += 1

    async def _ask_once(self, prompt: Prompt) -> Reply:
        told = request_for(prompt, self.name, self.settings.effort, self.settings.temperature)
        response = await self._client.messages.with_raw_response.create(**told)
        body = hidden(self._secrets, await response.read())
        return reply_in(body, self.name, costs_nothing=FREE.items() <= response.headers.items())

    def _took(self, well: bool) -> None:
        if well:
            self._breaker.succeeded()
        else:
            self._breaker.failed()

    def _too_late(self, what: str) -> ModelError:
        return ModelError(f"The model {what} within {self.settings.deadline:g} s.", Fault.TIMEOUT)

    def _given_up(self, failure: Failure) -> ModelError:
        if not failure.is_its_own:
            self._breaker.failed(failure.wait)
        return ModelError(failure.words, failure.fault)


def _timed(reply: Reply, seconds: float) -> Reply:
    usage: Usage = reply.usage.model_copy(update={"seconds": seconds})
    return reply.model_copy(update={"usage": usage})


def _pause(tried: int) -> float:
    return min(LONGEST_PAUSE, FIRST_PAUSE * 2.0**tried) * random.uniform(0.75, 1.0)
