"""A long session in the record, and one that grows at a steady rate, without a game."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.long_session import long_session
from lantern.nats.connection import connection, nats_url
from mesh.nats.codec import encode, envelope_address
from mesh.nats.subjects import message_id, subject_of
from mesh.record import archive
from mesh.record.archive import ArchivedMessage
from mesh.record.bus import Bus
from mesh.settings import MeshSettings
from schemas.actor import ActionProposed, FragmentUsed
from schemas.base import Message
from schemas.critic import ActionJudged, Decision
from schemas.fragment import FragmentGiven, Section
from schemas.game import EndReason, SessionEnded, SessionStarted, StepTaken

LONG = "long"
STEPS = 10_000
Said = tuple[str, Message]
"""A message, after the service that publishes it."""

TELLERS = ("hint", "memory", "narrator", "npc_tracker")


async def record_long_session(home: Path) -> None:
    """Put a session of 10,000 steps, 70,003 messages, into the record."""
    async with nats_url(MeshSettings(home=home)) as url, connection(url, "main") as bus:
        messages: list[Said] = [_start(STEPS)]
        steps = list(long_session(STEPS + 1))
        for step, after in zip(steps, [*steps[1:], None], strict=True):
            messages += [("game", step), *([] if after is None else _answers(step, after.action or "look"))]
        last = steps[-1]
        ended = SessionEnded(step=last.step, reason=EndReason.BUDGET, score=last.score, best_score=27)
        messages.append(("game", ended))
        await archive.store(bus.writer, LONG, [_stored(bus, LONG, *each) for each in messages])


async def record_session_live(
    home: Path, session: str, rate: int, seconds: int, published: list[float]
) -> None:
    """Publish so many steps a second; `published` gets the time of each."""
    async with nats_url(MeshSettings(home=home)) as url, connection(url, "main") as bus:
        await _publish(bus, session, [_start(rate * seconds)])
        began = time.perf_counter()
        for step in long_session(rate * seconds):
            await asyncio.sleep(began + step.step / rate - time.perf_counter())
            published.append(time.perf_counter())
            await _publish(bus, session, [("game", step), *_answers(step, "look")])


async def _publish(bus: Bus, session: str, messages: list[Said]) -> None:
    stored = (_stored(bus, session, *each) for each in messages)
    await asyncio.gather(*(bus.writer.store(each.subject, each.payload) for each in stored))


def _start(steps: int) -> Said:
    started = SessionStarted(
        step=0, game="made", story_md5="0" * 32, story_suffix=".z5", policy="heuristic", seed=1, steps=steps
    )
    return "game", started


def _answers(step: StepTaken, action: str) -> Iterator[Said]:
    """What the services of a usual session say to a step."""
    number, text = step.step, step.observation
    for at, name in enumerate(TELLERS):
        if (number + at) % 3:
            yield name, FragmentGiven(step=number, unchanged=True)
        else:
            section = Section(name="told", text=text * 2)
            yield name, FragmentGiven(step=number, sections=(section,), suggestions=("look", "wait"))
    used = tuple(FragmentUsed(service=name, step=max(0, number - 1)) for name in TELLERS)
    yield (
        "actor",
        ActionProposed(
            step=number, action=action, policy="heuristic", reason="an unexplored way", fragments=used
        ),
    )
    decision = Decision.SUBSTITUTE if number % 40 == 7 else Decision.APPROVE
    reason = "it is new here"
    yield (
        "critic",
        ActionJudged(
            step=number,
            action=action,
            proposed="wait",
            decision=decision,
            score=0.5,
            reason=reason,
            by="critic",
        ),
    )


def _stored(bus: Bus, session: str, service: str, message: Message) -> ArchivedMessage:
    envelope = bus.writer.envelope(session, message, None)
    by = envelope.service.model_copy(update={"name": service})
    envelope = envelope.model_copy(update={"service": by})
    address = envelope_address(envelope)
    return ArchivedMessage(subject_of(address), message_id(address), encode(envelope))
