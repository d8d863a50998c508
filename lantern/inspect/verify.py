"""Verifies a recorded session: its record is whole, and playing it again gives it again."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from lantern.inspect.plain_values import apart, plain
from lantern.play.story_files import keep_if_bundled
from lantern.views.text_view import printable
from mesh.errors import SessionRefused
from mesh.record import stories
from mesh.record.bus import Bus
from mesh.record.integrity import IntegrityFault, RecordAudit, audit_of
from schemas.game import SessionStarted
from services.game.checked_story import check_story
from services.game.session.verification import RecordMismatch, first_mismatch
from zmachine.story_file import StoryFile

FAULTS_SHOWN = 10
"""The first of them; `--json` tells all."""


@dataclass(frozen=True, slots=True)
class Verified:
    """What verifying a session came to."""

    session: str
    steps: int
    """Actions in the record."""
    faults: tuple[IntegrityFault, ...]
    """Of the record itself."""
    difference: RecordMismatch | None
    """The first value that did not come out again."""
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.faults and self.difference is None

    def as_json(self) -> dict[str, Any]:
        """The object that `sessions verify --json` prints."""
        return {
            "session": self.session,
            "ok": self.ok,
            "steps": self.steps,
            "faults": [asdict(fault) for fault in self.faults],
            "difference": _told(self.difference) if self.difference else None,
            "seconds": round(self.seconds, 3),
        }


async def verify(bus: Bus, session: str, story: StoryFile | None = None) -> Verified:
    """Check a session's record, and execute its actions again.

    `story`: the session's story, where the caller has it; it is kept in the story store.

    Raises:
        SessionRefused: there is no such session, or its story is not to be had.
    """
    began = time.perf_counter()
    there = bus.in_cell((await bus.reader.find(session)).cell)
    audit = await audit_of(there.reader, session)
    difference = None
    if audit.started is not None and (taken := audit.taken()):
        played = await _story(there, session, audit.started, story)
        whole = len(taken) == len(audit.steps)
        difference = await first_mismatch(
            session, audit.started, taken, audit.ended if whole else None, played
        )
    return _verified(session, audit, difference, time.perf_counter() - began)


def lines_about(verified: Verified) -> Iterator[str]:
    """What to tell a user."""
    name = verified.session
    if verified.ok:
        yield f"{name}: {verified.steps} steps verified, {verified.seconds:.1f} s"
    for fault in verified.faults[:FAULTS_SHOWN]:
        where = "" if fault.step is None else f"step {fault.step}: "
        yield f"{name}: {where}{printable(fault.what)}"
    if len(verified.faults) > FAULTS_SHOWN:
        yield f"{name}: and {len(verified.faults) - FAULTS_SHOWN} faults more"
    if (found := verified.difference) is not None:
        recorded, now = apart(found.recorded, found.now)
        yield f"{name}: step {found.step}: its {found.field} does not come out again as it was recorded"
        yield f"  recorded: {recorded}"
        yield f"  now:      {now}"


def _verified(
    session: str, audit: RecordAudit, difference: RecordMismatch | None, seconds: float
) -> Verified:
    return Verified(session, max(audit.last, 0), tuple(audit.faults()), difference, seconds)


async def _story(bus: Bus, session: str, started: SessionStarted, given: StoryFile | None) -> StoryFile:
    if given is not None:
        if given.md5 != started.story_md5:
            raise SessionRefused(
                f"The session {session!r} was played with another story: its MD5 is {started.story_md5}, "
                f"and that of the given file is {given.md5}. Give the other file."
            )
        await stories.put(bus.cell, given.data)
        return given
    await keep_if_bundled(bus.cell, started.story_md5)
    try:
        return check_story(await stories.get(bus.cell, started.story_md5, session), started.story_md5)
    except SessionRefused as error:
        raise SessionRefused(
            f"The story of the session {session!r} is not in the story store (MD5 {started.story_md5}). "
            "Give its file with --story."
        ) from error


def _told(difference: RecordMismatch) -> dict[str, Any]:
    return {
        "step": difference.step,
        "field": difference.field,
        "recorded": plain(difference.recorded),
        "now": plain(difference.now),
    }
