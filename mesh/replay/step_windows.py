"""A record in beats, and what a service that is replayed is given in each: all of it pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mesh.record.step_messages import StepMessages, step_messages_in
from schemas.actor import ActionProposed
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.fragment import FragmentGiven
from schemas.game import EndReason, SessionEnded, SessionStarted


@dataclass(frozen=True, slots=True)
class StepWindow:
    """What the record holds from one step to the next, in its order, and what it holds about the step."""

    messages: tuple[Envelope, ...]
    moment: StepMessages
    complete: bool
    """Whether the session went on, or had used its budget: else the record breaks off here."""

    @property
    def number(self) -> int:
        """The step's number."""
        return self.moment.number

    @property
    def proposal(self) -> ActionProposed | None:
        """What the actor proposed; None: the record has no proposal."""
        held = self.moment.of(Kind.PROPOSAL)
        return held.body if held and isinstance(held.body, ActionProposed) else None

    @property
    def fragments(self) -> tuple[Envelope, ...]:
        """The fragments about the step."""
        return tuple(message for message in self.moment.messages if message.kind is Kind.FRAGMENT)

    @property
    def live(self) -> frozenset[str]:
        """The fragment services that the actor knew to be there."""
        if self.proposal is None:
            return frozenset(fragment.service.name for fragment in self.fragments)
        return frozenset((*self.proposal.fragments, *self.proposal.missing))

    @property
    def at_hand(self) -> tuple[Envelope, ...]:
        """The fragments about the step that the actor had when it proposed."""
        late = self.proposal.missing if self.proposal else ()
        return tuple(f for f in self.fragments if f.service.name in self.live - {*late})


@dataclass(frozen=True, slots=True)
class ActorInputs:
    """The messages of a beat in the order in which the actor is given them: up to the step, and after it."""

    first: tuple[Envelope, ...]
    then: tuple[Envelope, ...]


def step_windows_in(messages: Iterable[Envelope]) -> list[StepWindow]:
    """The beats of a record; what comes before the first step belongs to it."""
    recorded = list(messages)
    moments = {moment.number: moment for moment in step_messages_in(recorded)}
    parts: list[list[Envelope]] = [[]]
    begun = False
    for message in recorded:
        if message.kind is Kind.STEP and begun:
            parts.append([])
        begun = begun or message.kind is Kind.STEP
        parts[-1].append(message)
    return [_beat(part, moments, is_last=part is parts[-1]) for part in parts if part]


def in_order(beat: StepWindow) -> tuple[Envelope, ...]:
    """The messages of a beat as they were recorded; the model's replies before all else."""
    return (*_models(beat), *_others(beat))


def as_the_actor_had_it(beat: StepWindow) -> ActorInputs:
    """What it had when it proposed, the step, and what came afterwards.

    The proposal tells what the actor had: a fragment that it calls missing reached it too late, wherever the
    record has it.
    """
    step = [message for message in beat.messages if message.kind is Kind.STEP]
    early = [message for message in beat.messages if _is_early(message, beat)]
    first = (*_models(beat), *early, *beat.at_hand, *step)
    fed = {id(message) for message in first}
    return ActorInputs(first, tuple(message for message in _others(beat) if id(message) not in fed))


def is_resume(message: Envelope) -> bool:
    """Whether a message says that the session goes on after a stop."""
    return isinstance(message.body, SessionStarted) and message.body.resumed


def could_have_said(beat: StepWindow, service: str, kind: Kind) -> bool:
    """Whether it means something that the record has no such message: the service was there, and had time.

    A fragment service was there where the actor missed it. Where the record breaks off, nobody had time; and
    where another has spoken first, the record keeps nobody else's word.
    """
    if kind is Kind.FRAGMENT:
        return beat.proposal is not None and service in beat.proposal.missing
    return beat.complete and beat.moment.of(kind) is None


def _beat(part: Sequence[Envelope], moments: dict[int, StepMessages], *, is_last: bool) -> StepWindow:
    step = next((message for message in part if message.kind is Kind.STEP), part[0])
    spent = any(isinstance(m.body, SessionEnded) and m.body.reason is EndReason.BUDGET for m in part)
    return StepWindow(tuple(part), moments[step.step], complete=spent or not is_last)


def _models(beat: StepWindow) -> list[Envelope]:
    return [message for message in beat.moment.messages if message.kind is Kind.MODEL]


def _others(beat: StepWindow) -> list[Envelope]:
    return [message for message in beat.messages if message.kind is not Kind.MODEL]


def _is_early(message: Envelope, beat: StepWindow) -> bool:
    """The session's start, and a late fragment about a step before that came in time for this one."""
    if message.kind is Kind.STARTED:
        return not is_resume(message)
    if not isinstance(message.body, FragmentGiven) or message.step == beat.number:
        return False
    proposed = beat.moment.of(Kind.PROPOSAL)
    return proposed is None or _before(message, proposed, beat)


def _before(one: Envelope, other: Envelope, beat: StepWindow) -> bool:
    places = {id(message): place for place, message in enumerate(beat.messages)}
    return places[id(one)] < places.get(id(other), len(places))
