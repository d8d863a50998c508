"""Sub-agents whose fragments are made by rules, and improved by a language model."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Sequence
from typing import TypeVar

from pydantic import Field, NonNegativeInt
from pydantic_settings import SettingsConfigDict

from language_model.model import Model, ModelError, Prompt, Reply, Usage
from language_model.prompting.replies import UnfitReply, reason_in
from language_model.sub_agents.model_access import ModelAccess
from mesh.runner.fragments import FragmentService, FragmentState, given
from mesh.runner.service import Folded, Session
from mesh.settings import Settings, from_environment
from schemas.base import Frozen, Message
from schemas.envelope import Envelope
from schemas.fragment import Fragment
from schemas.game import SessionStarted, StepTaken
from schemas.language_model import Fault

F = TypeVar("F", bound=Folded)


class ModelBackedSettings(Settings):
    """How long sub-agents wait for a language model, in seconds (`LANTERN_MODEL_...`)."""

    model_config = SettingsConfigDict(env_prefix="LANTERN_MODEL_")

    fragment_deadline: float = Field(
        8.0, gt=0, le=600, description="For a call that delays a step, counted from the step's publication."
    )
    background_deadline: float = Field(60.0, gt=0, le=3600, description="For a call in the background.")


class PendingQuery(Frozen):
    """What a language model is to be asked, and the step at which the query first appeared."""

    step: NonNegativeInt
    prompt: Prompt


class RuleFragment(Fragment):
    """A fragment made by rules, and the query to a language model that may improve it."""

    pending_query: PendingQuery | None = None
    barred: frozenset[str] = Field(
        frozenset(), description="Actions, in their normal form, that must not be suggested now."
    )


class ModelReplies:
    """The outcomes of a session's last two queries: of a step and of the step before."""

    def __init__(self) -> None:
        self._outcomes: tuple[tuple[PendingQuery, Reply | ModelError], ...] = ()

    def of(self, query: PendingQuery) -> Reply | ModelError | None:
        """The outcome of a query; None: not known here."""
        return next((outcome for asked, outcome in self._outcomes if asked == query), None)

    def note(self, query: PendingQuery, outcome: Reply | ModelError) -> None:
        """Remember the outcome of a query."""
        others = (pair for pair in self._outcomes if pair[0] != query)
        self._outcomes = (*others, (query, outcome))[-2:]


class ModelBackedFragmentService(ModelAccess, FragmentService[F, ModelReplies]):
    """Asks a language model while the step waits.

    `fragment_for` returns a `RuleFragment`. The service asks its query at the step at which the query first
    appears, and uses the reply as long as later fragments carry the same query. The record holds the reply,
    so a restarted service publishes what it would have published.
    """

    def __init__(self, limits: ModelBackedSettings | None = None) -> None:
        self.limits = limits or from_environment(ModelBackedSettings)

    @abstractmethod
    def refine(self, draft: RuleFragment, reply: Reply) -> Fragment:
        """Improve the rules' fragment with a reply.

        Raises:
            UnfitReply: the reply is of no use.
        """

    def open_session(self, session: Session[FragmentState[F], ModelReplies]) -> ModelReplies:
        """No query has an outcome yet."""
        return ModelReplies()

    async def answer(
        self, session: Session[FragmentState[F], ModelReplies], envelope: Envelope
    ) -> Sequence[Message]:
        """The fragment for a step."""
        is_now = isinstance(envelope.body, StepTaken) and session.at == envelope.step
        if not is_now or not session.started.asks_models:
            return await super().answer(session, envelope)
        now, before = _rule_fragment(session.state.now), _rule_fragment(session.state.before)
        outcome = await self._outcome(session, now.pending_query, envelope)
        is_same_query = before.pending_query == now.pending_query
        earlier = outcome if is_same_query else await self._outcome(session, before.pending_query, envelope)
        fragment, degraded = self._refined(now, outcome)
        fragment_before, _ = self._refined(before, earlier)
        return (given(envelope.step, fragment, fragment_before, "" if is_same_query else degraded),)

    def _refined(self, draft: RuleFragment, outcome: Reply | ModelError | None) -> tuple[Fragment, str]:
        """The fragment, and the reason why it is the rules' fragment although a model was asked."""
        if isinstance(outcome, Reply):
            try:
                return self.refine(draft, outcome), ""
            except UnfitReply as unfit:
                outcome = unfit
        by_rule = Fragment(sections=draft.sections, suggestions=draft.suggestions)
        return by_rule, reason_in(outcome) if outcome else ""

    async def _outcome(
        self, session: Session[FragmentState[F], ModelReplies], query: PendingQuery | None, envelope: Envelope
    ) -> Reply | ModelError | None:
        """The outcome of a query; a query that first appears now is asked, except at the last step."""
        if query is None:
            return None
        model = self.model_for(session.id, query.step)
        outcome = session.resources.of(query) or await model.recall(query.prompt)
        if outcome is None and query.step == envelope.step < session.started.steps:
            seconds = self._seconds_left(session.started, envelope)
            asked = await ask_within(seconds, model.model, query.prompt)
            outcome = await model.record(query.prompt, asked)
        if outcome is not None:
            session.resources.note(query, outcome)
        return outcome

    def _seconds_left(self, started: SessionStarted, envelope: Envelope) -> float:
        """Seconds that the step may still be delayed, since it was published or the connection came back."""
        deadline = started.deadlines.model_fragment or self.limits.fragment_deadline
        return max(0.0, deadline - max(0.0, self.bus.cell.age(envelope)))


async def ask_within(seconds: float, model: Model, prompt: Prompt) -> Reply | ModelError:
    """The outcome of asking a model; an error if there is no reply in time."""
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


def _rule_fragment(fragment: Fragment) -> RuleFragment:
    if isinstance(fragment, RuleFragment):
        return fragment
    return RuleFragment(sections=fragment.sections, suggestions=fragment.suggestions)
