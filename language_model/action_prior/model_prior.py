"""Asks a language model about actions: by likelihoods where its server tells them, else for a ranking."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from language_model.action_prior.answer_file import AnswerFile
from language_model.action_prior.question import (
    ActionQuestion,
    likelihood_prompt,
    normalised,
    ranked_in,
    ranking_prompt,
)
from language_model.budget.budget import SPENT, Spending
from language_model.likelihoods import LikelihoodModel, LikelihoodsUnsupported
from language_model.model import Model, ModelError, Prompt, Usage
from language_model.prompting.replies import UnfitReply
from schemas.language_model import Fault, ModelBudget

T = TypeVar("T")


@dataclass(slots=True)
class PriorCounts:
    """What a prior was asked."""

    asked: int = 0
    """Questions that went to the model."""
    recalled: int = 0
    """Questions whose answer was in the file."""
    unanswered: int = 0
    """Questions to which there was no usable answer."""
    why_unanswered: str = ""
    """The first reason for that."""
    spending: Spending = field(default_factory=Spending)

    def as_json(self) -> dict[str, Any]:
        """The object that `search --json` prints."""
        return {
            "asked": self.asked,
            "recalled": self.recalled,
            "unanswered": self.unanswered,
            "why_unanswered": self.why_unanswered,
            "tokens": self.spending.tokens,
            "cost_usd": self.spending.usd,
        }


class ModelPrior:
    """A model's answers about actions. A question that is in the file is not asked again."""

    def __init__(
        self, name: str, opened: Callable[[], Awaitable[Model]], answers: AnswerFile, budget: ModelBudget
    ) -> None:
        """`opened`: gives the model when the first question needs it. `name`: its name, with any file's."""
        self.name, self.counts = name, PriorCounts()
        self._opened, self._answers, self._budget = opened, answers, budget
        self._tells_likelihoods = True

    async def log_probabilities(self, question: ActionQuestion) -> tuple[float, ...] | None:
        """The log-probability of each action; None: the model has no usable answer, which is counted."""
        key = self._key("actions", question.model_dump_json())
        known = self._answers.get(key)
        if isinstance(known, list) and len(known) == len(question.actions):
            self.counts.recalled += 1
            return tuple(float(each) for each in known)
        answer = await self._answered(self._ask(question))
        if answer is not None:
            self._answers.put(key, list(answer))
        return answer

    async def text(self, prompt: Prompt) -> str | None:
        """The model's reply in words; None: there is none, which is counted."""
        key = self._key("text", prompt.model_dump_json())
        known = self._answers.get(key)
        if isinstance(known, str):
            self.counts.recalled += 1
            return known
        reply = await self._answered(self._words(prompt))
        if reply is not None:
            self._answers.put(key, reply)
        return reply

    async def _answered(self, asking: Awaitable[T]) -> T | None:
        try:
            return await asking
        except ModelError as error:
            self.counts.unanswered += 1
            self.counts.why_unanswered = self.counts.why_unanswered or str(error)
            return None

    async def _words(self, prompt: Prompt) -> str:
        reply = await (await self._model()).ask(prompt)
        self._count(reply.usage)
        words = " ".join(reply.text.split())
        if not words:
            raise UnfitReply("The model's reply is empty.")
        return words

    async def _ask(self, question: ActionQuestion) -> tuple[float, ...]:
        model = await self._model()
        if self._tells_likelihoods and isinstance(model, LikelihoodModel):
            try:
                found = await model.likelihoods(likelihood_prompt(question), question.actions)
            except LikelihoodsUnsupported:
                self._tells_likelihoods = False
            else:
                self._count(found.usage)
                return normalised(found.log_probabilities)
        reply = await model.ask(ranking_prompt(question))
        self._count(reply.usage)
        return ranked_in(reply, question)

    async def _model(self) -> Model:
        """The model. Raises ModelError where the budget is spent."""
        if reached := self.counts.spending.limit_reached(self._budget):
            raise ModelError(f"{SPENT} ({reached}).", Fault.BUDGET)
        return await self._opened()

    def _count(self, usage: Usage) -> None:
        self.counts.asked += 1
        taken = usage.input_tokens + usage.output_tokens
        self.counts.spending = self.counts.spending.plus(Spending(usage.cost_usd, taken, 1))

    def _key(self, kind: str, asked: str) -> str:
        return hashlib.sha256("\0".join((self.name, kind, asked)).encode()).hexdigest()
