"""The methods of this package, as a search runs them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from language_model.action_prior.question import ActionQuestion
from language_model.model import Prompt
from search.channel import Channel
from search.mcts.model_agents import ModelPlayer
from search.mcts.options import TreeOptions
from search.mcts.trial import TreePlayer
from search.task import Task
from search.valid_actions import ValidActionFinder

ASKS_MODEL = frozenset({"mc-dml", "model", "reflection"})
"""The methods that ask a language model."""
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


def puct(task: Task) -> None:
    """PUCT with a uniform prior (equation 2)."""
    TreePlayer(task, ValidActionFinder(task.environment), _options(task), None).play()


def mc_dml(task: Task) -> None:
    """MC-DML: PUCT with a language model as the prior, and its memories (equation 3, algorithm 1)."""
    advisor = ParentAdvisor(task.channel)
    TreePlayer(task, ValidActionFinder(task.environment), _options(task), advisor).play()


def model_agent(task: Task) -> None:
    """The language model alone, one round."""
    _model_player(task).play(rounds=1)


def reflection_agent(task: Task) -> None:
    """The language model, with one round for each reflection and one before."""
    player = _model_player(task)
    player.play(rounds=1 + player.options.reflections)


def _model_player(task: Task) -> ModelPlayer:
    finder = ValidActionFinder(task.environment)
    return ModelPlayer(task, finder, _options(task), ParentAdvisor(task.channel))


def _options(task: Task) -> TreeOptions:
    return TreeOptions(**task.order.options)
