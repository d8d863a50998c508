"""Rows of a batch of changes, as the store writes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from services.memory.facts import Changes, Fact, Turn

Row = dict[str, object]


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows to add; `ended` are facts of earlier batches. Facts begun and ended within one are added ended."""

    entities: list[Row]
    turns: list[Row]
    facts: list[Row]
    ended: list[Row]
    mentions: list[Row]


def batch_of(changes: Sequence[Changes]) -> Batch:
    """The rows of some steps, oldest first."""
    begun = {_key(fact): fact for change in changes for fact in change.begun}
    ended = {_key(fact): fact for change in changes for fact in change.ended}
    return Batch(
        entities=list(_entities(changes)),
        turns=[{**_row(change.turn), "digest": digest_of(change)} for change in changes],
        facts=[_row(ended.get(key, fact)) for key, fact in begun.items()],
        ended=[_row(fact) for key, fact in ended.items() if key not in begun],
        mentions=[{"step": c.step, "entity": entity} for c in changes for entity in c.mentions],
    )


def digest_of(changes: Changes) -> str:
    """Equal for equal changes, in whatever process."""
    return blake2b(repr(changes).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _entities(changes: Iterable[Changes]) -> Iterator[Row]:
    for change in changes:
        for entity in change.entities:
            yield {
                "id": entity.id,
                "kind": entity.kind.value,
                "name": entity.name,
                "first_step": change.step,
            }


def _row(of: Fact | Turn) -> Row:
    return {field: getattr(of, field) for field in of.__slots__}


def _key(fact: Fact) -> tuple[str, str, str, int]:
    return (fact.subject, fact.relation, fact.object, fact.valid_from)
