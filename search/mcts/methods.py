"""The methods of this package, as a search runs them."""

from __future__ import annotations

from search.mcts.inquiries import ParentAdvisor
from search.mcts.model_agents import ModelPlayer
from search.mcts.options import TreeOptions
from search.mcts.trial import TreePlayer
from search.task import Task
from search.valid_actions.finder import ValidActionFinder

TREES = frozenset({"puct", "mc-dml"})
"""The methods that build a tree."""
ASKS_MODEL = frozenset({"mc-dml", "model", "reflection"})
"""The methods that ask a language model."""


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
