"""Every call of a model is a message of the session; what is in the record is not asked again."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

from language_model.budget.budget_tracker import BudgetTracker
from language_model.model import Model, ModelError, Prompt, Reply, Said
from language_model.sub_agents.quoting import plainly
from mesh.record.bus import Bus
from mesh.record.writer import PublishOutcome
from schemas.base import Kind
from schemas.language_model import Fault, ModelAsked

LONGEST, ERROR_LENGTH = 200_000, 1_000
"""Characters of a reply and of an error that are recorded."""


@dataclass(slots=True)
class RecordedModel:
    """A model as a service asks it while it answers one step.

    A service that was killed after it had asked, or one that is replayed, gets the recorded replies: the
    prompt must be the same, and each reply is given once.
    """

    model: Model
    bus: Bus
    session: str
    step: int
    budget_tracker: BudgetTracker | None = None
    """Told of each call; None: nobody counts."""
    _given: set[int] = field(default_factory=set)
    _free: int = 0

    async def ask(self, prompt: Prompt) -> Reply:
        """The recorded reply to a prompt, else the model's, which is then recorded.

        Raises:
            ModelError: there is none, now or when it was recorded.
        """
        recorded = await self.recall(prompt)
        if recorded is not None:
            return recorded
        try:
            reply: Reply | ModelError = await self.model.ask(prompt)
        except ModelError as error:
            reply = error
        return await self.keep(prompt, reply)

    async def recall(self, prompt: Prompt) -> Reply | None:
        """A recorded reply to a prompt that was not given yet; None: there is none.

        Raises:
            ModelError: it is recorded that there was no reply.
        """
        call = 0
        while (asked := await self._recorded(call)) is not None:
            if call not in self._given and asked.prompt_sha256 == prompt.sha256:
                self._given.add(call)
                return _reply_in(asked)
            call += 1
        self._free = call
        return None

    async def said_after(self, said: tuple[Said, ...]) -> Said | None:
        """What a recorded prompt about the step has right after it began like this; None: none began so.

        What a service looked up between two calls is in the second one's prompt. Who answers the step again
        must not look it up again: the answer may be another now, or nobody may be there to give it.
        """
        call = 0
        while (asked := await self._recorded(call)) is not None:
            then = Prompt.model_validate_json(asked.prompt).said
            if len(then) > len(said) and then[: len(said)] == said:
                return then[len(said)]
            call += 1
        return None

    async def keep(self, prompt: Prompt, reply: Reply | ModelError) -> Reply:
        """Record what came of a prompt that `recall` does not know, and give it back.

        Raises:
            ModelError: nothing came of it.
        """
        told = {
            "step": self.step,
            "call": self._free,
            "prompt": prompt.model_dump_json(),
            "prompt_sha256": prompt.sha256,
            **reply.usage.model_dump(),
        }
        if isinstance(reply, ModelError):
            told |= {"model": self.model.name, "reply": "", "error": _why(reply), "fault": reply.fault}
        else:
            told |= {"model": plainly(reply.model, ERROR_LENGTH), **_written(reply)}
        return await self._record(ModelAsked.model_validate(told))

    async def keep_untold(self, prompt: Prompt, reply: Reply | ModelError) -> None:
        """Record what came of a call that will not be told: for its cost. It is never given as a reply.

        It stands behind the numbers that `recall` reads, which has never been asked for the first of them.
        """
        self._free = 1
        while await self._recorded(self._free) is not None:
            self._free += 1
        with suppress(ModelError):
            await self.keep(prompt, reply)

    async def _record(self, asked: ModelAsked) -> Reply:
        """Where another instance has recorded a reply to the same prompt meanwhile, that one counts."""
        self._given.add(asked.call)
        if self.budget_tracker is not None:
            self.budget_tracker.note(self.session, self.bus.cell.me.name, asked)
        if await self.bus.writer.publish(self.session, asked) is PublishOutcome.LOST:
            theirs = await self._recorded(asked.call)
            if theirs is not None and theirs.prompt_sha256 == asked.prompt_sha256:
                return _reply_in(theirs)
        return _reply_in(asked)

    async def _recorded(self, call: int) -> ModelAsked | None:
        place = self.bus.cell.address(self.session, Kind.MODEL, self.step, self.bus.cell.me.name, call)
        envelope = await self.bus.reader.read_own(place)
        return envelope.body if envelope and isinstance(envelope.body, ModelAsked) else None


def _written(reply: Reply) -> dict[str, str]:
    """A reply as the record takes it; one that the record cannot take is none."""
    try:
        kept = reply.model_dump_json()
    except ValueError:  # half a character (a lone surrogate)
        return {"reply": "", "error": "The model's reply is no valid text.", "fault": Fault.INVALID_REPLY}
    if len(kept) > LONGEST:
        too_long = f"The model's reply has {len(kept):,} characters; {LONGEST:,} are taken."
        return {"reply": "", "error": too_long, "fault": Fault.INVALID_REPLY}
    return {"reply": kept}


def _why(error: ModelError) -> str:
    return plainly(str(error), ERROR_LENGTH) or "The model gave no reply."


def _reply_in(asked: ModelAsked) -> Reply:
    if asked.error:
        raise ModelError(asked.error, asked.fault or Fault.UNKNOWN)
    return Reply.model_validate_json(asked.reply)
