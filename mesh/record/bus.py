"""What a service or a command of one cell works with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from mesh.nats.cell import PATIENCE, Cell
from mesh.nats.requests import Requests
from mesh.observability.telemetry import Telemetry
from mesh.observability.tracing import Traces
from mesh.record.reader import RecordReader
from mesh.record.steps import StepReads
from mesh.record.writer import RecordWriter
from schemas.envelope import ServiceRef


@dataclass(frozen=True, slots=True)
class Bus:
    """One service instance in one cell: the record, requests, and the telemetry of its own work."""

    cell: Cell
    reader: RecordReader
    writer: RecordWriter
    requests: Requests
    telemetry: Telemetry

    @classmethod
    def of(cls, cell: Cell, traces: Traces | None = None, step_reads: StepReads | None = None) -> Self:
        """What an instance works with in a cell."""
        reader, telemetry = (
            RecordReader(cell, step_reads or StepReads()),
            Telemetry(cell.me, cell.name, traces),
        )
        return cls(cell, reader, RecordWriter(cell, reader, telemetry), Requests(cell), telemetry)

    @classmethod
    async def connect(
        cls, url: str, me: ServiceRef, cell: str, patience: float = PATIENCE, traces: Traces | None = None
    ) -> Self:
        """Connect. `patience`: seconds that a request waits for a server that has gone away.

        Raises:
            BusUnreachable: nothing answers at `url`, or it refuses us.
        """
        return cls.of(await Cell.connect(url, me, cell, patience), traces)

    def speaking_as(self, me: ServiceRef) -> Self:
        """The same connection for another service of this process."""
        return self.of(self.cell.speaking_as(me), self.telemetry.traces, self.reader.step_reads)

    def in_cell(self, name: str) -> Self:
        """The same instance in another cell."""
        return self.of(self.cell.named(name), self.telemetry.traces)
