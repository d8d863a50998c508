"""Remembers the sessions of the embedded server outside its store, so that what the store loses is named.

One small file for each session in `LANTERN_HOME/nats/sessions`: the number of its messages, its newest start
and step, and its end. The record stays the only truth; the files are compared with it, and written again from
it. The server itself does not report damage: it leaves out a damaged message, or cuts the store at it, and
logs a warning at most.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lantern.error_output import print_warning
from lantern.invocation import command
from lantern.nats.embedded_nats import running_nats
from mesh.errors import SessionRefused, SessionUnknown
from mesh.nats.codec import encode, envelope_address, message_in
from mesh.nats.subjects import record_of, subject_of
from mesh.printable import counted
from mesh.record.batches import number_of
from mesh.record.bus import Bus
from mesh.settings import MeshSettings
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.game import StepTaken

NEWEST = (Kind.STARTED, Kind.STEP, Kind.ENDED)
"""The kinds of which the newest message is remembered."""


@dataclass(frozen=True, slots=True)
class IndexedSession:
    """What is remembered of a session."""

    cell: str
    session: str
    messages: int
    """How many its record had, dead letters aside."""
    newest: tuple[Envelope, ...]

    @property
    def last_step(self) -> int:
        """The last step; -1: there was none."""
        return max((each.step for each in self.newest if isinstance(each.body, StepTaken)), default=-1)


@dataclass(frozen=True, slots=True)
class SessionDamage:
    """A session that the store holds no more, or only in part."""

    known: IndexedSession
    whole_to: int
    """The last step up to which every step can be read; -1: there is none."""
    found: int = 0
    """The messages that can be read."""

    @property
    def is_lost(self) -> bool:
        """Whether nothing is left to be shown."""
        return self.whole_to < 0

    def line(self) -> str:
        """What is damaged, what was lost, and the mend."""
        session, lantern, last = self.known.session, command(), self.known.last_step
        delete = f"`{lantern} sessions delete --force {session}`"
        restore = f"restore a backup; or run {delete}, then `{lantern} sessions import FILE` with an export"
        if self.is_lost:
            steps = f" ({last} steps)" if last >= 0 else ""
            return (
                f"{session} is lost{steps}: the store of the NATS server is damaged, and has not even its "
                f"opening. To have it again, {restore}; to forget it, {delete}."
            )
        readable = (
            f"its {counted(last, 'step')} can be read"
            if self.whole_to >= last
            else f"steps 0 to {self.whole_to} of {last} can be read (`{lantern} sessions show {session}`, "
            f"`{lantern} fork {session} --at {self.whole_to}`)"
        )
        return (
            f"{session} is damaged: the store of the NATS server has {self.found} of its "
            f"{self.known.messages} messages; {readable}. To have the rest again, {restore}."
        )


class SessionLost(SessionRefused):
    """The store has lost a session that was recorded."""


class SessionIndex:
    """The files of one home. With a server of the user's own there are none: many homes may play there."""

    def __init__(self, settings: MeshSettings) -> None:
        """`settings`: those of a command that uses the server now."""
        ours = settings.nats_url is None or settings.nats_url == running_nats(settings.home)
        self._directory = settings.home / "nats" / "sessions" if ours else None

    async def note(self, bus: Bus, session: str) -> None:
        """Remember how a session of the bus's cell stands now."""
        if self._directory is None:
            return
        if newest := await _newest(bus, session):
            self._write(IndexedSession(bus.cell.name, session, await messages_of(bus, session), newest))

    async def find(self, bus: Bus, session: str) -> Envelope:
        """The start of a session; what the store has lost of it is said on standard error.

        Raises:
            SessionUnknown: no session has that id.
            SessionLost: the store has lost it.
        """
        try:
            found = await bus.reader.find(session)
        except SessionUnknown:
            for known in self._entries():
                if known.session == session:
                    raise SessionLost(SessionDamage(known, -1).line()) from None
            raise
        damage = await self.damage_of(bus.in_cell(found.cell), session)
        if damage is not None and damage.is_lost:
            raise SessionLost(damage.line())
        if damage is not None:
            print_warning(damage.line())
        return found

    async def damage_of(self, bus: Bus, session: str) -> SessionDamage | None:
        """What the store has lost of a session of the bus's cell; None: nothing, as far as is known."""
        for known in self._entries(f"{bus.cell.name}.{session}"):
            stored = await messages_of(bus, session)
            if stored < known.messages:
                return SessionDamage(known, await _whole_to(bus, session), stored)
        return None

    async def compare(
        self, bus: Bus, starts: Iterable[Envelope], cell: str = "*", *, thorough: bool = False
    ) -> dict[tuple[str, str], SessionDamage]:
        """The damaged sessions by cell and id; what the record has more of is remembered.

        `starts`: the sessions that the record has. `thorough`: read every message, instead of counting them.
        """
        if self._directory is None:
            return {}
        known = {(each.cell, each.session): each for each in self._entries() if cell in ("*", each.cell)}
        damaged = {}
        for start in starts:
            there, where = bus.in_cell(start.cell), (start.cell, start.session)
            before, stored = known.pop(where, None), await messages_of(there, start.session)
            readable = await messages_of(there, start.session, thorough=True) if thorough else stored
            if before is None or before.messages < stored:
                await self.note(there, start.session)
                before = IndexedSession(*where, stored, await _newest(there, start.session))
            if readable < before.messages:
                damaged[where] = SessionDamage(before, await _whole_to(there, start.session), readable)
        return damaged | {where: SessionDamage(each, -1) for where, each in known.items()}

    def forget(self, session: str, cell: str | None = None) -> list[str]:
        """Forget a deleted session (None: of any cell); the cells in which it was known."""
        found = [each for each in self._entries() if each.session == session and cell in (None, each.cell)]
        for each in found:
            with suppress(OSError):
                self._path(each.cell, each.session).unlink(missing_ok=True)
        return [each.cell for each in found]

    def _entries(self, which: str = "*") -> Iterator[IndexedSession]:
        """What is remembered; an unreadable file is passed over, and made again from the record."""
        for path in sorted(self._directory.glob(f"{which}.json")) if self._directory else ():
            with suppress(OSError, ValueError, LookupError, TypeError, AttributeError):
                yield _entry(json.loads(path.read_text()))

    def _write(self, entry: IndexedSession) -> None:
        path = self._path(entry.cell, entry.session)
        newest = {subject_of(envelope_address(each)): json.loads(encode(each)) for each in entry.newest}
        text = json.dumps({"messages": entry.messages, "newest": newest})
        with suppress(OSError):  # without it, nothing but the loss of this session would go unseen
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            path.with_suffix(".new").write_text(text)
            path.with_suffix(".new").replace(path)

    def _path(self, cell: str, session: str) -> Path:
        return (self._directory or Path()) / f"{cell}.{session}.json"


async def messages_of(bus: Bus, session: str, *, thorough: bool = False) -> int:
    """The number of a session's messages, dead letters aside; `thorough`: only of those that can be read."""
    record = record_of(bus.cell.name, session)
    dead = f"{record.removesuffix('>')}dead.>"
    of_all, of_dead = [await number_of(bus.cell, each, readable=thorough) for each in (record, dead)]
    return of_all - of_dead


async def _newest(bus: Bus, session: str) -> tuple[Envelope, ...]:
    return tuple(filter(None, [await bus.reader.newest(session, kind) for kind in NEWEST]))


async def _whole_to(bus: Bus, session: str) -> int:
    return max([step.step async for step in bus.reader.steps(session)], default=-1)


def _entry(fields: dict[str, Any]) -> IndexedSession:
    """Raises ValueError, LookupError, TypeError or AttributeError for what is no entry."""
    found = (message_in(subject, json.dumps(each).encode()) for subject, each in fields["newest"].items())
    newest = tuple(filter(None, found))
    return IndexedSession(newest[0].cell, newest[0].session, int(fields["messages"]), newest)
