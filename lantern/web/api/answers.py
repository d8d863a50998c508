"""Answers to requests of the page: JSON, and errors as one line."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from mesh.errors import BusAway, InputError, LanternError, SessionUnknown
from mesh.nats.connection import reason_of
from mesh.nats.reconnecting_client import TRANSIENT_FAULTS
from mesh.printable import printable

Handler = Callable[[Request], Awaitable[Response]]

ANSWERED = (LanternError, *TRANSIENT_FAULTS)
"""Errors that are told in an answer; any other is a defect."""

MOST_BYTES = 64_000
"""Of a request's body."""


class BadRequest(InputError):
    """The page asked for what cannot be."""


def as_json(told: Any) -> Response:
    """An answer."""
    return Response(
        msgspec.json.encode(told), media_type="application/json", headers={"cache-control": "no-store"}
    )


async def on_error(request: Request, error: Exception) -> Response:
    """An error in one line, with what to do."""
    if not isinstance(error, LanternError):
        error = BusAway(f"NATS does not answer now ({reason_of(error)}). Try again.")
    code = 404 if isinstance(error, SessionUnknown) else 400 if isinstance(error, InputError) else 503
    return JSONResponse({"error": printable(str(error))}, code)


def number_in(request: Request, name: str, default: int | None = None) -> int:
    """A number in a request's query.

    Raises:
        BadRequest: it is none.
    """
    given = request.query_params.get(name)
    if given is None and default is not None:
        return default
    if given is None or not given.isdecimal() or len(given) > 9:
        raise BadRequest(f"{name} must be a number, 0 or above.")
    return int(given)


async def body_of(request: Request) -> dict[str, Any]:
    """The JSON object in a request.

    Raises:
        BadRequest: there is none.
    """
    data = b""
    async for chunk in request.stream():
        data += chunk
        if len(data) > MOST_BYTES:
            raise BadRequest(f"A request has at most {MOST_BYTES:,} bytes.")
    try:
        return msgspec.json.decode(data, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise BadRequest(f"The request is no JSON object ({error}).") from error
