"""The files of `tests/recorded`: an export of each session in its plain form, and its transcript.

Whatever no behaviour decides is written the same each time: times, instances, and the order of what is said
at once.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from nats.js.api import Header

from mesh.nats.codec import decode, encode, envelope_address
from mesh.nats.subjects import message_id, subject_of
from mesh.record import archive
from mesh.record.bus import Bus
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.game import SessionEnded, SessionStarted, StepTaken

DIRECTORY = Path(__file__).parents[2] / "recorded"


def plain(messages: Iterable[Envelope]) -> list[Envelope]:
    """The messages of a record in one order and at one time, said by one instance of each service."""
    listed = list(messages)
    missed = {(m.step, name) for m in listed for name in getattr(m.body, "missing", ())}
    ordered = sorted(listed, key=lambda message: _place_in_beat(message, missed))
    began = datetime(2026, 1, 1, tzinfo=UTC)
    return [
        message.model_copy(
            update={
                "time": began + timedelta(milliseconds=10 * number),
                "service": message.service.model_copy(update={"instance": "recorded"}),
            }
        )
        for number, message in enumerate(ordered)
    ]


def _place_in_beat(message: Envelope, missed: set[tuple[int, str]]) -> tuple[int, int, str]:
    match message.body:
        case SessionStarted(resumed=resumed):
            place = 4 if resumed else 0
        case StepTaken():
            place = 1
        case SessionEnded():
            place = 3
        case _:
            place = {Kind.MODEL: 2, Kind.FRAGMENT: 2, Kind.PROPOSAL: 5, Kind.VERDICT: 6}[message.kind]
    if (message.step, message.service.name) in missed:
        place = 7
    return message.step, place, message.service.name


async def put(bus: Bus, messages: Iterable[Envelope]) -> None:
    """Put a record into the bus's cell, as an import would."""
    for message in messages:
        here = message.model_copy(update={"cell": bus.cell.name})
        place = envelope_address(here)
        headers = {Header.MSG_ID: message_id(place), archive.IMPORTED: "1"}
        await bus.cell.js.publish(subject_of(place), encode(here), headers=headers)


def recorded(name: str) -> list[Envelope]:
    """The messages of a recorded session; none where there is no such file."""
    path = path_of(name)
    return read(gzip.decompress(path.read_bytes()).decode()) if path.exists() else []


def read(text: str) -> list[Envelope]:
    """The messages of an export."""
    kept = archive.read_archive(text.splitlines())[2]
    return [decode(message.subject, message.payload) for message in kept]


def path_of(name: str) -> Path:
    return DIRECTORY / f"{name}.jsonl.gz"


def transcript(messages: Iterable[Envelope]) -> str:
    """All that a record says, in lines, so that a diff of two shows what has changed."""
    lines: list[str] = []
    for message in messages:
        lines.append(f"{message.step} {message.service.name} {message.kind}")
        told = message.body.model_dump(mode="json", exclude={"step"}, exclude_defaults=True)
        for name, value in told.items():
            lines += _lines_of(name, value)
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _lines_of(name: str, value: Any) -> list[str]:
    if name == "sections":
        return [line for section in value for line in _lines_of(section["name"], section["text"])]
    if isinstance(value, str):
        return [f"    {name} | {line}" for line in value.splitlines()]
    return [f"    {name}: {json.dumps(value)}"]


def transcript_of(name: str) -> Path:
    return DIRECTORY / f"{name}.txt"
