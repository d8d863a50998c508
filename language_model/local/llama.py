"""llama.cpp: its server within this process, and a client of it. The only module that knows xllamacpp."""

from __future__ import annotations

import json
import os
import re
import secrets
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import IO, Any

import httpx2

from language_model.local.errors import ApiFault, LocalBroken, ModelDidNotStart, bad_request
from language_model.local.files import ModelFile
from language_model.local.settings import LocalSettings

try:
    import xllamacpp
except ImportError as error:  # a library that its wheel does not bring
    raise LocalBroken(str(error)) from error

SLOTS = 4
"""Prompt prefixes that are cached separately: one for each service that asks."""
CACHE_MIB = 256
"""MiB of memory for prompt prefixes that are in no slot any more."""
ERRORS_ONLY = 1
LOG_ERROR = re.compile(r" E [^:\n]*: *(?:error loading model: )*(.*?)\.?$", re.MULTILINE)
"""A line of llama.cpp's log: time, E for error, where, and what."""
LOG_READS = 20
"""The number of attempts to read such a line, within a second."""

PROOF = '{"ready": true}'


@dataclass(frozen=True, slots=True)
class ReplyChunk:
    """A chunk of a streamed reply."""

    text: str
    finish: str | None
    """Why the reply ends with this chunk: stop or length; None: it continues."""
    prompt_tokens: int
    cached_tokens: int
    """The prompt tokens that came from the cache."""
    reply_tokens: int
    """The tokens of the reply so far."""


@dataclass(frozen=True, slots=True)
class ReplyLikelihood:
    """How likely a model is to write a given reply."""

    log_probability: float
    """Of all of its tokens together; the end of the reply is not counted."""
    prompt_tokens: int
    cached_tokens: int
    reply_tokens: int


class Llama:
    """A running server, for requests from one event loop."""

    def __init__(self, file: ModelFile, settings: LocalSettings) -> None:
        """Load the model, on a loopback port and with a key that nobody else knows.

        Raises:
            ModelDidNotStart: llama.cpp does not load the model.
        """
        self.file = file
        key = secrets.token_urlsafe(24)
        with _captured_log() as log_error:
            try:
                self._server = xllamacpp.Server(_parameters(file, settings, key))
            except RuntimeError as error:
                raise ModelDidNotStart(str(file.path), log_error() or str(error)) from error
        self._client = httpx2.AsyncClient(
            base_url=self._server.listening_address,
            headers={"Authorization": f"Bearer {key}"},
            timeout=None,
            trust_env=False,  # no proxy leads to this process
        )

    async def write(self, body: dict[str, Any]) -> AsyncGenerator[ReplyChunk, None]:
        """A reply, chunk by chunk; closing the iterator stops the model.

        Raises:
            ApiFault: llama.cpp gives no reply.
        """
        try:
            async with self._client.stream("POST", "/v1/chat/completions", json=body) as response:
                if response.status_code != httpx2.codes.OK:
                    raise _refused(response.status_code, await response.aread())
                async for line in response.aiter_lines():
                    if (chunk := _chunk_in(line)) is not None:
                        yield chunk
        except httpx2.HTTPError as error:
            raise ApiFault(500, "api_error", f"llama.cpp broke off: {error}") from error

    async def likelihood(self, body: dict[str, Any], reply: str) -> ReplyLikelihood:
        """The likelihood of a reply: a grammar makes the model write it, and its tokens are counted.

        Raises:
            ApiFault: llama.cpp gives none.
        """
        forced = {
            "grammar": f"%llguidance {{}}\nstart: {json.dumps(reply)}",
            "max_tokens": len(reply.encode()) + 1,  # a token has at least a byte
            "logprobs": True,
            "top_logprobs": 1,
            "temperature": 0,
        }
        try:
            response = await self._client.post("/v1/chat/completions", json=body | forced)
        except httpx2.HTTPError as error:
            raise ApiFault(500, "api_error", f"llama.cpp broke off: {error}") from error
        if response.status_code != httpx2.codes.OK:
            raise _refused(response.status_code, response.content)
        return _likelihood_in(response.json(), reply)

    async def count(self, body: dict[str, Any]) -> int:
        """The number of tokens of a prompt.

        Raises:
            ApiFault: llama.cpp refuses the prompt.
        """
        response = await self._client.post("/v1/chat/completions/input_tokens", json=body)
        if response.status_code != httpx2.codes.OK:
            raise _refused(response.status_code, response.content)
        return int(response.json()["input_tokens"])

    async def prove(self) -> None:
        """Check that the model replies and keeps to a grammar.

        Raises:
            ModelDidNotStart: it does not.
        """
        body = {
            "messages": [{"role": "user", "content": "Ready?"}],
            "grammar": f"%llguidance {{}}\nstart: {json.dumps(PROOF)}",
            "max_tokens": 4 * len(PROOF),
            "stream": True,
            "timings_per_token": True,
        }
        try:
            reply = "".join([chunk.text async for chunk in self.write(body)])
        except ApiFault as fault:
            raise ModelDidNotStart(str(self.file.path), str(fault)) from fault
        if reply != PROOF:
            raise ModelDidNotStart(str(self.file.path), "it does not keep to a grammar")

    async def close(self) -> None:
        """Release the model."""
        await self._client.aclose()
        del self._server


