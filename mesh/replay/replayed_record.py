"""A record in which the new messages of replayed services replace their recorded ones."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from schemas.base import Kind
from schemas.envelope import Envelope

CHAIN = (Kind.FRAGMENT, Kind.PROPOSAL, Kind.VERDICT)
"""The kinds that services publish about a step, in the order of cause and effect."""
TOLD = (Kind.MODEL, Kind.LOOKAHEAD)
"""The kinds that hold what a service has learnt from a model or an emulator, and does not ask for again."""


_Key = tuple[Kind, int, str]


class ReplayedRecord:
    """The recorded messages of a session, and the messages that replayed services publish now."""

    def __init__(self, messages: Sequence[Envelope], replayed: Collection[str]) -> None:
        self.messages = messages
        self.replayed = frozenset(replayed)
        """The services that are replayed."""
        self._originals = {_key(message): message for message in messages if message.kind in CHAIN}
        self._verdicts = {message.step: message for message in messages if message.kind is Kind.VERDICT}
        self._published: dict[_Key, Envelope] = {}

    def put(self, message: Envelope) -> None:
        """Add a message that a replayed service has published."""
        self._published[_key(message)] = message

    def original(self, kind: Kind, step: int, service: str) -> Envelope | None:
        """The recorded message of a service."""
        return self._originals.get((kind, step, service))

    def current(self, kind: Kind, step: int, service: str) -> Envelope | None:
        """The message that the service publishes now if it is replayed, else the recorded one."""
        messages = self._published if service in self.replayed else self._originals
        return messages.get((kind, step, service))

    def verdict_at(self, step: int) -> Envelope | None:
        """The verdict on a step's proposal, whoever gave it: the one of now, if it is replayed."""
        given = self._verdicts.get(step)
        return None if given is None else self.current(Kind.VERDICT, step, given.service.name)

    def replacement_of(self, message: Envelope) -> Envelope | None:
        """The message that replaces a recorded one; None: there is none."""
        if message.kind not in CHAIN:
            return message
        return self.current(message.kind, message.step, message.service.name)


def _key(message: Envelope) -> _Key:
    return message.kind, message.step, message.service.name
