"""Asks the game service to start, resume and stop sessions, over an outage too."""

from __future__ import annotations

import asyncio

from mesh.errors import FailureError, NobodyAnswers, SessionRefused
from mesh.nats.reconnecting_client import Interrupted
from mesh.record.bus import Bus
from schemas.actor import AdviceAnswer, AskAdvice, ControlsAnswer, TakeControls, TypeAction
from schemas.critic import AskOpinion, OpinionAnswer
from schemas.game import (
    EndReason,
    PaceAnswer,
    PaceSession,
    ResumeSession,
    SessionAnswer,
    SessionPace,
    StartSession,
    StopSession,
)

PATIENCE = {"start": 30.0, "resume": 600.0}
"""Seconds to wait for a session: a resume without snapshots plays every recorded step again."""

CRITIC = "critic"

RETURN = 5.0
"""Seconds within which services are there again after the server."""


async def request_session(bus: Bus, verb: str, request: StartSession | ResumeSession) -> None:
    """Ask the game service for a session.

    Raises:
        SessionRefused: the game service refuses the request.
    """
    recorded = await bus.reader.sequence()
    answer, interrupted = await _asked(bus, verb, request, PATIENCE[verb])
    if not answer.ok and not (interrupted and await bus.reader.started_after(request.session, recorded)):
        raise SessionRefused(answer.refusal)


async def _asked(
    bus: Bus, verb: str, request: StartSession | ResumeSession | StopSession, seconds: float
) -> tuple[SessionAnswer, bool]:
    """The game service's answer, and whether an outage made it be asked twice."""
    interrupted = False
    while True:
        try:
            answer = await bus.requests.ask(
                "game", verb, request, SessionAnswer, session=request.session, timeout=seconds
            )
            return answer, interrupted
        except (Interrupted, NobodyAnswers) as error:
            interrupted = interrupted or isinstance(error, Interrupted)
            if not interrupted or bus.cell.events.time_since_outage() > RETURN:
                raise
            await asyncio.sleep(0.2)


async def stop_session(session: str, bus: Bus, reason: EndReason = EndReason.STOPPED) -> None:
    """End a session after the step under way.

    Raises:
        FailureError: it cannot be ended.
    """
    answer, _ = await _asked(bus, "stop", StopSession(session=session, reason=reason), 30.0)
    if not answer.ok:
        raise FailureError(answer.refusal)


async def ask_pace(session: str, bus: Bus, pace: SessionPace | None = None) -> SessionPace:
    """Set the pace of a session that is played (None: only ask); the pace that it has now.

    Raises:
        FailureError: it is not played.
    """
    request = PaceSession(session=session, pace=pace)
    answer = await bus.requests.ask("game", "pace", request, PaceAnswer, session=session)
    if not answer.ok:
        raise FailureError(answer.refusal)
    return answer.pace


ADVICE_WITHIN = 90.0
"""Seconds that an agent may take to say what it would do: it may ask a language model."""


async def take_controls(
    session: str, bus: Bus, by_hand: bool | None = None, until: int | None = None
) -> bool:
    """Take the controls of a session, or hand them back (None: only ask); whether a person has them now.

    `until`: the step from which on a person has them again.

    Raises:
        FailureError: it is not played.
    """
    request = TakeControls(session=session, by_hand=by_hand, until=until)
    answer = await bus.requests.ask("game", "controls", request, ControlsAnswer, session=session)
    if not answer.ok:
        raise FailureError(answer.refusal)
    return answer.by_hand


async def type_action(session: str, bus: Bus, step: int, action: str) -> None:
    """Give a person's action for the newest step.

    Raises:
        FailureError: the session is elsewhere, or nobody waits for an action.
    """
    request = TypeAction(session=session, step=step, action=action)
    answer = await bus.requests.ask("actor", "act", request, ControlsAnswer, session=session)
    if not answer.ok:
        raise FailureError(answer.refusal)


async def ask_advice(session: str, bus: Bus) -> AdviceAnswer:
    """What the agent would do at the step that waits for a person.

    Raises:
        FailureError: none waits.
    """
    answer = await bus.requests.ask(
        "actor", "advise", AskAdvice(session=session), AdviceAnswer, session=session, timeout=ADVICE_WITHIN
    )
    if not answer.ok:
        raise FailureError(answer.refusal)
    return answer


async def ask_opinion(session: str, bus: Bus, step: int, action: str) -> OpinionAnswer:
    """What the critic thinks of an action at a step, without playing it.

    Raises:
        FailureError: no critic takes part, or it knows no such step.
    """
    started = await bus.reader.started(session)
    if started is not None and CRITIC in started.without:
        raise FailureError(f"The session {session} is played without a critic.")
    request = AskOpinion(session=session, step=step, action=action)
    answer = await bus.requests.ask(CRITIC, "opinion", request, OpinionAnswer, session=session)
    if not answer.ok:
        raise FailureError(answer.refusal)
    return answer