@asynccontextmanager
async def running(file: ModelFile, settings: LocalSettings) -> AsyncIterator[Llama]:
    """A server that has passed its check, while the block runs.

    Raises:
        ModelDidNotStart: llama.cpp does not load the model, or the check fails.
    """
    llama = Llama(file, settings)
    try:
        await llama.prove()
        yield llama
    finally:
        await llama.close()


def _parameters(file: ModelFile, settings: LocalSettings, key: str) -> xllamacpp.CommonParams:
    params = xllamacpp.CommonParams()
    params.model.path = str(file.path)
    params.model_alias = {file.name}
    params.hostnames, params.port, params.api_keys = ["127.0.0.1"], 0, [key]
    params.n_ctx, params.fit_params = file.context, False
    params.n_parallel, params.kv_unified = SLOTS, True
    params.cache_ram_mib = CACHE_MIB
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings.threads
    params.default_template_kwargs = {"enable_thinking": "false"}
    params.ui, params.offline, params.verbosity = False, True, ERRORS_ONLY
    return params


def _chunk_in(line: str) -> ReplyChunk | None:
    """The chunk in a line of the stream; None: the line has none.

    Raises:
        ApiFault: the line has an error instead.
    """
    payload = line.removeprefix("data: ")
    if payload == line or payload == "[DONE]":
        return None
    data = json.loads(payload)
    if "error" in data:
        raise _refused(int(data["error"].get("code", 500)), payload.encode())
    [choice], timings = data["choices"], data.get("timings")
    if timings is None:
        return None
    cached = timings["cache_n"]
    return ReplyChunk(
        text=choice["delta"].get("content") or "",
        finish=choice["finish_reason"],
        prompt_tokens=cached + timings["prompt_n"],
        cached_tokens=cached,
        reply_tokens=timings["predicted_n"],
    )


def _likelihood_in(answer: dict[str, Any], reply: str) -> ReplyLikelihood:
    """The likelihood in an answer; the tokens after the reply's last one (its end) are left out.

    Raises:
        ApiFault: the model has not written the reply: llama.cpp ignores a grammar that it cannot use.
    """
    [choice], timings = answer["choices"], answer["timings"]
    if choice["message"]["content"] != reply:
        raise bad_request(f"llama.cpp cannot hold the model to the reply {reply!r}")
    tokens = [token for token in choice["logprobs"]["content"] if token["bytes"]]
    cached = timings["cache_n"]
    return ReplyLikelihood(
        log_probability=sum(token["logprob"] for token in tokens),
        prompt_tokens=cached + timings["prompt_n"],
        cached_tokens=cached,
        reply_tokens=len(tokens),
    )


def _refused(status: int, body: bytes) -> ApiFault:
    """The API's error for a refusal of llama.cpp."""
    try:
        error = json.loads(body)["error"]
        message = str(error["message"])
    except (ValueError, KeyError, TypeError):
        error, message = {}, body.decode(errors="replace")[:200]
    if error.get("type") == "exceed_context_size_error":
        return bad_request(
            f"prompt is too long: {error['n_prompt_tokens']} tokens > {error['n_ctx']} maximum"
        )
    if 400 <= status < 500:
        return bad_request(message)
    return (
        ApiFault(529, "overloaded_error", message) if status == 503 else ApiFault(500, "api_error", message)
    )


@contextmanager
def _captured_log() -> Iterator[Callable[[], str]]:
    """Capture what C code writes to standard error; inside the block, its first error can be read.

    llama.cpp writes its log a little later than it fails, so after an error standard error is ours alone.
    """
    sys.stderr.flush()
    with tempfile.TemporaryFile() as kept:
        outside = os.dup(2)
        os.dup2(kept.fileno(), 2)
        try:
            yield lambda: _first_log_error(kept)
        except BaseException:
            sys.stderr = os.fdopen(outside, "w", buffering=1)
            raise
        os.dup2(outside, 2)
        os.close(outside)


def _first_log_error(log: IO[bytes]) -> str:
    for _ in range(LOG_READS):
        log.seek(0)
        if found := LOG_ERROR.search(log.read().decode(errors="replace")):
            return found[1]
        time.sleep(0.05)
    return ""
