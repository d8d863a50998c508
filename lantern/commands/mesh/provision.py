"""`lantern provision` and `lantern nats-config`: a NATS server with one user per service."""

from __future__ import annotations

import itertools
import secrets
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ByteSize, Field, TypeAdapter, ValidationError

from lantern.command_options import NatsUrl, settings_with, with_bus
from lantern.nats.connection import identity
from lantern.play.services import OPTIONAL, SERVICES, service_named
from mesh.errors import InputError
from mesh.file_reading import SECRET_SIZE, read_limited_text
from mesh.nats.subjects import STREAM, checked_cell, checked_service
from mesh.printable import counted, one_line
from mesh.record import snapshots, stories
from mesh.record.bus import Bus
from mesh.runner.consumer import Consumer, kinds_for
from mesh.runner.fragments import FragmentService
from mesh.security.nats_configuration import configuration, password_variable
from mesh.security.permissions import users_of
from schemas.base import Message

Cells = Annotated[
    list[str] | None,
    typer.Option(
        "--cell", envvar="LANTERN_CELL", help="A cell of live play; main if none is given. May be repeated."
    ),
]
Agents = Annotated[
    list[str] | None, typer.Option("--agent", metavar="NAME", help="A sub-agent of yours. May be repeated.")
]


SIZE = TypeAdapter(Annotated[ByteSize, Field(ge=1_000_000, lt=1 << 63)])

Replicas = Annotated[
    int | None,
    typer.Option(
        min=1, max=5, help="How many servers of a cluster keep each message; as it is, if not given."
    ),
]


Limit = Annotated[
    str | None,
    typer.Option(
        metavar="BYTES",
        envvar="LANTERN_STREAM_LIMIT",
        help="How much the stream of all sessions holds, such as 20GB; beyond it refuses new messages. "
        "As it is, if not given.",
    ),
]


def provision_command(
    nats: NatsUrl = None,
    cell: Cells = None,
    agent: Agents = None,
    replicas: Replicas = None,
    limit: Limit = None,
) -> int:
    """Make the stream, the buckets and the consumers of all services, where they are not there yet."""
    settings = settings_with(nats)
    cells, most_bytes = [checked_cell(name) for name in cell or ["main"]], _bytes_in(limit)
    reads: dict[str, tuple[type[Message], ...]] = {
        name: service_named(name, settings.home).reads for name in (*SERVICES, *OPTIONAL)
    }
    reads |= {checked_service(name): FragmentService.reads for name in agent or ()}

    async def work(bus: Bus) -> None:
        await stories.provision(bus.cell)
        await snapshots.provision(bus.cell)
        if replicas is not None:
            for stream in (STREAM, stories.STREAM, snapshots.STREAM):
                await bus.cell.replicate(stream, replicas)
        if most_bytes is not None:
            await bus.cell.limit(most_bytes)
        for cell, (name, read) in itertools.product(cells, reads.items()):
            consumer_of = bus.cell.named(cell).speaking_as(identity(name, "1.0.0"))
            await Consumer(consumer_of, kinds_for(read), "*", settings).provision()

    with_bus(nats, cells[0], work)
    consumers = counted(len(cells) * len(reads), "consumer")
    print(f"provisioned: the stream, 2 buckets, {consumers} ({', '.join(cells)})")
    return 0


def _bytes_in(limit: str | None) -> int | None:
    """Raises InputError if the text is no size of 1 MB or more."""
    if limit is None:
        return None
    try:
        return SIZE.validate_python(limit)
    except ValidationError as error:
        raise InputError(f"A limit cannot be {limit!r}. Give a size of 1MB or more, such as 20GB.") from error


def nats_config_command(
    cell: Cells = None,
    agent: Agents = None,
    secrets_in: Annotated[
        Path | None,
        typer.Option(
            "--secrets",
            metavar="DIRECTORY",
            help="Also make a password for everybody: one file each, and nats.conf with all of them.",
        ),
    ] = None,
) -> int:
    """Print the configuration of a NATS server with one user per service."""
    text = configuration(cell or ("main",), agent or ())
    if secrets_in is None:
        print(text, end="")
        return 0
    names = [user.name for user in users_of(cell or ["main"], agent or [])]
    try:
        _write_secrets(secrets_in, names, text)
    except OSError as error:
        raise InputError(
            f"Cannot keep passwords in {secrets_in} ({error.strerror}). Give another directory."
        ) from error
    print(f"{one_line(str(secrets_in))}: nats.conf for the server, and the password of {', '.join(names)}")
    return 0


def _write_secrets(directory: Path, names: list[str], text: str) -> None:
    """A password that is there already is kept."""
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    passwords = {name: _password(directory / name) for name in names}
    lines = (f'{password_variable(name)}: "{password}"\n' for name, password in passwords.items())
    conf = directory / "nats.conf"
    conf.unlink(missing_ok=True)
    conf.touch(0o600)
    conf.write_text("".join(lines) + text)


def _password(file: Path) -> str:
    if not file.exists():
        file.touch(0o600)
        file.write_text(secrets.token_urlsafe(24))
    return read_limited_text(file, SECRET_SIZE).strip()
