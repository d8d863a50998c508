"""The narrator on the bus."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from language_model.model import ModelError, NoModel, Prompt, Reply
from language_model.sub_agents.asking import AsksModels
from language_model.sub_agents.teller import ModelBackedSettings, kept, recalled, reply_within, why_by_rule
from mesh.errors import BusUnreachable
from mesh.nats.subjects import REPLAYS
from mesh.runner.fragments import NOTHING, FragmentService, FragmentState, given
from mesh.runner.service import Session
from schemas.base import Kind, Message
from schemas.envelope import Envelope
from schemas.fragment import Fragment, FragmentGiven
from schemas.game import SessionStarted, StepTaken
from schemas.language_model import ModelAsked
from services.narrator.logic import Chapter, StorySoFar, fragment, narrative
from services.narrator.pending import AllPending, Pending
from services.narrator.prompt import prompt_of, summary_in

UNTOLD_WITHIN = 10.0
"""Seconds in which a call is recorded of which nothing is told: a service that leaves waits no longer."""


class NarratorService(AsksModels, FragmentService[StorySoFar]):
    """Sums the session up, every few steps and when points change.

    A model's summary holds up no step: it is asked for in the background, and told at the first step that
    finds it there. The record has it as asked at that step; so what was told when follows from the record
    alone, and all that is kept here is a reply on its way.
    """

    name = "narrator"
    version = "1.0.0"

    def __init__(self, limits: ModelBackedSettings | None = None) -> None:
        self.limits = limits or ModelBackedSettings()
        self.pending = AllPending()
        self._told: dict[str, str] = {}
        """By session, the digest of the prompt of which it was told last what came of it."""

    def initial_state(self, started: SessionStarted) -> StorySoFar:
        """Nothing is known of a session that has just started."""
        return StorySoFar.opening(started)

    def fragment_for(self, state: StorySoFar) -> Fragment | None:
        """What the rules make of the steps so far."""
        return fragment(state)

    async def forgotten(self, session: Session[FragmentState[StorySoFar]]) -> None:
        """Await no summary of the session."""
        self._told.pop(session.id, None)
        await self._let_go(session.id)

    async def left(self) -> None:
        """Await no summary."""
        await self.pending.drop_all()

    async def answer(
        self, session: Session[FragmentState[StorySoFar]], envelope: Envelope
    ) -> Sequence[Message]:
        """The fragment for a step."""
        is_now = isinstance(envelope.body, StepTaken) and session.at == envelope.step
        if not is_now or not session.started.asks_models:
            return await super().answer(session, envelope)
        reply = await self._recorded(session, envelope.step) or await self._arrived(session.id, envelope.step)
        chapters = session.state.state.chapters
        if chapters and envelope.step < session.started.steps and not self._is_replay:
            await self._ask(session.id, chapters[-1], envelope.step)
        return (_given(envelope.step, session.state, reply),)

    async def _recorded(
        self, session: Session[FragmentState[StorySoFar]], step: int
    ) -> Reply | ModelError | None:
        """What the record has as told at a step: by an instance that was killed, or in a replay."""
        told = await self._told_at(session.id, step)
        prompts = map(prompt_of, reversed(session.state.state.chapters)) if told else ()
        prompt = next((prompt for prompt in prompts if prompt.sha256 == told), None)
        if prompt is None:
            return None
        self._told[session.id] = prompt.sha256
        pending = self.pending.of(session.id)
        if pending is not None and pending.prompt == prompt:
            await self._let_go(session.id)
        return await recalled(self.model_for(session.id, step), prompt)

    async def _arrived(self, session: str, step: int) -> Reply | ModelError | None:
        """What has come since the step before; it is recorded now, unless another instance has told it."""
        pending = self.pending.of(session)
        if pending is None or not pending.arrives(step):
            return None
        reply, prompt = await pending.reply, pending.prompt
        await self.pending.drop(session)
        is_news = not await self._was_told(session, prompt, range(pending.due + 1, step))
        self._told[session] = prompt.sha256
        if not is_news:
            await self._keep_untold(session, pending)
            return None
        conversation = self.model_for(session, step)
        await recalled(conversation, prompt)
        return await kept(conversation, prompt, reply)

    async def _let_go(self, session: str) -> None:
        """Await nothing any more; what was asked is recorded all the same, for it may have to be paid."""
        pending = self.pending.of(session)
        if pending is not None:
            await self._keep_untold(session, pending)
            await self.pending.drop(session)

    async def _keep_untold(self, session: str, pending: Pending) -> None:
        """Record a call of which nothing will be told, if that can be done soon, and the session is there."""
        outcome = pending.outcome
        if not self.bus.cell.is_connected or (
            isinstance(outcome, ModelError) and not outcome.fault.was_asked
        ):
            return
        with suppress(TimeoutError, BusUnreachable):
            async with asyncio.timeout(UNTOLD_WITHIN):
                if await self.bus.reader.started(session) is not None:
                    await self.model_for(session, pending.due).keep_untold(pending.prompt, outcome)

    async def _ask(self, session: str, chapter: Chapter, step: int) -> None:
        """Ask for the summary that was due last, if it was not told, and none is awaited."""
        prompt, due = prompt_of(chapter), chapter.step.step
        if self.pending.of(session) or await self._was_told(session, prompt, range(due + 1, step + 1)):
            return
        asking = reply_within(self.limits.background_deadline, self.model_for(session, step).model, prompt)
        reply = asyncio.create_task(asking, name=f"summary of {session}")
        self.pending.hold(session, Pending(prompt, due, reply, answered=step))

    async def _was_told(self, session: str, prompt: Prompt, steps: range) -> bool:
        """Whether what came of a prompt was told, here or by another instance at one of these steps."""
        if self._told.get(session) == prompt.sha256:
            return True
        for step in steps:
            if await self._told_at(session, step) == prompt.sha256:
                return True
        return False

    async def _told_at(self, session: str, step: int) -> str | None:
        """The digest of the prompt to which the record has a reply at a step; None: there is none."""
        bus = self.model_for(session, step).bus
        held = await bus.reader.read_own(bus.cell.address(session, Kind.MODEL, step, self.name, 0))
        return held.body.prompt_sha256 if held and isinstance(held.body, ModelAsked) else None

    @property
    def _is_replay(self) -> bool:
        """Whether only the record replies; in live play the record has it that there is no model."""
        return isinstance(self.model, NoModel) and self.bus.cell.name.startswith(REPLAYS)


def _given(step: int, told: FragmentState[StorySoFar], reply: Reply | ModelError | None) -> FragmentGiven:
    """A model's summary, or the rules' where there is none; else what was said last still holds."""
    if reply is None:
        is_first = told.before == NOTHING
        return given(step, told.now, told.before) if is_first else FragmentGiven(step=step, unchanged=True)
    try:
        if isinstance(reply, ModelError):
            raise reply
        return given(step, narrative(summary_in(reply)), NOTHING)
    except ModelError as error:
        return given(step, told.now, NOTHING, why_by_rule(error))
