"""Every call of a model is a message of the session; a call that is in the record is not made again."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from language_model.budget.budget_tracker import BudgetTracker
from language_model.model import Model, ModelError, Prompt, PromptPart, Reply
from language_model.prompting.quoting import plain_line
from mesh.record.bus import Bus
from mesh.record.writer import PublishOutcome
from schemas.base import Kind
from schemas.language_model import Fault, ModelAsked

MAX_REPLY_LENGTH, MAX_ERROR_LENGTH = 200_000, 1_000
"""Characters of a reply and of an error that are recorded."""


@dataclass(slots=True)
class RecordedModel:
    """A model, as a service asks it while it answers one step.

    A service that is restarted after a call, or replayed, gets the recorded reply: the reply to the same
    prompt. Each recorded reply is returned once.
    """

    model: Model
    bus: Bus
    session: str
    step: int
    budget_tracker: BudgetTracker | None = None
    """Counts each call; None: nobody counts."""
    _returned: set[int] = field(default_factory=set)
    """Numbers of the recorded calls that were returned."""
    _next_call: int = 0

    async def ask(self, prompt: Prompt) -> Reply:
        """The recorded reply to a prompt; else the model's reply, which is then recorded.

        Raises:
            ModelError: there is none, now or when it was recorded.
        """
        reply = await self.recall(prompt)
        if reply is None:
            try:
                reply = await self.model.ask(prompt)
            except ModelError as error:
                reply = error
            reply = await self.record(prompt, reply)
        if isinstance(reply, ModelError):
            raise reply
        return reply

    async def recall(self, prompt: Prompt) -> Reply | ModelError | None:
        """The recorded outcome of a prompt, if it was not returned before; None: there is none."""
        async for asked in self._recorded_calls():
            if asked.call not in self._returned and asked.prompt_sha256 == prompt.sha256:
                self._returned.add(asked.call)
                return _outcome_in(asked)
            self._next_call = asked.call + 1
        return None

    async def next_part_after(self, parts: tuple[PromptPart, ...]) -> PromptPart | None:
        """The part that follows these first parts in a recorded prompt about the step; None: there is none.

        When a service looks something up between two calls, the second prompt holds the result. A service
        that answers the step again takes it from there: another look-up may have another result, or none.
        """
        async for asked in self._recorded_calls():
            recorded = Prompt.model_validate_json(asked.prompt).parts
            if len(recorded) > len(parts) and recorded[: len(parts)] == parts:
                return recorded[len(parts)]
        return None

    async def record(self, prompt: Prompt, outcome: Reply | ModelError) -> Reply | ModelError:
        """Record the outcome of a prompt that `recall` has not found.

        If another instance has recorded the same call first, its outcome is returned.
        """
        asked = self._message(prompt, outcome, self._next_call)
        self._returned.add(asked.call)
        if self.budget_tracker is not None:
            self.budget_tracker.note(self.session, self.bus.cell.me.name, asked)
        if await self.bus.writer.publish(self.session, asked) is PublishOutcome.LOST:
            theirs = await self._recorded(asked.call)
            if theirs is not None and theirs.prompt_sha256 == asked.prompt_sha256:
                return _outcome_in(theirs)
        return _outcome_in(asked)

    async def record_unused_call(self, prompt: Prompt, outcome: Reply | ModelError) -> None:
        """Record a call whose reply is not used, so that its cost is counted.

        Its number is above 0, and a step whose call 0 is missing has no calls for `recall`.
        """
        self._next_call = 1
        while await self._recorded(self._next_call) is not None:
            self._next_call += 1
        await self.record(prompt, outcome)

    def _message(self, prompt: Prompt, outcome: Reply | ModelError, call: int) -> ModelAsked:
        fields = {
            "step": self.step,
            "call": call,
            "prompt": prompt.model_dump_json(),
            "prompt_sha256": prompt.sha256,
            **outcome.usage.model_dump(),
        }
        if isinstance(outcome, ModelError):
            error = plain_line(str(outcome), MAX_ERROR_LENGTH) or "The model gave no reply."
            fields |= {"model": self.model.name, "reply": "", "error": error, "fault": outcome.fault}
        else:
            fields |= {"model": plain_line(outcome.model, MAX_ERROR_LENGTH), **_reply_fields(outcome)}
        return ModelAsked.model_validate(fields)

    async def _recorded_calls(self) -> AsyncIterator[ModelAsked]:
        call = 0
        while (asked := await self._recorded(call)) is not None:
            yield asked
            call += 1

    async def _recorded(self, call: int) -> ModelAsked | None:
        cell = self.bus.cell
        address = cell.address(self.session, Kind.MODEL, self.step, cell.me.name, call)
        envelope = await self.bus.reader.read_own(address)
        return envelope.body if envelope and isinstance(envelope.body, ModelAsked) else None


def _reply_fields(reply: Reply) -> dict[str, str]:
    """The fields of a reply; of an error where the reply is too long or no valid text."""
    try:
        text = reply.model_dump_json()
    except ValueError:  # half a character (a lone surrogate)
        return {"reply": "", "error": "The model's reply is no valid text.", "fault": Fault.INVALID_REPLY}
    if len(text) > MAX_REPLY_LENGTH:
        error = f"The model's reply has {len(text):,} characters; at most {MAX_REPLY_LENGTH:,} are allowed."
        return {"reply": "", "error": error, "fault": Fault.INVALID_REPLY}
    return {"reply": text}


def _outcome_in(asked: ModelAsked) -> Reply | ModelError:
    if asked.error:
        return ModelError(asked.error, asked.fault or Fault.UNKNOWN)
    return Reply.model_validate_json(asked.reply)
