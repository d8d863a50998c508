"""Plays the story move by move, each found by a search, again and again until the probes are spent."""

from __future__ import annotations

from dataclasses import dataclass

from search.mcts.advice import Advisor, Moment
from search.mcts.options import TreeOptions
from search.mcts.reporting import tell_move
from search.mcts.tree_search import TreeSearch
from search.task import Task
from search.valid_actions.finder import ValidActionFinder


@dataclass(slots=True)
class TreePlayer:
    """Plays by tree search: PUCT, or MC-DML where there is an advisor."""

    task: Task
    valid_actions: ValidActionFinder
    options: TreeOptions
    advisor: Advisor | None

    def play(self) -> None:
        """Play trials, as long as there is anything to do.

        Raises:
            SearchStopped: the probes are spent.
        """
        while self._trial():
            pass

    def _trial(self) -> bool:
        """Play the story once; whether there was anything to do."""
        environment, actions = self.task.environment, list[str]()
        outcome, before = environment.restart(), None
        while len(actions) < self.options.moves and not outcome.done:
            position = environment.save()
            search = TreeSearch(
                environment, self.valid_actions, self.options, self.task.random, self.advisor, before
            )
            move = search.move(position, outcome.observation)
            if move is None:
                break
            edge, root = move
            before = Moment(root.observation or root.text, action=edge.action)
            environment.restore(position)
            outcome = environment.step(edge.action)
            actions.append(edge.action)
            tell_move(self.task, actions, outcome.score)
        return bool(actions)
