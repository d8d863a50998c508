"""The search for one move: simulations from a position, until their number is reached (algorithm 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from search.environment import Environment, SavedPosition
from search.mcts.advice import Advisor, Moment, Reflections, lesson_of, policy, question_about
from search.mcts.options import TreeOptions
from search.mcts.tree import Edge, Node
from search.valid_actions.finder import ValidActionFinder

Log = list[tuple[str, str]]
"""Actions and the texts that they printed, from the position that is searched."""


@dataclass(slots=True)
class TreeSearch:
    """Searches for the best move at a position. The emulator may be anywhere afterwards."""

    environment: Environment
    valid_actions: ValidActionFinder
    options: TreeOptions
    random: Random
    advisor: Advisor | None
    """None: every action is as promising as any other, and nothing is learnt from failures."""
    before: Moment | None = None
    """The moment before the position, and the action that led there; None: it is the opening."""
    reflections: Reflections = field(init=False)

    def __post_init__(self) -> None:
        self.reflections = Reflections(self.options.reflections)

    def move(self, position: SavedPosition, text: str) -> tuple[Edge, Node] | None:
        """The best edge, and its node; None: there is no valid action.

        Raises:
            SearchStopped: the probes are spent.
        """
        found: tuple[Edge, Node] | None = None
        for depth in self.options.depths():
            root = self._node(position, text, "", failed=False)
            if not root.edges:
                return None
            for _ in range(self.options.simulations * len(root.edges)):
                self._simulate(root, depth)
            found = root.best(), root
            if found[0].value != 0:
                break
        return found

    def _simulate(self, root: Node, depth: int) -> None:
        """Walk down to an action that was not tried, try it, play on by chance, and learn its worth."""
        path: list[tuple[Node, Edge]] = []
        node, parent = root, None
        log: Log = [("", root.text)]
        rest = 0.0
        while node.edges and len(path) < depth:
            edge = self._selected(node, parent)
            is_new = edge.visits == 0
            child = edge.child or self._expanded(node, edge)
            path.append((node, edge))
            log.append((edge.action, child.text))
            node, parent = child, node
            if is_new:
                rest = self._rollout(child, depth - len(path), log)
                break
        if node.failed:
            self._reflect(log)
        for _, edge in reversed(path):
            rest = edge.reward + self.options.discount * rest
            edge.update(rest)

    def _selected(self, node: Node, parent: Node | None) -> Edge:
        """The edge by equation 3. The model is asked again when it has learnt something since."""
        lessons = self.reflections.lessons
        if not node.prior or node.lessons_known < len(lessons):
            node.prior, node.lessons_known = self._prior(node, parent, lessons), len(lessons)
        return node.selected(self.options.exploration)

    def _prior(self, node: Node, parent: Node | None, lessons: Sequence[str]) -> tuple[float, ...]:
        if self.advisor is None or not self.options.model_prior:
            return (1 / len(node.edges),) * len(node.edges)
        moment = Moment(self._observation(node))
        if self.options.in_trial_memory and parent is not None:
            moment = Moment(moment.observation, self._observation(parent), node.action)
        elif self.options.in_trial_memory and self.before is not None:
            moment = Moment(moment.observation, self.before.observation, self.before.action)
        actions = [edge.action for edge in node.edges]
        return policy(self.advisor, question_about(moment, lessons, actions))

    def _observation(self, node: Node) -> str:
        """The text, and what `look` and `inventory` print (MC-DML, section 4.1)."""
        if not node.observation:
            node.observation = observation_at(self.environment, node.position, node.text)
        return node.observation

    def _expanded(self, node: Node, edge: Edge) -> Node:
        """The position to which an action leads for the first time."""
        self.environment.restore(node.position)
        outcome = self.environment.step(edge.action)
        edge.reward = outcome.score - node.position.score
        edge.child = self._node(
            self.environment.save(), outcome.observation, edge.action, failed=outcome.lost
        )
        return edge.child

    def _node(self, position: SavedPosition, text: str, action: str, *, failed: bool) -> Node:
        self.environment.restore(position)
        edges = [Edge(action) for action in self.valid_actions.here()]
        return Node(position, text, action, failed, edges)

    def _rollout(self, node: Node, moves: int, log: Log) -> float:
        """The discounted reward of moves by chance (algorithm 1, lines 43 to 56)."""
        self.environment.restore(node.position)
        total, weight, score = 0.0, 1.0, node.position.score
        actions: Sequence[str] = [edge.action for edge in node.edges]
        for _ in range(moves):
            if not actions:
                break
            action = self.random.choice(actions)
            outcome = self.environment.step(action)
            log.append((action, outcome.observation))
            total += weight * (outcome.score - score)
            weight, score = weight * self.options.discount, outcome.score
            if outcome.lost:
                self._reflect(log)
            actions = self.valid_actions.here()
        return total

    def _reflect(self, log: Log) -> None:
        """Learn from a game that was lost (algorithm 1, lines 10 to 13 and 44 to 47)."""
        if self.advisor is not None and self.options.cross_trial_memory and not self.reflections.is_full:
            self.reflections.add(lesson_of(self.advisor, log))


def observation_at(environment: Environment, position: SavedPosition, text: str) -> str:
    """The text of a position, with what `look` and `inventory` print there."""
    if position.done:
        return text
    parts = [text]
    for action in ("look", "inventory"):
        environment.restore(position)
        printed = environment.step(action).observation
        if printed not in text:
            parts.append(printed)
    environment.restore(position)
    return "\n".join(parts)
