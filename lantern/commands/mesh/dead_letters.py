"""`lantern dead-letters`: what a service could not handle."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from lantern.command_options import AsJson, CellName, NatsUrl, with_bus
from mesh.errors import FailureError
from mesh.printable import one_line
from mesh.record.bus import Bus
from mesh.runner import dead_letters

Number = Annotated[int, typer.Argument(metavar="NUMBER", help="Its number in the list.")]

app = typer.Typer(help="List, show, retry and drop dead letters.", no_args_is_help=True)


@app.command("list")
def list_command(nats: NatsUrl = None, cell: CellName = "main", as_json: AsJson = False) -> int:
    """List the dead letters of a cell, oldest first."""

    async def work(bus: Bus) -> list[dead_letters.StoredDeadLetter]:
        return [letter async for letter in dead_letters.every(bus.cell)]

    letters = with_bus(nats, cell, work)
    if as_json:
        print(
            json.dumps([{"number": each.number, **each.letter.model_dump(mode="json")} for each in letters])
        )
        return 0
    for each in letters:
        print(f"{each.number}  {each.service}  {one_line(each.subject)}  {one_line(each.letter.error)}")
    if not letters:
        print("no dead letters", file=sys.stderr)
    return 0


@app.command("show")
def show_command(number: Number, nats: NatsUrl = None, cell: CellName = "main") -> int:
    """Show a dead letter with the message itself."""
    found = with_bus(nats, cell, lambda bus: dead_letters.named(bus.cell, number))
    for key, value in found.letter.model_dump(mode="json", exclude={"payload_base64"}).items():
        print(f"{key}: {one_line(str(value))}")
    print("payload:", one_line(found.payload.decode(errors="replace")))
    return 0


@app.command("retry")
def retry_command(number: Number, nats: NatsUrl = None, cell: CellName = "main") -> int:
    """Have the service handle it again; if it can, the dead letter is gone."""
    answer = with_bus(nats, cell, lambda bus: dead_letters.retry(bus, number))
    if not answer.ok:
        raise FailureError(f"Dead letter {number} still cannot be handled: {answer.error}")
    print(f"handled {number}")
    return 0


@app.command("drop")
def drop_command(number: Number, nats: NatsUrl = None, cell: CellName = "main") -> int:
    """Throw a dead letter away."""
    with_bus(nats, cell, lambda bus: dead_letters.drop(bus.cell, number))
    print(f"dropped {number}")
    return 0
