"""Random valid actions, from the opening over and over: what every other method must beat."""

from __future__ import annotations

from search.task import Task
from search.valid_actions.finder import ValidActionFinder

LONGEST = 100
"""Actions of one walk."""


def random_walk(task: Task) -> None:
    """Walk until the probes are spent."""
    environment, valid = task.environment, ValidActionFinder(task.environment)
    while True:
        environment.restart()
        walked: list[str] = []
        best = (environment.opening.score, 0)
        for _ in range(LONGEST):
            actions = valid.here()
            if not actions:
                break
            walked.append(task.random.choice(actions))
            outcome = environment.step(walked[-1])
            if outcome.score > best[0]:
                best = (outcome.score, len(walked))
            if outcome.done:
                break
        if best[0] > task.best_score:
            task.offer(walked[: best[1]])
        task.channel.progress(environment.probes)
