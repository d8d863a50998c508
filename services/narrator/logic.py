"""Which summaries a model is asked for, and what is published at a step: a pure state machine.

Events: an outcome arrives, a step is folded, the session is left. Each returns the next state; the last two
also return outputs, which the service carries out in their order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from language_model.model import ModelError, Prompt, Reply
from language_model.prompting.replies import reason_in
from schemas.fragment import Fragment
from services.narrator.prompt import prompt_of, summary_in
from services.narrator.story import Chapter, narrative

UNFINISHED = "The narrator stopped waiting for the reply, so the cost of this call is not known."


@dataclass(frozen=True, slots=True)
class AskModel:
    """Ask for a summary in the background."""

    prompt: Prompt


@dataclass(frozen=True, slots=True)
class PublishRecorded:
    """Publish the summary that is recorded at this step."""

    prompt: Prompt


@dataclass(frozen=True, slots=True)
class RecordAndPublish:
    """Record an outcome at this step, and publish it."""

    prompt: Prompt
    outcome: Reply | ModelError


@dataclass(frozen=True, slots=True)
class RecordUnused:
    """Stop the call if it is in flight, and record it where it was due, so that its cost is counted."""

    prompt: Prompt
    due: int
    outcome: Reply | ModelError


Output = AskModel | PublishRecorded | RecordAndPublish | RecordUnused


@dataclass(frozen=True, slots=True)
class SummaryQuery:
    """A summary that a model was asked for, and that is not published yet."""

    prompt: Prompt
    due: int
    """The step at which it was due."""
    answered: int
    """The last step that was answered without it."""
    outcome: Reply | ModelError | None = None


@dataclass(frozen=True, slots=True)
class Narration:
    """The state of one session: at most one query, and the last summary that was published.

    A call in the record at a step, with number 0, means that its summary was published at that step.
    """

    query: SummaryQuery | None = None
    published: int = -1
    """The step at which the last published summary was due."""

    def outcome_arrived(self, outcome: Reply | ModelError) -> Narration:
        """The call of the query has ended."""
        return replace(self, query=replace(self.query, outcome=outcome)) if self.query else self

    def steps_to_read(self, step: int, chapters: Sequence[Chapter]) -> range:
        """The steps whose recorded calls `step_folded` needs."""
        due = self.query.due if self.query else chapters[-1].step.step if chapters else step
        is_decided = due <= self.published or (self.query is not None and self.query.outcome is None)
        return range(step if is_decided else min(due + 1, step), step + 1)

    def step_folded(
        self, step: int, chapters: Sequence[Chapter], recorded: Mapping[int, str], may_ask: bool
    ) -> tuple[Narration, tuple[Output, ...]]:
        """A step is to be answered; `recorded`: by step, the digest of the prompt of the recorded call."""
        prompts = [(chapter.step.step, prompt_of(chapter)) for chapter in chapters if recorded]
        published = {prompt.sha256: due for due, prompt in prompts}
        known = replace(self, published=max((self.published, *_others(published, recorded, step))))
        here = next((found for found in prompts if found[1].sha256 == recorded.get(step)), None)
        after, outputs = known._published(step, here)
        newest = chapters[-1] if chapters else None
        if after.query or not may_ask or newest is None or newest.step.step <= after.published:
            return after, outputs
        query = SummaryQuery(prompt_of(newest), due=newest.step.step, answered=step)
        return replace(after, query=query), (*outputs, AskModel(query.prompt))

    def session_left(self) -> tuple[Narration, tuple[Output, ...]]:
        """The session has ended, or this instance stops."""
        return Narration(), _unused(self.query) if self.query else ()

    def _published(
        self, step: int, recorded: tuple[int, Prompt] | None
    ) -> tuple[Narration, tuple[Output, ...]]:
        """Publish what the record has at this step, else an outcome that has arrived."""
        query = self.query
        if recorded is not None:
            due, prompt = recorded
            is_same = query is not None and query.due == due
            unused = _unused(query) if query and is_same else ()
            after = Narration(None if is_same else query, max(due, self.published))
            return after, (PublishRecorded(prompt), *unused)
        if query is None:
            return self, ()
        if query.outcome is None or step <= query.answered:
            return replace(self, query=replace(query, answered=max(step, query.answered))), ()
        if query.due <= self.published:
            return replace(self, query=None), _unused(query)
        return Narration(None, query.due), (RecordAndPublish(query.prompt, query.outcome),)


def summary_fragment(outcome: Reply | ModelError, by_rule: Fragment) -> tuple[Fragment, str]:
    """The model's summary; where it is none, the rules' summary, and the reason."""
    try:
        if isinstance(outcome, ModelError):
            raise outcome
        return narrative(summary_in(outcome)), ""
    except ModelError as error:
        return by_rule, reason_in(error)


def _others(published: Mapping[str, int], recorded: Mapping[int, str], step: int) -> list[int]:
    """Due steps of the summaries that were published before a step, by any instance."""
    return [published[digest] for at, digest in recorded.items() if at < step and digest in published]


def _unused(query: SummaryQuery) -> tuple[RecordUnused, ...]:
    outcome = query.outcome or ModelError(UNFINISHED)
    was_asked = isinstance(outcome, Reply) or outcome.fault.was_asked
    return (RecordUnused(query.prompt, query.due, outcome),) if was_asked else ()
