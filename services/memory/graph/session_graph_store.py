"""The sessions of one graph, in its file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from services.memory.beliefs.facts import Changes
from services.memory.graph import session_graph_cypher as cypher
from services.memory.graph.batches import batch_of, storable
from services.memory.graph.graph_files import QueryResult
from services.memory.store import Store

BATCH = 200
"""Steps in one transaction, at most."""


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """What the graph says of a session as a whole."""

    id: str
    policy: str
    seed: int
    steps: int
    score: int | None
    points: int
    deaths: int
    won: bool
    record: str
    """The step digest of its last step in the record."""


@dataclass(frozen=True, slots=True)
class StoredSession:
    """How much of a session is in a graph."""

    steps: int
    digest: str
    """Of what its last step changed: a record that has another one there has changed."""
    record: str
    """The step digest of its last step in the record."""


class SessionGraphStore(Store):
    """Sessions, their steps, and the facts that each step began and ended. Rooms and things are shared."""

    tables = cypher.SCHEMA
    version = cypher.SCHEMA_VERSION
    read_all = cypher.READ_ALL

    def sessions(self) -> dict[str, StoredSession]:
        """What is stored of each session."""
        return {session: StoredSession(*rest) for session, *rest in self.rows(cypher.SESSIONS)}

    def add_session(self, facts: SessionFacts, changes: Sequence[Changes], ends: Mapping[int, bool]) -> None:
        """Add the steps that are not stored yet: all of them, or on an error none of the last batch."""
        fields = {name: storable(getattr(facts, name)) for name in SessionFacts.__slots__}
        for first in range(0, len(changes), BATCH):
            part = changes[first : first + BATCH]
            batch = batch_of(facts.id, part, ends)
            with self.transaction():
                newest = {"steps": part[-1].step, "digest": batch.turns[-1]["digest"]}
                self.rows(cypher.SET_SESSION, **(fields | newest))
                self.add(cypher.ADD_ENTITIES, batch.entities)
                self.add(cypher.ADD_TURNS, batch.turns)
                self.add(cypher.ADD_ROOMS, batch.rooms)
                self.add(cypher.ADD_FACTS, batch.facts)
                self.add(cypher.END_FACTS, batch.ended)
                self.add(cypher.ADD_MENTIONS, batch.mentions)
        self.checkpoint()


class ReadOnlySessionGraph(SessionGraphStore):
    """The same file, opened so that nothing can be changed."""

    read_only: ClassVar[bool] = True

    def query(self, text: str, most: int, **parameters: object) -> QueryResult:
        """The answer to a query of a user."""
        return self.table(text, most, **parameters)
