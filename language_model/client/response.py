"""Reading the response of a model's server."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel, ValidationError

from language_model.client.call_error import CallError
from schemas.language_model import Fault

ResponseT = TypeVar("ResponseT", bound=BaseModel)


def response_in(body: bytes, kind: type[ResponseT]) -> ResponseT:
    """The parts of a response that we read.

    Raises:
        CallError: it cannot be read.
    """
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, fault["loc"]))
        raise CallError(
            f"The model's server sent a response that cannot be read ({where}: {fault['msg']}).",
            Fault.INVALID_REPLY,
        ) from None
