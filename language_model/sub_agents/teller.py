"""Sub-agents that say by rule what a language model may say better."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Sequence
from typing import TypeVar

from pydantic import Field, NonNegativeInt
from pydantic_settings import BaseSettings, SettingsConfigDict

from language_model.model import Model, ModelError, Prompt, Reply, Usage
from language_model.recorded import RecordedModel
from language_model.sub_agents.asking import AsksModels
from language_model.sub_agents.quoting import plainly
from language_model.sub_agents.replies import UnfitReply
from mesh.runner.fragments import FragmentService, FragmentState, given
from mesh.runner.service import Folded, Session
from schemas.base import Frozen, Message
from schemas.envelope import Envelope
from schemas.fragment import Fragment
from schemas.game import StepTaken
from schemas.language_model import Fault

REASON_LENGTH = 200
"""Characters of the reason why the rules speak."""

F = TypeVar("F", bound=Folded)


class ModelBackedSettings(BaseSettings):
    """How long sub-agents wait for a language model, in seconds (`LANTERN_MODEL_...`)."""

    model_config = SettingsConfigDict(env_prefix="LANTERN_MODEL_", frozen=True)

    fragment_deadline: float = Field(
        8.0, gt=0, le=600, description="Where they hold up a step, from when it was published."
    )
    background_deadline: float = Field(60.0, gt=0, le=3600, description="Where they hold up nothing.")


class PendingQuery(Frozen):
    """What a language model is to be asked, and the step with which that came up."""

    step: NonNegativeInt
    prompt: Prompt


class RuleFragment(Fragment):
    """What the rules say, and what a language model is asked in order to say it better."""

    question: PendingQuery | None = None
    barred: frozenset[str] = Field(
        frozenset(), description="Actions, in their normal form, that must not be suggested now."
    )


class ModelReplies:
    """What came of the last questions of each session: those of a step and of the step before."""

    def __init__(self) -> None:
        self._held: dict[str, tuple[tuple[PendingQuery, Reply | ModelError], ...]] = {}

    def of(self, session: str, question: PendingQuery) -> Reply | ModelError | None:
        """What came of a question; None: that is not known here."""
        held = self._held.get(session, ())
        return next((reply for asked, reply in held if asked == question), None)

    def note(self, session: str, question: PendingQuery, reply: Reply | ModelError) -> None:
        """Something came of a question."""
        others = (pair for pair in self._held.get(session, ()) if pair[0] != question)
        self._held[session] = (*others, (question, reply))[-2:]

    def forget(self, session: str) -> None:
        """The session is served no more."""
        self._held.pop(session, None)


class ModelBackedFragmentService(AsksModels, FragmentService[F]):
    """Asks a language model while the step waits.

    `fragment_for` returns a `RuleFragment`. The service asks its query at the step at which the query first
    appears, and uses the reply as long as later fragments carry the same query. The record holds the reply,
    so a restarted service publishes what it would have published.
    """

    def __init__(self, limits: ModelBackedSettings | None = None) -> None:
        self.limits = limits or ModelBackedSettings()
        self._heard = ModelReplies()

    @abstractmethod
    def refine(self, draft: RuleFragment, reply: Reply) -> Fragment:
        """What the reply makes of a draft.

        Raises:
            UnfitReply: nothing.
        """

    async def forgotten(self, session: Session[FragmentState[F]]) -> None:
        """Let go of the session's replies."""
        self._heard.forget(session.id)

    async def answer(self, session: Session[FragmentState[F]], envelope: Envelope) -> Sequence[Message]:
        """The fragment for a step."""
        is_now = isinstance(envelope.body, StepTaken) and session.at == envelope.step
        if not is_now or not session.started.asks_models:
            return await super().answer(session, envelope)
        now, before = _draft(session.state.now), _draft(session.state.before)
        reply = await self._reply(session, now.question, envelope)
        is_held = before.question == now.question
        earlier = reply if is_held else await self._reply(session, before.question, envelope)
        said, degraded = self._said(now, reply)
        last, _ = self._said(before, earlier)
        return (given(envelope.step, said, last, "" if is_held else degraded),)

    def _said(self, draft: RuleFragment, reply: Reply | ModelError | None) -> tuple[Fragment, str]:
        """What is said of a draft, and why the rules say it where a model should have spoken."""
        if isinstance(reply, Reply):
            try:
                return self.refine(draft, reply), ""
            except UnfitReply as unfit:
                reply = unfit
        rule = Fragment(sections=draft.sections, suggestions=draft.suggestions)
        return rule, why_by_rule(reply) if reply else ""

    async def _reply(
        self, session: Session[FragmentState[F]], question: PendingQuery | None, envelope: Envelope
    ) -> Reply | ModelError | None:
        """What came of a question; it is asked if it came up with this step, and the step is not the last."""
        if question is None:
            return None
        conversation = self.model_for(session.id, question.step)
        reply = self._heard.of(session.id, question) or await recalled(conversation, question.prompt)
        if reply is None and question.step == envelope.step < session.started.steps:
            came = await reply_within(self._left(envelope), conversation.model, question.prompt)
            reply = await kept(conversation, question.prompt, came)
        if reply is not None:
            self._heard.note(session.id, question, reply)
        return reply

    def _left(self, envelope: Envelope) -> float:
        """Seconds that the step may still be held up, from when it was published or an outage was over."""
        gone = self.bus.cell.age(envelope)
        return max(0.0, self.limits.fragment_deadline - max(0.0, gone))


async def recalled(conversation: RecordedModel, prompt: Prompt) -> Reply | ModelError | None:
    """What the record has of a prompt; None: nothing."""
    try:
        return await conversation.recall(prompt)
    except ModelError as error:
        return error


async def kept(conversation: RecordedModel, prompt: Prompt, reply: Reply | ModelError) -> Reply | ModelError:
    """What came of a prompt that the record does not know, recorded."""
    try:
        return await conversation.keep(prompt, reply)
    except ModelError as error:
        return error


async def reply_within(seconds: float, model: Model, prompt: Prompt) -> Reply | ModelError:
    """What comes of asking a model, which may be that there is no reply."""
    if seconds <= 0:
        return ModelError("There was no time left in which to ask the language model.", Fault.TIMEOUT)
    try:
        async with asyncio.timeout(seconds):
            return await model.ask(prompt)
    except TimeoutError:
        why = f"The language model did not reply within {seconds:.1f} s."
        return ModelError(why, Fault.TIMEOUT, Usage(seconds=seconds))
    except ModelError as error:
        return error


def why_by_rule(error: ModelError) -> str:
    """The reason why the rules speak, in one bounded line."""
    return plainly(str(error), REASON_LENGTH)


def _draft(said: Fragment) -> RuleFragment:
    return (
        said
        if isinstance(said, RuleFragment)
        else RuleFragment(sections=said.sections, suggestions=said.suggestions)
    )
