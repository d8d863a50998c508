"""Ways of watching a session without a terminal: plain lines, or nothing."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Collection, Iterable

from folds.text.reader import TextReader
from language_model.budget.budget import SPENT
from lantern.invocation import as_typed
from lantern.views.budget_notice import BudgetNotice
from lantern.views.plan_lines import brief_plan_lines
from mesh.printable import counted, one_line, printable
from schemas.actor import ActionProposed
from schemas.base import Kind
from schemas.critic import NO_CRITIC, ActionJudged, Decision
from schemas.envelope import Envelope
from schemas.fragment import FragmentGiven
from schemas.game import SessionEnded, SessionPace, SessionStarted, StepTaken
from schemas.language_model import ModelAsked
from schemas.lookahead import LookedAhead

__all__ = ["SilentView", "TextView", "lines_of", "one_line", "printable"]


class SilentView:
    """Shows nothing but what keeps it waiting (on standard error)."""

    kinds: Collection[Kind] = tuple(Kind)
    _outage_left = 0.0
    """Seconds that the server was still waited for, as it was said last."""
    _last_reason = ""
    """Why nothing has come, as it was said last."""

    async def run(self, stopping: asyncio.Event, set_pace: Callable[[SessionPace], None]) -> None:
        """Nothing is drawn."""

    def show_message(self, envelope: Envelope) -> None:
        """Nothing."""

    def show_waiting(self, absent: Iterable[str]) -> None:
        """Say what is missing, once for as long as nothing comes."""
        missing = ", ".join(sorted(absent))
        why = f"not live: {missing} (start with `lantern serve`)" if missing else "a service is slow"
        self._say_once(as_typed(f"nothing has come for a while; {why}"))

    def show_outage(self, seconds: float) -> None:
        """Say what is waited for, once for each outage."""
        begins, self._outage_left = seconds > self._outage_left, seconds
        if begins:
            self.show_notice(f"the NATS server is away; waiting {seconds:.0f} s for it")

    def show_pace(self, pace: SessionPace) -> None:
        """Say that the session is held, once for as long as nothing comes."""
        if pace.hold_after is not None:
            self._say_once(as_typed("the session is paused; in `lantern watch` the space bar lets it go on"))

    def show_notice(self, notice: str) -> None:
        """Say something."""
        print(f"lantern: {notice}", file=sys.stderr, flush=True)

    def show_stopping(self) -> None:
        """Say that the session is about to end."""
        self.show_notice("stopping after the step under way")

    def _say_once(self, reason: str) -> None:
        if reason != self._last_reason:
            self.show_notice(reason)
        self._last_reason = reason


class TextView(SilentView):
    """Plain lines: the text, what was proposed, and the verdict."""

    def __init__(self, foreword: str = "") -> None:
        """`foreword`: said when the session has begun."""
        self.by_text, self.foreword = TextReader(), foreword
        self._budget = BudgetNotice()

    def show_message(self, envelope: Envelope) -> None:
        """One line, or the game's text."""
        self._last_reason = ""
        if self.foreword:
            print(self.foreword, flush=True)
            self.foreword = ""
        shown = self._budget.without_repeats(envelope)
        for line in lines_of(shown, self.by_text) if shown else ():
            print(line, flush=True)


def lines_of(envelope: Envelope, by_text: TextReader) -> list[str]:
    """A message in words; `by_text` has read the session's steps before it."""
    match envelope.body:
        case SessionStarted(resumed=True) as started:
            return [_goes_on(envelope.session, started)]
        case SessionStarted() as started:
            return [
                f"session {envelope.session}: {one_line(started.game)}, {_who(started)}, seed {started.seed}"
            ]
        case StepTaken() as step:
            return _step(by_text.read(step))
        case FragmentGiven() | LookedAhead() as told:
            return _of_sub_agent(envelope.service.name, told)
        case ActionProposed() as proposal:
            return _proposal(proposal)
        case ModelAsked(error=error) if error:
            return [_no_reply(envelope.service.name, error)]
        case ActionJudged(decision=Decision.SUBSTITUTE) as verdict:
            return [f"  critic: {one_line(verdict.action)} instead - {one_line(verdict.reason)}"]
        case ActionJudged(by="game") as verdict if verdict.reason != NO_CRITIC:
            return [f"  game: {one_line(verdict.reason)}, approved"]
        case SessionEnded() as ended:
            return [f"ended: {ended.reason}{' - ' + one_line(ended.detail) if ended.detail else ''}"]
        case _:
            return []


def _no_reply(service: str, error: str) -> str:
    """A spent budget concerns all services."""
    if SPENT in error:
        return f"! {one_line(error)} From here on the rules decide."
    return f"  {service}: no reply of the model - {one_line(error)}"


def _of_sub_agent(service: str, told: FragmentGiven | LookedAhead) -> list[str]:
    return [_ahead(told)] if isinstance(told, LookedAhead) else _fragment(service, told)


def _fragment(service: str, given: FragmentGiven) -> list[str]:
    suggested = "; ".join(map(one_line, given.suggestions)) if not given.unchanged else ""
    by_rule = f"by rule - {one_line(given.degraded)}" if given.degraded else ""
    return [f"  {service}: {said}" for said in (suggested, by_rule) if said]


def _ahead(found: LookedAhead) -> str:
    earned = f"{counted(found.points, 'point')} by {'; '.join(map(one_line, found.actions))}"
    kills = "; ".join(f"{one_line(each.action)} ({each.deaths} of {each.tries})" for each in found.risks)
    said = [*([earned] if found.points else []), *([f"killed: {kills}"] if kills else [])]
    return f"  planner: {found.probes:,} probes ahead: {', '.join(said) or 'nothing'}"


def _proposal(proposal: ActionProposed) -> list[str]:
    missing = f" (without {', '.join(proposal.missing)})" if proposal.missing else ""
    by_rule = f" (by rule: {one_line(proposal.degraded)})" if proposal.degraded else ""
    said = f"  actor: {one_line(proposal.action)} - {one_line(proposal.reason)}{missing}{by_rule}"
    meant = (f"  {line}" for line in brief_plan_lines(proposal.mind))
    return [*(f"  ! {one_line(notice)}" for notice in proposal.notices), said, *meant]


def _who(started: SessionStarted) -> str:
    return f"agent {one_line(started.agent)}" if started.agent else started.policy


def _goes_on(session: str, started: SessionStarted) -> str:
    """A fork says what it is, where it leaves its parent."""
    told = f"goes on after step {started.step}, up to {started.steps}"
    if not started.ancestors or started.ancestors[-1].step != started.step:
        return f"session {session} {told}"
    chance = "" if started.policy_seed is None else f", the policy's seed {started.policy_seed}"
    parent = started.ancestors[-1].session
    return f"session {session}, a fork of {parent}, {told}: {started.policy}, seed {started.seed}{chance}"


def _step(step: StepTaken) -> list[str]:
    score = "" if step.score is None else f", {counted(step.score, 'point')}"
    room = step.room.name if step.room else "somewhere"
    lines = [f"[{step.step}] {one_line(room)}{score}"]
    if step.action is not None:
        lines.append(f"> {one_line(step.action)}")
    return [*lines, *printable(step.observation).strip().splitlines()]
