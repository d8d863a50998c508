"""A batch of changes as rows of the store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    rooms: list[Row]
    facts: list[Row]
    ended: list[Row]
    mentions: list[Row]


def batch_of(session: str, changes: Sequence[Changes], ends: Mapping[int, bool]) -> Batch:
    """The rows of some steps of a session, oldest first; `ends`: by the step of an end, whether won."""
    begun = {_key(fact): fact for change in changes for fact in change.begun}
    ended = {_key(fact): fact for change in changes for fact in change.ended}
    owned: Row = {"session": session}
    return Batch(
        entities=list(_entities(changes)),
        turns=[_turn(session, change, ends) for change in changes],
        rooms=[
            {"turn": turn_id(session, change.step), "room": storable(change.episodic.room)}
            for change in changes
            if change.episodic.room is not None
        ],
        facts=[_row(ended.get(key, fact)) | owned for key, fact in begun.items()],
        ended=[_row(fact) | owned for key, fact in ended.items() if key not in begun],
        mentions=[
            {"turn": turn_id(session, change.step), "entity": storable(entity)}
            for change in changes
            for entity in change.mentions
        ],
    )


def turn_id(session: str, step: int) -> str:
    """The id of a step's node."""
    return f"{session}:{step}"


def _turn(session: str, change: Changes, ends: Mapping[int, bool]) -> Row:
    won = ends.get(change.step)
    return {
        **_row(change.episodic),
        "id": turn_id(session, change.step),
        "session": session,
        "died": won is False,
        "won": won is True,
        "digest": digest_of(change),
    }


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
