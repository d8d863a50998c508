"""Takes the messages of sub-agents that have a NATS user of their own into the record.

Such a user may not write into the stream, so that it can store nothing but what is checked here. It offers a
message on a subject that no other user may use, so the server vouches for who it is (decision 0029).
"""

from __future__ import annotations

from collections import Counter, OrderedDict

from nats.aio.msg import Msg
from pydantic import ValidationError

from mesh.errors import LanternError
from mesh.nats.codec import Undecodable, decode, first_fault
from mesh.nats.subjects import ROOT, address_of, offer_subject
from mesh.record.bus import Bus
from mesh.record.writer import PublishOutcome
from schemas.base import Kind
from schemas.catalogue import PARTIES
from schemas.mesh import DeadLetter, OfferAnswer, OfferMessage

LARGEST = {Kind.FRAGMENT: 64 * 1024, Kind.MODEL: 256 * 1024}
"""Bytes of a message, by the kinds that are taken."""

LARGEST_DEAD_LETTER = 64 * 1024
MOST_AGENTS = 16
"""Sub-agents that are heard in one session."""

MOST_NUMBERED = 32
"""Model calls of a sub-agent about one step."""

MOST_DEAD_LETTERS = 100
"""Dead letters of a sub-agent in one session."""

SESSIONS = 64
"""Sessions whose counts are kept; those of the one used longest ago are forgotten first."""

PENDING_OFFERS, PENDING_BYTES = 1024, 16 * 1024 * 1024
"""What waits to be looked at; the client drops what comes beyond."""


class OfferRefused(LanternError):
    """An offered message is not taken; the text says why."""


class OfferGate:
    """Answers offers one after the other: it checks each, and stores it as it is."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self._agents: OrderedDict[str, Counter[str]] = OrderedDict()
        """By session: the sub-agents that were heard, with the number of their dead letters."""

    async def open(self) -> None:
        """Take offers for all sessions of the cell, each by one instance."""
        await self.bus.cell.nc.subscribe(
            offer_subject(self.bus.cell.name),
            queue="game",
            cb=self._on_offer,
            pending_msgs_limit=PENDING_OFFERS,
            pending_bytes_limit=PENDING_BYTES,
        )

    async def _on_offer(self, message: Msg) -> None:
        session, agent = message.subject.split(".")[3:]
        try:
            answer = OfferAnswer(stored=await self._taken(session, agent, message.data))
        except LanternError as error:
            answer = OfferAnswer(stored=False, refusal=str(error))
        if message.reply:
            await message.respond(answer.model_dump_json().encode())

    async def _taken(self, session: str, agent: str, data: bytes) -> bool:
        if len(data) > 2 * max(LARGEST.values()):
            raise OfferRefused(f"{len(data)} bytes are more than any message has.")
        try:
            offer = OfferMessage.model_validate_json(data)
        except ValidationError as error:
            raise OfferRefused(f"It is no OfferMessage: {first_fault(error)}.") from error
        if agent in PARTIES:
            raise OfferRefused(f"{agent} is no sub-agent of the user's own.")
        last = await self.bus.reader.newest(session, Kind.STEP)
        if last is None:
            raise OfferRefused(f"There is no session {session!r}.")
        told = self._agents_of(session)
        if agent not in told and len(told) >= MOST_AGENTS:
            raise OfferRefused(f"{MOST_AGENTS} sub-agents are heard in this session already.")
        told[agent] += check(offer, f"{ROOT}.{self.bus.cell.name}.{session}", agent, last.step, told[agent])
        outcome = await self.bus.writer.store(offer.subject, offer.message.encode())
        return outcome is PublishOutcome.STORED

    def _agents_of(self, session: str) -> Counter[str]:
        told = self._agents.setdefault(session, Counter())
        self._agents.move_to_end(session)
        if len(self._agents) > SESSIONS:
            self._agents.popitem(last=False)
        return told


def check(offer: OfferMessage, record: str, agent: str, last_step: int, dead_letters: int) -> bool:
    """Check an offered message; whether it is a dead letter.

    `record`: the beginning of the session's subjects.

    Raises:
        OfferRefused: it is not to be taken.
    """
    if not offer.subject.startswith(f"{record}."):
        raise OfferRefused(f"The subject {offer.subject} is not one of this session.")
    if offer.subject.startswith(f"{record}.dead.{agent}."):
        _check_dead_letter(offer, agent, dead_letters)
        return True
    address = address_of(offer.subject)
    if address is None or address.kind not in LARGEST or address.service != agent:
        raise OfferRefused(f"The subject {offer.subject} is none of {agent}'s fragments or model calls.")
    if len(offer.message) > LARGEST[address.kind]:
        raise OfferRefused(
            f"A {address.kind} of {len(offer.message)} characters is longer than {LARGEST[address.kind]}."
        )
    if address.step > last_step or (address.call or 0) >= MOST_NUMBERED:
        raise OfferRefused(f"It is about step {address.step}, call {address.call or 0}, which is not there.")
    try:
        decode(offer.subject, offer.message.encode())
    except Undecodable as error:
        raise OfferRefused(str(error)) from error
    return False


def _check_dead_letter(offer: OfferMessage, agent: str, dead_letters: int) -> None:
    if len(offer.message) > LARGEST_DEAD_LETTER or dead_letters >= MOST_DEAD_LETTERS:
        raise OfferRefused("These are too many dead letters, or they are too long.")
    try:
        letter = DeadLetter.model_validate_json(offer.message)
    except ValidationError as error:
        raise OfferRefused(f"It is no dead letter: {first_fault(error)}.") from error
    if letter.service != agent or not offer.subject.endswith(f".dead.{agent}.{letter.sequence}"):
        raise OfferRefused("The dead letter belongs on another subject.")
