"""Go-Explore: return to a promising cell by restoring, and explore from there by chance.

After Ecoffet et al., First return, then explore (Nature 590, 2021): a cell is a room with what is held there
and the score; a cell is chosen with a weight that falls with the square root of its visits.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from search.environment import SavedPosition
from search.task import Task
from search.valid_actions.finder import ValidActionFinder
from zmachine.object_table import Tree

BURST = 12
"""Actions of one exploration."""
CANDIDATES = 120
"""Tried at most for the valid actions of one world."""
HIGH = 1.5
"""How much a higher score, one step in the order of scores, weighs more."""

CellKey = tuple[int, frozenset[int], int]


@dataclass(slots=True)
class ArchivedCell:
    """The shortest way found to a cell."""

    position: SavedPosition
    actions: tuple[str, ...]
    visits: int = 0


def go_explore(task: Task) -> None:
    """Explore until the probes are spent."""
    environment = task.environment
    finder = ValidActionFinder(environment, CANDIDATES)
    archive: dict[CellKey, ArchivedCell] = {}
    _archive(task, archive, ())
    while True:
        cell = _chosen(task, archive)
        cell.visits += 1
        environment.restore(cell.position)
        actions = cell.actions
        for _ in range(BURST):
            valid = finder.here()
            if not valid:
                break
            actions = (*actions, task.random.choice(valid))
            outcome = environment.step(actions[-1])
            if outcome.score > task.best_score:
                _report(task, actions)
            if outcome.done:
                break
            _archive(task, archive, actions)
        for exchanged in task.channel.exchanged():
            if exchanged.score > task.best_score:
                task.offer(exchanged.actions)
                _archive(task, archive, exchanged.actions)
        task.channel.progress(environment.probes, len(archive))


def _report(task: Task, actions: tuple[str, ...]) -> None:
    """Report a better list; the emulator is afterwards where it was."""
    position = task.environment.save()
    task.offer(actions)
    task.environment.restore(position)


def _archive(task: Task, archive: dict[CellKey, ArchivedCell], actions: tuple[str, ...]) -> None:
    """Keep where the emulator is, if the cell is new or this is a shorter way to it."""
    environment = task.environment
    tree, position = environment.tree(), environment.save()
    key = (environment.room(), _held(tree, environment.player), position.score)
    known = archive.get(key)
    if known is None:
        archive[key] = ArchivedCell(position, actions)
    elif len(actions) < len(known.actions):
        known.position, known.actions = position, actions


def _held(tree: Tree, player: int) -> frozenset[int]:
    return frozenset(tree.inside(player)) if player else frozenset()


def _chosen(task: Task, archive: dict[CellKey, ArchivedCell]) -> ArchivedCell:
    ranks = {score: HIGH**rank for rank, score in enumerate(sorted({key[2] for key in archive}))}
    weights = [ranks[key[2]] / sqrt(cell.visits + 1) for key, cell in archive.items()]
    return task.random.choices(list(archive.values()), weights)[0]
