"""Sub-agents that say by rule what a language model may say better."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Sequence
from typing import TypeVar

from pydantic import Field, NonNegativeInt
from pydantic_settings import BaseSettings, SettingsConfigDict

from language_model.asking import AsksModel
from language_model.model import Model, ModelError, Prompt, Reply
from language_model.quoting import plainly
from language_model.replies import UnfitReply
from mesh.fragments import FragmentService, Telling, given
from mesh.service import Folded, Session
from schemas.base import Frozen, Message
from schemas.envelope import Envelope
from schemas.fragment import Fragment
from schemas.game import StepTaken

REASON_LENGTH = 200
"""Characters of the reason why the rules speak."""

F = TypeVar("F", bound=Folded)


class TellerSettings(BaseSettings):
    """How long sub-agents wait for a language model, in seconds (`LANTERN_MODEL_...`)."""

    model_config = SettingsConfigDict(env_prefix="LANTERN_MODEL_", frozen=True)

    fragment_deadline: float = Field(
        8.0, gt=0, le=600, description="Where they hold up a step, from when it was published."
    )
    background_deadline: float = Field(60.0, gt=0, le=3600, description="Where they hold up nothing.")


class Question(Frozen):
    """What a language model is to be asked, and the step with which that came up."""

    step: NonNegativeInt
    prompt: Prompt


class Draft(Fragment):
    """What the rules say, and what a language model is asked in order to say it better."""

    question: Question | None = None
    barred: frozenset[str] = Field(
        frozenset(), description="Actions, in their normal form, that must not be suggested now."
    )


class Teller(AsksModel, FragmentService[F]):
    """Asks a language model while the step waits.

    `says` gives a `Draft`. Its question is asked at the step with which it came up, and the reply holds for
    as long as drafts have that question. It is read from the record: so a service that was restarted says
    what it would have said.
    """

    def __init__(self, limits: TellerSettings | None = None) -> None:
        self.limits = limits or TellerSettings()

    @abstractmethod
    def bettered(self, draft: Draft, reply: Reply) -> Fragment:
        """What the reply makes of a draft.

        Raises:
            UnfitReply: nothing.
        """

    async def answer(self, session: Session[Telling[F]], envelope: Envelope) -> Sequence[Message]:
        """The fragment for a step."""
        is_now = isinstance(envelope.body, StepTaken) and session.at == envelope.step
        if not is_now or not session.started.asks_models:
            return await super().answer(session, envelope)
        now, before = _draft(session.state.now), _draft(session.state.before)
        reply = await self._reply(session, now.question, envelope)
        is_held = before.question == now.question
        earlier = reply if is_held else await self._recorded(session.id, before.question)
        said, degraded = self._said(now, reply)
        last, _ = self._said(before, earlier)
        return (given(envelope.step, said, last, "" if is_held else degraded),)

    def _said(self, draft: Draft, reply: Reply | ModelError | None) -> tuple[Fragment, str]:
        """What is said of a draft, and why the rules say it where a model should have spoken."""
        if isinstance(reply, Reply):
            try:
                return self.bettered(draft, reply), ""
            except UnfitReply as unfit:
                reply = unfit
        rule = Fragment(sections=draft.sections, suggestions=draft.suggestions)
        return rule, why_by_rule(reply) if reply else ""

    async def _reply(
        self, session: Session[Telling[F]], question: Question | None, envelope: Envelope
    ) -> Reply | ModelError | None:
        """What came of a question; it is asked if it came up with this step, and the step is not the last."""
        is_new = question is not None and question.step == envelope.step < session.started.steps
        if question is None or not is_new:
            return await self._recorded(session.id, question)
        conversation = self.about(session.id, question.step)
        try:
            if (recorded := await conversation.recall(question.prompt)) is not None:
                return recorded
            reply = await reply_within(self._left(envelope), conversation.model, question.prompt)
            return await conversation.keep(question.prompt, reply)
        except ModelError as error:
            return error

    async def _recorded(self, session: str, question: Question | None) -> Reply | ModelError | None:
        """What the record says came of a question; None: nothing."""
        if question is None:
            return None
        try:
            return await self.about(session, question.step).recall(question.prompt)
        except ModelError as error:
            return error

    def _left(self, envelope: Envelope) -> float:
        """Seconds that the step may still be held up, from when it was published or an outage was over."""
        gone = min((self.bus.now() - envelope.time).total_seconds(), self.bus.events.there_for())
        return max(0.0, self.limits.fragment_deadline - max(0.0, gone))


async def reply_within(seconds: float, model: Model, prompt: Prompt) -> Reply | ModelError:
    """What comes of asking a model, which may be that there is no reply."""
    try:
        async with asyncio.timeout(seconds):
            return await model.ask(prompt)
    except TimeoutError:
        return ModelError(f"The language model did not reply within {seconds:.1f} s.")
    except ModelError as error:
        return error


def why_by_rule(error: ModelError) -> str:
    """The reason why the rules speak, in one bounded line."""
    return plainly(str(error), REASON_LENGTH)


def _draft(said: Fragment) -> Draft:
    return said if isinstance(said, Draft) else Draft(sections=said.sections, suggestions=said.suggestions)
