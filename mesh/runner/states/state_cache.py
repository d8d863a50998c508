"""Keeps the folded states of long sessions in files, so that a resume need not fold the record from step 0.

A file is only a cache. It is used by the very code that wrote it, for the very record that it was folded
from; without it a resume is slower and has the same result.
"""

from __future__ import annotations

import asyncio
import gc
import hashlib
import io
import pickle
import platform
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeVar

import pydantic
import structlog

from mesh.nats.subjects import REPLAYS, subject_of
from mesh.record.bus import Bus
from mesh.runner.service import Service, Session
from mesh.settings import MeshSettings
from schemas.base import Kind
from schemas.game import SessionStarted

AT_THE_END = 5
"""At a session's end, a file is written for this part of the steps that otherwise lie between two files."""

PACKAGES = ("schemas", "zmachine", "folds", "mesh", "language_model", "search", "services")
"""The packages whose code makes states."""

PLAIN = {
    "builtins": {"dict", "frozenset", "list", "object", "set", "tuple"},
    "collections": {"Counter", "OrderedDict", "defaultdict", "deque"},
    "copyreg": {"_reconstructor"},
    "functools": {"partial"},
}
"""What a file may name beside the classes and functions of `PACKAGES`."""

UNPICKLABLE = (pickle.PickleError, AttributeError, TypeError, RecursionError)

S = TypeVar("S")
log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class CachedState(Generic[S]):
    """A state, and the last step that is folded into it."""

    state: S
    at: int


class StateCache(Generic[S]):
    """The files of one service instance; no other service reads them."""

    def __init__(self, service: Service[S], bus: Bus, settings: MeshSettings, *, used: bool = True) -> None:
        """`used`: False for an instance that neither reads nor writes files."""
        self._service, self._bus, self._home = service, bus, settings.home
        self._every, self._least = settings.state_every, settings.state_every // AT_THE_END
        ours = type(service).__module__.partition(".")[0] in PACKAGES
        replayed = bus.cell.name.startswith(REPLAYS)
        self._used = used and ours and service.folds_steps and not replayed
        self._first = -(
            zlib.crc32(service.name.encode()) % (self._every // 2 + 1)
        )  # not all services at one step
        self._stored_at: dict[str, int] = {}

    async def load(self, session: str, started: SessionStarted, upto: int) -> CachedState[S] | None:
        """The session's stored state; None: there is none, or it is of a step after `upto`, or outdated."""
        if not self._used or upto < self._least:
            return None
        data = await asyncio.to_thread(self._read, session)
        at, _, packed = data.partition(b"\n")
        if not at.isdigit() or int(at) > upto:
            return None
        key = await self._key(session, started, int(at))
        digest, _, packed = packed.partition(b"\n")
        if key is None or digest != _digest(key, packed):
            return None
        try:
            with _no_garbage_collection():
                state = StateUnpickler(io.BytesIO(zlib.decompress(packed)), started).load()
        except UNPICKLABLE as error:
            log.warning("state_not_loaded", session=session, error=str(error))
            return None
        self._stored_at[session] = int(at)
        log.info("state_loaded", session=session, service=self._service.name, step=int(at))
        return CachedState(state, int(at))

    async def store(self, session: Session[S], *, ended: bool) -> None:
        """Store the session's state, if one is due; `ended`: the session has ended."""
        since = session.at - self._stored_at.get(session.id, self._first)
        if not self._used or session.at < self._least or since < (self._least if ended else self._every):
            return
        self._stored_at[session.id] = session.at
        key = await self._key(session.id, session.started, session.at)
        if key is None:
            return
        try:
            with _no_garbage_collection():
                packed = _pickled(session.state)
            await asyncio.to_thread(self._write, session.id, session.at, key, packed)
        except (*UNPICKLABLE, OSError) as error:
            log.warning("state_not_stored", session=session.id, error=str(error))

    def forget(self, session: str) -> None:
        """The session is served here no more."""
        self._stored_at.pop(session, None)

    async def _key(self, session: str, started: SessionStarted, at: int) -> bytes | None:
        """What a state depends on: the code, the start, and the record; None: the record has no such step."""
        raw = await self._bus.reader.raw(subject_of(self._bus.cell.address(session, Kind.STEP, at)))
        if raw is None:
            return None
        start = started.model_dump_json(exclude={"step", "steps", "resumed", "budget"})
        return "\n".join((_code(), self._service.version, start)).encode() + (raw.data or b"")

    def _path(self, session: str) -> Path:
        return directory_of(self._home, self._bus.cell.name, session) / self._service.name

    def _read(self, session: str) -> bytes:
        try:
            return self._path(session).read_bytes()
        except OSError:
            return b""

    def _write(self, session: str, at: int, key: bytes, pickled: bytes) -> None:
        packed, path = zlib.compress(pickled, 1), self._path(session)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = path.with_suffix(f".{self._bus.cell.me.instance}")
        fresh.write_bytes(b"%d\n%s\n%s" % (at, _digest(key, packed), packed))
        fresh.replace(path)


def directory_of(home: Path, cell: str, session: str) -> Path:
    """Where the states of a session are."""
    return home / "states" / cell / session


def delete(home: Path, cell: str, session: str) -> None:
    """Delete the states of a session."""
    shutil.rmtree(directory_of(home, cell, session), ignore_errors=True)


class _Pickler(pickle.Pickler):
    def persistent_id(self, value: object) -> str | None:
        """A session's start is not stored: a state gets the newest one, because a resume changes it."""
        return "started" if isinstance(value, SessionStarted) else None


class StateUnpickler(pickle.Unpickler):
    """Reads a state back."""

    def __init__(self, file: io.BytesIO, started: SessionStarted) -> None:
        super().__init__(file)
        self._started = started

    def persistent_load(self, name: str) -> SessionStarted:
        """The session's newest start, wherever the state refers to one."""
        return self._started

    def find_class(self, module: str, name: str) -> Any:
        """Only what states are made of: a file cannot name anything that would do harm."""
        if module.partition(".")[0] in PACKAGES or name in PLAIN.get(module, ()):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"a state does not hold {module}.{name}")


def _pickled(state: object) -> bytes:
    file = io.BytesIO()
    _Pickler(file, pickle.HIGHEST_PROTOCOL).dump(state)
    return file.getvalue()


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Nothing becomes garbage here, and looking for it would double the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _digest(key: bytes, packed: bytes) -> bytes:
    return hashlib.sha256(hashlib.sha256(key).digest() + packed).hexdigest().encode()


@cache
def _code() -> str:
    """A digest of the code: its files, by size and time."""
    root = Path(__file__).parents[3]
    files = sorted(path for package in PACKAGES for path in (root / package).rglob("*.py"))
    versions = f"{platform.python_version()} {pydantic.VERSION}"
    return hashlib.sha256("\n".join([versions, *map(_stamp, files)]).encode()).hexdigest()


def _stamp(path: Path) -> str:
    return f"{path} {path.stat().st_size} {path.stat().st_mtime_ns}"
