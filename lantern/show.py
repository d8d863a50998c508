"""Ways of watching a session without a terminal: plain lines, or nothing."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable

from folds.by_text import ByText
from schemas.actor import ActionProposed
from schemas.base import Kind
from schemas.critic import ActionJudged, Decision
from schemas.envelope import Envelope
from schemas.fragment import FragmentGiven
from schemas.game import SessionEnded, SessionStarted, StepTaken

COUNTED = (Kind.STARTED, Kind.STEP, Kind.PROPOSAL, Kind.VERDICT)
"""What a summary is counted from."""


def printable(text: str) -> str:
    """A text from a story or a model, without anything that could steer a terminal."""
    return "".join(c if c.isprintable() or c == "\n" else "�" for c in text)


class Silent:
    """Shows nothing but what keeps it waiting (on standard error)."""

    kinds: Collection[Kind] = COUNTED

    def __enter__(self) -> Silent:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def saw(self, envelope: Envelope) -> None:
        """Nothing."""

    def quiet(self, absent: Iterable[str]) -> None:
        """Say what is missing."""
        missing = ", ".join(sorted(absent))
        why = f"not live: {missing} (start with `lantern serve`)" if missing else "a service is slow"
        print(f"lantern: nothing has come for a while; {why}", file=sys.stderr)


class Lines(Silent):
    """Plain lines: the text, what was proposed, and the verdict."""

    kinds: Collection[Kind] = tuple(Kind)

    def __init__(self) -> None:
        self.by_text = ByText()

    def saw(self, envelope: Envelope) -> None:
        """One line, or the game's text."""
        for line in lines_of(envelope, self.by_text):
            print(line, flush=True)


def lines_of(envelope: Envelope, by_text: ByText) -> list[str]:
    """A message in words; `by_text` has read the session's steps before it."""
    match envelope.body:
        case SessionStarted(resumed=True) as started:
            return [_goes_on(envelope.session, started)]
        case SessionStarted() as started:
            game = printable(started.game)
            return [f"session {envelope.session}: {game}, {started.policy}, seed {started.seed}"]
        case StepTaken() as step:
            return _step(by_text.read(step))
        case FragmentGiven(unchanged=False, suggestions=suggestions) if suggestions:
            return [f"  {envelope.service.name}: {'; '.join(map(printable, suggestions))}"]
        case ActionProposed() as proposal:
            missing = f" (without {', '.join(proposal.missing)})" if proposal.missing else ""
            said = f"  actor: {printable(proposal.action)} - {printable(proposal.reason)}{missing}"
            return [*(f"  ! {printable(notice)}" for notice in proposal.notices), said]
        case ActionJudged(decision=Decision.SUBSTITUTE) as verdict:
            return [f"  critic: {printable(verdict.action)} instead - {printable(verdict.reason)}"]
        case ActionJudged(by="game") as verdict:
            return [f"  game: {printable(verdict.reason)}, approved"]
        case SessionEnded() as ended:
            return [f"ended: {ended.reason}{' - ' + printable(ended.detail) if ended.detail else ''}"]
        case _:
            return []


def _goes_on(session: str, started: SessionStarted) -> str:
    """A fork says what it is, where it leaves its parent."""
    told = f"goes on after step {started.step}, up to {started.steps}"
    if not started.ancestors or started.ancestors[-1].step != started.step:
        return f"session {session} {told}"
    chance = "" if started.policy_seed is None else f", the policy's seed {started.policy_seed}"
    parent = started.ancestors[-1].session
    return f"session {session}, a fork of {parent}, {told}: {started.policy}, seed {started.seed}{chance}"


def _step(step: StepTaken) -> list[str]:
    score = "" if step.score is None else f", {step.score} points"
    room = step.room.name if step.room else "somewhere"
    lines = [f"[{step.step}] {printable(room)}{score}"]
    if step.action is not None:
        lines.append(f"> {printable(step.action)}")
    return [*lines, *printable(step.observation).strip().splitlines()]
