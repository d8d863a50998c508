"""Checks the integrity of a session's record: no message is missing or unreadable, and each has its cause."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from mesh.nats.codec import Undecodable, decode
from mesh.nats.subjects import Address, address_of, message_id, record_of
from mesh.record.batches import raw_messages
from mesh.record.reader import RecordReader
from schemas.actor import ActionProposed
from schemas.base import Kind
from schemas.critic import ActionJudged, Decision
from schemas.envelope import Envelope
from schemas.game import RESTART, EndReason, SessionEnded, SessionStarted, StepTaken


@dataclass(frozen=True, slots=True)
class IntegrityFault:
    """A fault in a record; `step` None: it belongs to no step."""

    step: int | None
    what: str


@dataclass(slots=True)
class RecordAudit:
    """Checks a record message by message, in its order."""

    started: SessionStarted | None = None
    """The newest start."""
    ended: SessionEnded | None = None
    """The end, unless the session was resumed afterwards."""
    steps: dict[int, StepTaken] = field(default_factory=dict)
    proposals: dict[int, ActionProposed] = field(default_factory=dict)
    verdicts: dict[int, ActionJudged] = field(default_factory=dict)
    _seen: set[str] = field(default_factory=set)
    """The ids of the messages."""
    _at: set[int] = field(default_factory=set)
    """The steps that have messages."""
    _faults: list[IntegrityFault] = field(default_factory=list)

    def note(self, subject: str, data: bytes) -> None:
        """Take in the message on a subject of the session."""
        address = address_of(subject)
        if address is None:
            kind = "dead letter" if ".dead." in subject else "foreign message"
            self._faults.append(IntegrityFault(None, f"there is a {kind} on {subject}"))
            return
        self._seen.add(message_id(address))
        self._at.add(address.step)
        try:
            envelope = decode(subject, data)
        except Undecodable as error:
            self._faults.append(IntegrityFault(address.step, f"{subject} cannot be read: {error}"))
            return
        self._check_cause(address, envelope.cause)
        self._sort(envelope)

    def faults(self) -> list[IntegrityFault]:
        """All faults, by step; call it after `note` has taken in every message."""
        found = [*self._faults, *self._gaps(), *self._undecided(), *self._misjudged(), *self._end()]
        return sorted(found, key=lambda fault: -1 if fault.step is None else fault.step)

    def taken(self) -> list[StepTaken]:
        """The steps from the opening up to the first that is missing."""
        numbers = range(len(self.steps))
        whole = next((number for number in numbers if number not in self.steps), len(self.steps))
        return [self.steps[number] for number in range(whole)]

    @property
    def last(self) -> int:
        """The last step; -1: there is none."""
        return max(self.steps, default=-1)

    def _sort(self, envelope: Envelope) -> None:
        match envelope.body:
            case SessionStarted() as started:
                self.started, self.ended = started, None
            case StepTaken() as step:
                self.steps[step.step] = step
            case ActionProposed() as proposal:
                self.proposals[proposal.step] = proposal
            case ActionJudged() as verdict:
                self.verdicts[verdict.step] = verdict
            case SessionEnded() as ended:
                self.ended = ended
            case _:
                pass

    def _check_cause(self, address: Address, cause: str | None) -> None:
        """Check that a message's cause comes before it (except for a start that a resume has replaced)."""
        expected = _expected_cause(address)
        if expected is None:
            fits = cause is None or cause in self._seen
        else:
            fits = cause == message_id(expected) and (cause in self._seen or expected.kind is Kind.STARTED)
        if not fits:
            named = cause or "nothing"
            self._faults.append(
                IntegrityFault(address.step, f"the {address.kind} names {named} as its cause, which is wrong")
            )

    def _gaps(self) -> Iterator[IntegrityFault]:
        if self.started is None:
            yield IntegrityFault(None, "there is no readable start")
        if not self.steps:
            yield IntegrityFault(None, "there is no readable step")
        for number in range(self.last + 1):
            if number not in self.steps:
                yield IntegrityFault(number, "the step is missing")
        for number in sorted(number for number in self._at if number > self.last >= 0):
            yield IntegrityFault(number, "there are messages about the step, but the step is missing")

    def _undecided(self) -> Iterator[IntegrityFault]:
        for number in range(self.last):
            if number not in self.proposals:
                yield IntegrityFault(number, "the proposal is missing")
            if number not in self.verdicts:
                yield IntegrityFault(number, "the verdict is missing")

    def _misjudged(self) -> Iterator[IntegrityFault]:
        for number, verdict in sorted(self.verdicts.items()):
            proposal = self.proposals.get(number)
            if proposal is not None and proposal.action != verdict.proposed:
                yield IntegrityFault(number, "the verdict is about another action than the one proposed")
            if verdict.decision is Decision.APPROVE and verdict.action != verdict.proposed:
                yield IntegrityFault(
                    number, "the verdict approves, but names another action than the one proposed"
                )
            before, after = self.steps.get(number), self.steps.get(number + 1)
            if before is not None and after is not None:
                wanted = RESTART if before.done else verdict.action
                if after.action != wanted:
                    yield IntegrityFault(
                        number + 1, "its action is not the one that the verdict before it names"
                    )

    def _end(self) -> Iterator[IntegrityFault]:
        if self.ended is None:
            return
        if self.ended.step != self.last:
            yield IntegrityFault(self.ended.step, f"the session ended here, but its last step is {self.last}")
        budget, last = self.started.steps if self.started else None, self.steps.get(self.ended.step)
        used_up = last is None or self.started is None or self.started.ends_with(last)
        if self.ended.reason is EndReason.BUDGET and not used_up:
            yield IntegrityFault(
                self.ended.step, f"the end says that the budget of {budget} steps is used up"
            )


async def audit_of(reader: RecordReader, session: str) -> RecordAudit:
    """The whole record of a session of the reader's cell."""
    audit = RecordAudit()
    async for raw in raw_messages(reader.cell, record_of(reader.cell.name, session)):
        audit.note(raw.subject or "", raw.data or b"")
    return audit


def _expected_cause(address: Address) -> Address | None:
    """The address of the message that must be the cause; None: there is none, or several are possible."""

    def at(kind: Kind, step: int) -> Address:
        return Address(address.cell, address.session, kind, step)

    match address.kind:
        case Kind.STEP:
            return at(Kind.VERDICT, address.step - 1) if address.step else at(Kind.STARTED, 0)
        case Kind.FRAGMENT | Kind.PROPOSAL:
            return at(Kind.STEP, address.step)
        case Kind.VERDICT:
            return at(Kind.PROPOSAL, address.step)
        case _:
            return None
