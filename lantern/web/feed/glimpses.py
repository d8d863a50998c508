"""Of recorded messages what a row of the timeline needs: a long record is decoded ten times faster so."""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec

T = TypeVar("T")


class _Named(msgspec.Struct):
    name: str
    id: str | int = ""


class StepGlimpse(msgspec.Struct):
    """Of a step."""

    step: int
    action: str | None
    observation: str
    room: _Named | None = None
    inventory: tuple[_Named, ...] | None = None
    score: int | None = None
    reward: int = 0
    moves: int | None = None
    done: bool = False
    victory: bool = False
    episode: int = 1


class ProposalGlimpse(msgspec.Struct):
    """Of a proposal."""

    step: int
    policy: str
    missing: tuple[str, ...] = ()
    degraded: str = ""
    notices: tuple[str, ...] = ()


class VerdictGlimpse(msgspec.Struct):
    """Of a verdict."""

    step: int
    decision: str
    by: str
    reason: str = ""


class _Envelope(msgspec.Struct, Generic[T]):
    body: T


_STEP = msgspec.json.Decoder(_Envelope[StepGlimpse])
_PROPOSAL = msgspec.json.Decoder(_Envelope[ProposalGlimpse])
_VERDICT = msgspec.json.Decoder(_Envelope[VerdictGlimpse])


def step_in(data: bytes) -> StepGlimpse | None:
    """The step in a recorded message; None: it cannot be decoded."""
    return _body(_STEP, data)


def proposal_in(data: bytes) -> ProposalGlimpse | None:
    """The proposal in a recorded message; None: it cannot be decoded."""
    return _body(_PROPOSAL, data)


def verdict_in(data: bytes) -> VerdictGlimpse | None:
    """The verdict in a recorded message; None: it cannot be decoded."""
    return _body(_VERDICT, data)


def _body(decoder: msgspec.json.Decoder[_Envelope[T]], data: bytes) -> T | None:
    try:
        return decoder.decode(data).body
    except msgspec.DecodeError:
        return None
