"""A batch of changes as rows of the store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from services.memory.beliefs.facts import Changes, EpisodicStep, Fact

Row = dict[str, object]

_MAX_INTEGER = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows to add, and the `ended` facts of earlier batches. A fact that begins and ends here is a row."""

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
        turns=[{**_row(change.episodic), "digest": digest_of(change)} for change in changes],
        facts=[_row(ended.get(key, fact)) for key, fact in begun.items()],
        ended=[_row(fact) for key, fact in ended.items() if key not in begun],
        mentions=[{"step": c.step, "entity": storable(entity)} for c in changes for entity in c.mentions],
    )


def digest_of(changes: Changes) -> str:
    """A digest that is equal for equal changes, in every process."""
    return blake2b(repr(changes).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _entities(changes: Iterable[Changes]) -> Iterator[Row]:
    for change in changes:
        for entity in change.entities:
            yield {
                "id": storable(entity.id),
                "kind": entity.kind.value,
                "name": storable(entity.name),
                "first_step": change.step,
            }


def _row(of: Fact | EpisodicStep) -> Row:
    return {field: storable(getattr(of, field)) for field in of.__slots__}


def storable(value: object) -> object:
    """The value as the file can store it: text in valid Unicode, whole numbers in 64 bits."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, int):
        return max(-_MAX_INTEGER, min(_MAX_INTEGER, value))
    return value


def _key(fact: Fact) -> tuple[str, str, str, int]:
    return (fact.subject, fact.relation, fact.object, fact.valid_from)
