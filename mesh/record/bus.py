"""The bus: what a service or a command needs to work in a cell."""

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
        """The bus of an instance in a cell."""
        reader, telemetry = (
            RecordReader(cell, step_reads or StepReads()),
            Telemetry(cell.me, cell.name, traces),
        )
        return cls(cell, reader, RecordWriter(cell, reader, telemetry), Requests(cell), telemetry)

    @classmethod
    async def connect(
        cls, url: str, me: ServiceRef, cell: str, patience: float = PATIENCE, traces: Traces | None = None
    ) -> Self:
        """Connect. `patience`: seconds that a request waits for the server to come back.

        Raises:
            BusUnreachable: no server answers at `url`, or it refuses the login.
        """
        return cls.of(await Cell.connect(url, me, cell, patience), traces)

    def speaking_as(self, me: ServiceRef) -> Self:
        """The same connection for another service of this process."""
        return self.of(self.cell.speaking_as(me), self.telemetry.traces, self.reader.step_reads)

    def in_cell(self, name: str) -> Self:
        """The same instance in another cell."""
        return self.of(self.cell.named(name), self.telemetry.traces)
