"""Tells the parent of a search what a player has done."""

from __future__ import annotations

from collections.abc import Sequence

from search.task import Task


def tell_move(task: Task, actions: Sequence[str], score: int) -> None:
    """Offer the moves of a trial if they earn more than any before. The emulator stays where it is."""
    environment = task.environment
    if score > task.best_score:
        position = environment.save()
        task.offer(actions)
        environment.restore(position)
    task.channel.progress(environment.probes, note=f"move {len(actions)}: {actions[-1]}")
