"""Replays services: gives them the recorded messages window by window, and compares what they publish.

The fragment services come first, then the actor, then the critic, each group in a cell of its own. So a
service receives from the others the recorded messages or, if they are replayed too, those they publish now.
The result does not depend on how fast a service is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from dataclasses import dataclass

from mesh.record.comparison import FieldDifference, differences
from mesh.record.step_messages import StepMessages
from mesh.replay.replay_cell import ReplayCell
from mesh.replay.replayed_record import CHAIN, ReplayedRecord
from mesh.replay.step_windows import StepWindow, could_have_published, in_order, step_windows_in
from schemas.base import Kind
from schemas.envelope import Envelope


@dataclass(frozen=True, slots=True)
class ReplayedStep:
    """One step, replayed."""

    step_messages: StepMessages
    """The step with all recorded messages about it."""
    differences: tuple[FieldDifference, ...]
    compared: int
    """The number of messages that were compared."""

    @property
    def number(self) -> int:
        """The step's number."""
        return self.step_messages.number


def published_kinds(messages: Iterable[Envelope]) -> Mapping[str, frozenset[Kind]]:
    """The kinds of the chain that each service has published in a record."""
    kinds: defaultdict[str, set[Kind]] = defaultdict(set)
    for message in messages:
        if message.kind in CHAIN:
            kinds[message.service.name].add(message.kind)
    return {service: frozenset(found) for service, found in kinds.items()}


def first_in_chain(kinds: Iterable[Kind]) -> Kind:
    """The kind that decides in which cell a service is replayed."""
    return min(kinds, key=CHAIN.index)


async def replay(record: ReplayedRecord, cells: Sequence[ReplayCell]) -> AsyncGenerator[ReplayedStep, None]:
    """Replay a record in cells, which are in the order of the chain; yields step by step.

    Raises:
        BusUnreachable: the server does not answer.
    """
    kinds = published_kinds(record.messages)
    for window in step_windows_in(record.messages):
        found: list[tuple[FieldDifference, ...]] = []
        for cell in cells:
            parts = [(service, kind) for service in sorted(cell.services) for kind in _sorted(kinds[service])]
            await _feed(window, cell, record)
            await _collect(window, cell, parts, record)
            found += await _compared(window, cell, parts, record)
        yield ReplayedStep(window.step_messages, tuple(one for each in found for one in each), len(found))


async def _feed(window: StepWindow, cell: ReplayCell, record: ReplayedRecord) -> None:
    """Give a cell the messages of a window, without those that its own services published."""
    messages = (
        record.replacement_of(message)
        for message in in_order(window)
        if message.kind in cell.reads
        and not (message.kind in CHAIN and message.service.name in cell.services)
    )
    await cell.feed(message for message in messages if message is not None)
    await cell.settled()


async def _collect(
    window: StepWindow, cell: ReplayCell, parts: Iterable[tuple[str, Kind]], record: ReplayedRecord
) -> None:
    for service, kind in parts:
        if (message := await cell.published(service, kind, window.number)) is not None:
            record.put(message)


async def _compared(
    window: StepWindow, cell: ReplayCell, parts: Iterable[tuple[str, Kind]], record: ReplayedRecord
) -> list[tuple[FieldDifference, ...]]:
    """The differences of each message that can be compared."""
    found = []
    for service, kind in parts:
        recorded = window.step_messages.of(kind, service)
        replayed = record.current(kind, window.number, service)
        extra = replayed is not None and could_have_published(window, service, kind)
        if recorded is not None or extra:
            note = await cell.reason_for_silence(service, window.number) if replayed is None else ""
            found.append(differences(service, kind, recorded, replayed, note))
    return found


def _sorted(kinds: Iterable[Kind]) -> list[Kind]:
    return sorted(kinds, key=CHAIN.index)
