"""Offers a message to the game, which checks it and puts it into the record (see mesh/runner/offers.py)."""

from __future__ import annotations

from nats.errors import NoRespondersError
from nats.errors import TimeoutError as NatsTimeout

from mesh.errors import BusAway, FailureError
from mesh.nats.cell import Cell
from mesh.nats.subjects import offer_subject, session_in
from schemas.mesh import OfferAnswer, OfferMessage

ANSWERED_WITHIN = 5.0
"""Seconds."""


class OfferFailed(FailureError):
    """The game does not take a message of this sub-agent."""


async def offer(cell: Cell, subject: str, data: bytes) -> bool:
    """Whether the message was stored; False: the record has one on that subject.

    Raises:
        BusAway: no game service answers.
        OfferFailed: the game refuses the message.
    """
    asks = offer_subject(cell.name, session_in(subject), cell.me.name)
    offered = OfferMessage(subject=subject, message=data.decode()).model_dump_json().encode()
    try:
        reply = await cell.nc.request(asks, offered, timeout=ANSWERED_WITHIN)
    except (NoRespondersError, NatsTimeout) as error:
        raise BusAway(f"No game service takes {subject}. Is `lantern serve game` running?") from error
    answer = OfferAnswer.model_validate_json(reply.data)
    if answer.refusal:
        raise OfferFailed(f"The game service does not take {subject}. {answer.refusal}")
    return answer.stored
