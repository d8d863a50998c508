"""What went wrong with a call, in our own words: whether it may pass, and how long to wait."""

from __future__ import annotations

import email.utils
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus

from anthropic import APIConnectionError, APIError, APIStatusError, APITimeoutError

from mesh.printable import one_line
from schemas.language_model import Fault

Secrets = Sequence[str]

LEAST_SECRET = 12
"""Characters of a secret; servers of one's own are often given a word for a key."""

SHORT = 300
"""Characters of a server's own words that are passed on."""

LONGEST = 600.0
"""Seconds that a server may ask us to wait at most."""

PASSING = frozenset({408, 409, 429})
"""Statuses below 500 that the API calls transient (those of 500 and above are)."""

ITS_OWN = frozenset({400, 413, 422})
"""Statuses that a call earns by itself: the next one may fare better."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a call failed."""

    fault: Fault
    words: str
    may_pass: bool
    wait: float | None = None
    """Seconds that the server wants to be left alone; None: it did not say."""
    is_its_own: bool = False
    """Whether this call alone is at fault."""


def failure_of(error: APIError, secrets: Secrets) -> Failure:
    """What an error of the SDK says; the secrets stand nowhere in it."""
    match error:
        case APIStatusError():
            return _refusal(error, secrets)
        case APITimeoutError():
            return Failure(Fault.TIMEOUT, "The model's server did not answer in time.", may_pass=True)
        case APIConnectionError():
            why = without(secrets, str(error.__cause__ or "")) or "the connection failed"
            return Failure(Fault.UNREACHABLE, f"The model's server cannot be reached ({why}).", may_pass=True)
        case _:
            return Failure(
                Fault.INVALID_REPLY, f"The model's server: {without(secrets, str(error))}.", may_pass=False
            )


def without(secrets: Secrets, text: str) -> str:
    """A text in one line of bounded length, without the secrets."""
    for secret in secrets:
        text = text.replace(secret, "***")
    line = one_line(text).strip().rstrip(".")
    return line if len(line) <= SHORT else f"{line[: SHORT - 1]}…"


def hidden(secrets: Secrets, body: bytes) -> bytes:
    """A server's answer without the secrets that it may tell again, but for such as are common words."""
    for secret in secrets:
        if len(secret) >= LEAST_SECRET:
            body = body.replace(secret.encode(), b"***")
    return body


def _refusal(error: APIStatusError, secrets: Secrets) -> Failure:
    status = error.status_code
    if status < HTTPStatus.BAD_REQUEST:
        return Failure(
            Fault.INVALID_REPLY, f"The model's server points elsewhere ({status}).", may_pass=False
        )
    told = error.api_message if isinstance(error.api_message, str) else ""
    words = without(secrets, told or error.response.text) or "no reason given"
    spent = (error.error_code or "").endswith("spend_limit_reached")
    told_not_to = error.response.headers.get("x-should-retry") == "false"
    passes = (status in PASSING or status >= 500) and not spent and not told_not_to
    line = f"The model's server refused ({status}): {words}."
    return Failure(_fault(status), line, passes, _wait(error.response.headers), status in ITS_OWN)


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
            return min(LONGEST, max(0.0, float(headers[name]) * unit))
        except (KeyError, ValueError):
            continue
    date = email.utils.parsedate_tz(headers.get("retry-after", ""))
    return None if date is None else min(LONGEST, max(0.0, email.utils.mktime_tz(date) - time.time()))
