"""The narrator on the bus."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import assert_never

from language_model.model import ModelError, NoModel, Prompt, Reply
from language_model.sub_agents.model_access import ModelAccess
from language_model.sub_agents.model_backed import ModelBackedSettings, ask_within
from mesh.errors import BusUnreachable
from mesh.nats.subjects import REPLAYS
from mesh.runner.fragments import NOTHING, FragmentService, FragmentState, given
from mesh.runner.service import Session
from mesh.settings import from_environment
from schemas.base import Kind, Message
from schemas.envelope import Envelope
from schemas.fragment import Fragment, FragmentGiven
from schemas.game import SessionStarted, StepTaken
from schemas.language_model import ModelAsked
from services.narrator.logic import (
    AskModel,
    Narration,
    Output,
    PublishRecorded,
    RecordAndPublish,
    RecordUnused,
    summary_fragment,
)
from services.narrator.story import StorySoFar, fragment

RECORD_TIMEOUT = 10.0
"""Seconds in which an unused call is recorded: a service that stops does not wait longer."""


@dataclass(slots=True)
class SessionNarration:
    """A session's narration, and its call in flight."""

    narration: Narration = field(default_factory=Narration)
    call: asyncio.Task[Reply | ModelError] | None = None

    def take_outcome(self) -> Narration:
        """The narration, with the outcome of the call if it has ended."""
        if self.call is not None and self.call.done() and not self.call.cancelled():
            self.narration, self.call = self.narration.outcome_arrived(self.call.result()), None
        return self.narration

    async def stop_call(self) -> None:
        """Stop the call in flight, if there is one."""
        call, self.call = self.call, None
        if call is not None:
            call.cancel()
            await asyncio.gather(call, return_exceptions=True)


NarratorSession = Session[FragmentState[StorySoFar], SessionNarration]


class NarratorService(ModelAccess, FragmentService[StorySoFar, SessionNarration]):
    """Summarizes the session every few steps, and when points change.

    A model's summary delays no step: the service asks for it in the background, and publishes it at the first
    step that finds the reply there. `Narration` decides, this class carries out.
    """

    name = "narrator"
    version = "1.0.0"

    def __init__(self, limits: ModelBackedSettings | None = None) -> None:
        self.limits = limits or from_environment(ModelBackedSettings)

    def initial_state(self, started: SessionStarted) -> StorySoFar:
        """The state before any step."""
        return StorySoFar.opening(started)

    def fragment_for(self, state: StorySoFar) -> Fragment | None:
        """The summary by rule."""
        return fragment(state)

    def open_session(self, session: NarratorSession) -> SessionNarration:
        """Nothing has been asked yet."""
        return SessionNarration()

    async def answer(self, session: NarratorSession, envelope: Envelope) -> Sequence[Message]:
        """The fragment for a step."""
        is_now = isinstance(envelope.body, StepTaken) and session.at == envelope.step
        if not is_now or not session.started.asks_models:
            return await super().answer(session, envelope)
        step, chapters = envelope.step, session.state.state.chapters
        narration = session.resources.take_outcome()
        recorded = await self._recorded(session.id, narration.steps_to_read(step, chapters))
        may_ask = step < session.started.steps and not self._is_replay
        after, outputs = narration.step_folded(step, chapters, recorded, may_ask)
        published = None
        for output in outputs:
            published = await self._carry_out(output, session, step) or published
        session.resources.narration = after
        return (_given(step, session.state, published),)

    async def close_session(self, session: NarratorSession) -> None:
        """Stop the session's call in flight, and record it."""
        for output in session.resources.take_outcome().session_left()[1]:
            await self._carry_out(output, session, session.at)
        await session.resources.stop_call()

    async def _carry_out(
        self, output: Output, session: NarratorSession, step: int
    ) -> Reply | ModelError | None:
        """Carry out an output; the outcome to be published, if it has one."""
        match output:
            case PublishRecorded(prompt):
                return await self.model_for(session.id, step).recall(prompt)
            case RecordAndPublish(prompt, outcome):
                recorded = self.model_for(session.id, step)
                return await recorded.recall(prompt) or await recorded.record(prompt, outcome)
            case RecordUnused(prompt, due, outcome):
                await session.resources.stop_call()
                await self._record_unused(session.id, prompt, due, outcome)
            case AskModel(prompt):
                model = self.model_for(session.id, step).model
                deadline = session.started.deadlines.model_background or self.limits.background_deadline
                call = ask_within(deadline, model, prompt)
                session.resources.call = asyncio.create_task(call, name=f"summary of {session.id}")
            case _:
                assert_never(output)
        return None

    async def _record_unused(
        self, session: str, prompt: Prompt, due: int, outcome: Reply | ModelError
    ) -> None:
        """Record an unused call, if the server is there and the session still exists."""
        if not self.bus.cell.is_connected:
            return
        with suppress(TimeoutError, BusUnreachable):
            async with asyncio.timeout(RECORD_TIMEOUT):
                if await self.bus.reader.started(session) is not None:
                    await self.model_for(session, due).record_unused_call(prompt, outcome)

    async def _recorded(self, session: str, steps: Iterable[int]) -> dict[int, str]:
        """By step, the digest of the prompt of the narrator's recorded call 0."""
        found: dict[int, str] = {}
        for step in steps:
            bus = self.model_for(session, step).bus
            envelope = await bus.reader.read_own(bus.cell.address(session, Kind.MODEL, step, self.name, 0))
            if envelope is not None and isinstance(envelope.body, ModelAsked):
                found[step] = envelope.body.prompt_sha256
        return found

    @property
    def _is_replay(self) -> bool:
        """Whether every reply comes from the record. Live play without a model has `NoModel` too."""
        return isinstance(self.model, NoModel) and self.bus.cell.name.startswith(REPLAYS)


def _given(
    step: int, fragments: FragmentState[StorySoFar], outcome: Reply | ModelError | None
) -> FragmentGiven:
    """The message: without an outcome the last summary remains, after the rules' summary of the opening."""
    if outcome is not None:
        published, degraded = summary_fragment(outcome, fragments.now)
        return given(step, published, NOTHING, degraded)
    if fragments.before == NOTHING:
        return given(step, fragments.now, fragments.before)
    return FragmentGiven(step=step, unchanged=True)
