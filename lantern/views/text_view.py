"""Ways of watching a session without a terminal: plain lines, or nothing."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable

from folds.text.reader import TextReader
from mesh.printable import one_line, printable
from schemas.actor import ActionProposed
from schemas.base import Kind
from schemas.critic import ActionJudged, Decision
from schemas.envelope import Envelope
from schemas.fragment import FragmentGiven
from schemas.game import SessionEnded, SessionStarted, StepTaken
from schemas.language_model import ModelAsked

__all__ = ["SilentView", "TextView", "lines_of", "one_line", "printable"]


class SilentView:
    """Shows nothing but what keeps it waiting (on standard error)."""

    kinds: Collection[Kind] = tuple(Kind)
    _waited_for = 0.0
    _told = ""
    """Why nothing has come, as it was said last."""

    def __enter__(self) -> SilentView:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def saw(self, envelope: Envelope) -> None:
        """Nothing."""

    def quiet(self, absent: Iterable[str]) -> None:
        """Say what is missing, once for as long as nothing comes."""
        missing = ", ".join(sorted(absent))
        why = f"not live: {missing} (start with `lantern serve`)" if missing else "a service is slow"
        if why != self._told:
            print(f"lantern: nothing has come for a while; {why}", file=sys.stderr)
        self._told = why

    def away(self, seconds: float) -> None:
        """Say what is waited for, once for each outage."""
        begins, self._waited_for = seconds > self._waited_for, seconds
        if begins:
            print(f"lantern: the NATS server is away; waiting {seconds:.0f} s for it", file=sys.stderr)


class TextView(SilentView):
    """Plain lines: the text, what was proposed, and the verdict."""

    def __init__(self, foreword: str = "") -> None:
        """`foreword`: said when the session has begun."""
        self.by_text, self.foreword = TextReader(), foreword

    def saw(self, envelope: Envelope) -> None:
        """One line, or the game's text."""
        self._told = ""
        if self.foreword:
            print(self.foreword, flush=True)
            self.foreword = ""
        for line in lines_of(envelope, self.by_text):
            print(line, flush=True)


def lines_of(envelope: Envelope, by_text: TextReader) -> list[str]:
    """A message in words; `by_text` has read the session's steps before it."""
    match envelope.body:
        case SessionStarted(resumed=True) as started:
            return [_goes_on(envelope.session, started)]
        case SessionStarted() as started:
            return [
                f"session {envelope.session}: {one_line(started.game)}, {started.policy}, seed {started.seed}"
            ]
        case StepTaken() as step:
            return _step(by_text.read(step))
        case FragmentGiven() as given:
            return _fragment(envelope.service.name, given)
        case ActionProposed() as proposal:
            return _proposal(proposal)
        case ModelAsked(error=error) if error:
            return [f"  {envelope.service.name}: no reply of the model - {one_line(error)}"]
        case ActionJudged(decision=Decision.SUBSTITUTE) as verdict:
            return [f"  critic: {one_line(verdict.action)} instead - {one_line(verdict.reason)}"]
        case ActionJudged(by="game") as verdict:
            return [f"  game: {one_line(verdict.reason)}, approved"]
        case SessionEnded() as ended:
            return [f"ended: {ended.reason}{' - ' + one_line(ended.detail) if ended.detail else ''}"]
        case _:
            return []


def _fragment(service: str, given: FragmentGiven) -> list[str]:
    suggested = "; ".join(map(one_line, given.suggestions)) if not given.unchanged else ""
    by_rule = f"by rule - {one_line(given.degraded)}" if given.degraded else ""
    return [f"  {service}: {said}" for said in (suggested, by_rule) if said]


def _proposal(proposal: ActionProposed) -> list[str]:
    missing = f" (without {', '.join(proposal.missing)})" if proposal.missing else ""
    by_rule = f" (by rule: {one_line(proposal.degraded)})" if proposal.degraded else ""
    said = f"  actor: {one_line(proposal.action)} - {one_line(proposal.reason)}{missing}{by_rule}"
    objective = proposal.mind.objective if proposal.mind else ""
    meant = [f"  objective: {one_line(objective)}"] if objective else []
    return [*(f"  ! {one_line(notice)}" for notice in proposal.notices), said, *meant]


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
    lines = [f"[{step.step}] {one_line(room)}{score}"]
    if step.action is not None:
        lines.append(f"> {one_line(step.action)}")
    return [*lines, *printable(step.observation).strip().splitlines()]
