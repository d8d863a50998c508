"""Translates errors of the SDK: why a call failed, whether to try again, and how long to wait."""

from __future__ import annotations

import email.utils
import time
from collections.abc import Mapping, Sequence
from http import HTTPStatus

from anthropic import APIConnectionError, APIError, APIStatusError, APITimeoutError

from language_model.client.bounded_response import ResponseRefused
from language_model.client.call_error import CallError
from mesh.printable import one_line
from schemas.language_model import Fault

Secrets = Sequence[str]

MIN_SECRET_LENGTH = 12
"""Characters; a shorter key may be a common word, as users choose for their own servers."""

MAX_REASON_LENGTH = 300
"""Characters of a server's message that an error holds."""

MAX_WAIT = 600.0
"""Seconds; a server that asks for more gets no more."""

TRANSIENT = frozenset({408, 409, 429})
"""Statuses below 500 that the API documents as transient (all from 500 are)."""

SPENT = ("spend_limit_reached", "insufficient_quota")
"""How the codes of an account end that is spent."""

ABOUT_REQUEST = frozenset({400, 413, 422})
"""Statuses that are about this one request."""


def call_error(error: APIError, secrets: Secrets) -> CallError:
    """An error of the SDK as ours, without the secrets."""
    match error:
        case APIStatusError():
            return _status_error(error, secrets)
        case APITimeoutError():
            return CallError("The model's server did not answer in time.", Fault.TIMEOUT, is_transient=True)
        case APIConnectionError(__cause__=ResponseRefused() as refused):
            line = f"The response of the model's server was not read: {without(secrets, str(refused))}."
            return CallError(line, Fault.INVALID_REPLY)
        case APIConnectionError():
            why = without(secrets, str(error.__cause__ or "")) or "the connection failed"
            line = f"The model's server cannot be reached ({why})."
            return CallError(line, Fault.UNREACHABLE, is_transient=True)
        case _:
            return CallError(f"The model's server: {without(secrets, str(error))}.", Fault.INVALID_REPLY)


def without(secrets: Secrets, text: str) -> str:
    """A text in one line of bounded length, without the secrets."""
    for secret in secrets:
        text = text.replace(secret, "***")
    line = one_line(text).strip().rstrip(".")
    return line if len(line) <= MAX_REASON_LENGTH else f"{line[: MAX_REASON_LENGTH - 1]}…"


def hidden(secrets: Secrets, body: bytes) -> bytes:
    """A server's answer without the secrets that it may repeat; secrets that may be common words are left."""
    for secret in secrets:
        if len(secret) >= MIN_SECRET_LENGTH:
            body = body.replace(secret.encode(), b"***")
    return body


def _status_error(error: APIStatusError, secrets: Secrets) -> CallError:
    status, headers = error.status_code, error.response.headers
    if status < HTTPStatus.BAD_REQUEST:
        return CallError(f"The model's server redirects elsewhere ({status}).", Fault.INVALID_REPLY)
    message = error.api_message if isinstance(error.api_message, str) else ""
    reason = without(secrets, message or error.response.text) or "no reason given"
    must_not_retry = _is_spent(error) or headers.get("x-should-retry") == "false"
    return CallError(
        f"The model's server refused ({status}): {reason}.",
        _fault(status),
        is_transient=(status in TRANSIENT or status >= 500) and not must_not_retry,
        wait=_wait(headers),
        is_about_request=status in ABOUT_REQUEST,
    )


def _is_spent(error: APIStatusError) -> bool:
    """Whether the account is spent, as the Messages API or chat completions say it."""
    told = error.body.get("error") if isinstance(error.body, dict) else None
    codes = (error.error_code, told.get("code") if isinstance(told, dict) else None)
    return any(code.endswith(SPENT) for code in codes if isinstance(code, str))


def _fault(status: int) -> Fault:
    match status:
        case 401 | 403:
            return Fault.UNAUTHORIZED
        case 408 | 504:
            return Fault.TIMEOUT
        case 429:
            return Fault.RATE_LIMITED
        case 503 | 529:
            return Fault.OVERLOADED
        case _:
            return Fault.SERVER if status >= 500 else Fault.REFUSED


def _wait(headers: Mapping[str, str]) -> float | None:
    """What `retry-after-ms` or `retry-after` (seconds, or a date) says, in seconds."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return min(MAX_WAIT, max(0.0, float(headers[name]) * unit))
        except (KeyError, ValueError):
            continue
    date = email.utils.parsedate_tz(headers.get("retry-after", ""))
    return None if date is None else min(MAX_WAIT, max(0.0, email.utils.mktime_tz(date) - time.time()))
