"""The inquiries of the methods that ask a language model, and how the parent answers them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from language_model.action_prior.model_prior import ModelPrior
from language_model.action_prior.question import ActionQuestion
from language_model.model import Prompt
from search.channel import Channel

ACTIONS, TEXT = "actions", "text"
"""The kinds of inquiry: about actions, and for a text."""


@dataclass(frozen=True, slots=True)
class ParentAdvisor:
    """The language model that the parent asks: this process has no key."""

    channel: Channel

    def log_probabilities(self, question: ActionQuestion) -> Sequence[float] | None:
        """The log-probability of each action; None: the model has no answer."""
        answer: list[float] | None = self.channel.ask([ACTIONS, question.model_dump(mode="json")])
        return answer

    def text(self, prompt: Prompt) -> str | None:
        """The model's reply; None: it has none."""
        answer: str | None = self.channel.ask([TEXT, prompt.model_dump(mode="json")])
        return answer


def answers_of(prior: ModelPrior) -> Callable[[Any], Awaitable[Any]]:
    """Answers the inquiries of a `ParentAdvisor` from a model."""

    async def answer(question: Any) -> Any:
        kind, asked = question
        if kind == TEXT:
            return await prior.text(Prompt.model_validate(asked))
        return await prior.log_probabilities(ActionQuestion.model_validate(asked))

    return answer
