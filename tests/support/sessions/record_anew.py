"""Plays the recorded sessions anew, rewrites the files that came out otherwise, and tells what has changed.

`make record` runs it; the transcript beside each export shows the change in a diff, too.
"""

from __future__ import annotations

import asyncio
import gzip
import logging
import os
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from lantern.inspect.replay_report import difference_line
from lantern.nats.connection import connection
from lantern.nats.embedded_nats import embedded_nats
from mesh.log import log_to
from mesh.record import archive
from mesh.record.bus import Bus
from mesh.record.comparison import FieldDifference, differences
from mesh.settings import MeshSettings
from schemas.base import Kind
from schemas.envelope import Envelope
from tests.support.processes.command import REPEATABLE
from tests.support.sessions.recorded import path_of, plain, put, read, recorded, transcript, transcript_of
from tests.support.sessions.recorded_sessions import CELL, SESSIONS, STEPS_ONLY

PATIENT = {**REPEATABLE, "LANTERN_ACTOR_DEADLINE": "60", "LANTERN_GAME_VERDICT_DEADLINE": "60"}
"""With these nothing that is recorded depends on the machine's speed."""


async def exported(name: str, bus: Bus, settings: MeshSettings) -> str:
    """Play a session, and export it in its plain form."""
    await {**SESSIONS, **STEPS_ONLY}[name](bus, settings)
    messages = plain([message async for message in bus.reader.messages(name) if is_kept(name, message)])
    await bus.writer.delete(name)
    await asyncio.sleep(0.2)  # the server forgets the ids
    await put(bus, messages)
    return "".join([f"{line}\n" async for line in archive.export(bus.cell, name)])


def is_kept(name: str, message: Envelope) -> bool:
    """Whether a session's file has the message."""
    return name in SESSIONS or message.kind in (Kind.STARTED, Kind.STEP)


def changes(before: Sequence[Envelope], after: Sequence[Envelope]) -> list[tuple[int, FieldDifference]]:
    """What differs between two records of a session, in the order of the newer."""
    old, new = ({_key(message): message for message in messages} for messages in (before, after))
    return [
        (key[0], difference)
        for key in dict.fromkeys((*new, *old))
        for difference in differences(key[2], key[1], old.get(key), new.get(key))
    ]


def _key(message: Envelope) -> tuple[int, Kind, str]:
    return message.step, message.kind, message.service.name


async def record_anew(name: str, bus: Bus, settings: MeshSettings) -> AsyncIterator[str]:
    """Play a session anew and write its file where it came out otherwise; what has changed, in lines."""
    before, text = recorded(name), await exported(name, bus, settings)
    path = path_of(name)
    if name in SESSIONS:
        transcript_of(name).write_text(transcript(read(text)))
    if path.exists() and gzip.decompress(path.read_bytes()).decode() == text:
        yield f"{name}: unchanged"
        return
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
    found = changes(before, read(text))
    counts = Counter(difference.service for _, difference in found)
    by_service = ", ".join(f"{service} {number}" for service, number in counts.most_common())
    yield f"{name}: {len(found)} differences ({by_service})" if before else f"{name}: new"
    for step, difference in found[:5] if before else ():
        yield f"  step {step} {difference_line(difference)}"


async def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        settings = MeshSettings(home=Path(home))
        async with embedded_nats(settings.home) as url, connection(url, CELL) as bus:
            settings = settings.model_copy(update={"nats_url": url})
            for name in (*SESSIONS, *STEPS_ONLY):
                async for line in record_anew(name, bus, settings):
                    print(line, flush=True)


if __name__ == "__main__":
    os.environ.update(PATIENT)
    log_to(sys.stderr, level=logging.ERROR)
    asyncio.run(main())
