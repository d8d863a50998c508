"""One session's history in a graph file."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from services.memory.beliefs.facts import Changes
from services.memory.history import cypher
from services.memory.history.batches import batch_of, digest_of
from services.memory.store import Store


class HistoryStore(Store):
    """The steps of a session, and the facts that they began and ended."""

    tables = cypher.SCHEMA
    version = cypher.SCHEMA_VERSION
    read_all = cypher.READ_ALL

    def last_step(self) -> int:
        """The newest step in the file; -1: there is none."""
        last = self.rows(cypher.LAST_STEP)[0][0]
        return -1 if last is None else int(last)

    def write(self, changes: Sequence[Changes]) -> None:
        """Add steps in one transaction: all of them or, on an error, none."""
        new = self._not_stored(changes)
        if not new:
            return
        batch, replaces = batch_of(new), new[0].step <= self.last_step()
        with self.transaction():
            if replaces:
                self._forget_after(new[0].step - 1)
            self.add(cypher.ADD_ENTITIES, batch.entities)
            self.add(cypher.ADD_TURNS, batch.turns)
            self.add(cypher.ADD_FACTS, batch.facts)
            self.add(cypher.END_FACTS, batch.ended)
            self.add(cypher.ADD_MENTIONS, batch.mentions)
        if replaces or self.log_is_long():
            self.checkpoint()

    def forget_after(self, step: int) -> None:
        """Delete everything that came after this step."""
        with self.transaction():
            self._forget_after(step)
        self.checkpoint()

    def _not_stored(self, changes: Sequence[Changes]) -> Sequence[Changes]:
        """The changes from the first one that the file does not have."""
        if not changes or changes[0].step > self.last_step():
            return changes
        stored = dict(self.rows(cypher.DIGESTS, first=changes[0].step, last=changes[-1].step))
        same = takewhile(lambda change: stored.get(change.step) == digest_of(change), changes)
        return changes[sum(1 for _ in same) :]

    def _forget_after(self, step: int) -> None:
        for statement in cypher.FORGET:
            self.rows(statement, step=step)
