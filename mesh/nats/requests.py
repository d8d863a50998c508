"""Requests to live services of a cell. No request is stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from nats.aio.msg import Msg
from nats.errors import NoRespondersError
from nats.errors import TimeoutError as NatsTimeout
from pydantic import BaseModel, ValidationError

from mesh.errors import NobodyAnswers
from mesh.nats.cell import Cell
from mesh.nats.subjects import ask_subject

SERVICE_ERROR = "Nats-Service-Error"
"""The header of an answer that is an error, by the NATS micro protocol."""

A = TypeVar("A", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Requests:
    """Requests of one service instance to the other services of its cell."""

    cell: Cell

    async def ask(
        self,
        service: str,
        verb: str,
        question: BaseModel,
        answer: type[A],
        *,
        session: str,
        timeout: float = 5.0,
    ) -> A:
        """Ask the instance that serves this session alone, else any that serves the whole cell.

        Raises:
            NobodyAnswers: no service is live, it does not answer in time, or its answer cannot be decoded.
            Interrupted: the connection was lost; the service may or may not have received the request.
        """
        data = question.model_dump_json().encode()
        for scope in (session, "*"):
            try:
                subject = ask_subject(self.cell.name, service, verb, scope)
                reply = await self.cell.nc.request(subject, data, timeout=timeout)
            except NoRespondersError:
                continue
            except NatsTimeout as error:
                raise NobodyAnswers(
                    f"The {service} service gave no answer to '{verb}' within {timeout:g} s. See its log."
                ) from error
            return _answer_in(reply, answer, f"The {service} service failed at '{verb}'")
        raise NobodyAnswers(
            f"No {service} service is live in cell {self.cell.name}. Start it with `lantern serve {service}`."
        )


def _answer_in(reply: Msg, answer: type[A], failed: str) -> A:
    if reply.headers and (fault := reply.headers.get(SERVICE_ERROR)):
        raise NobodyAnswers(f"{failed}: {fault.rstrip('.')}. See its log.")
    try:
        return answer.model_validate_json(reply.data)
    except ValidationError as error:
        raise NobodyAnswers(f"{failed}: its answer cannot be decoded. Is it of another version?") from error
