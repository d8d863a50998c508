"""Keeps the embedded NATS server while anybody uses it, and stops it then. Runs as a process of its own.

Every user of the server holds a shared lock on `users.lock`; the kernel lets go of it however the user
ends. When the keeper can lock it alone, nobody is left. It must start at once: it
imports the standard library and `mesh.child_process` only.

Usage: python -m lantern.nats.nats_keeper NATS_SERVER DIRECTORY
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import IO

from mesh.child_process import die_with_parent

LOOK = 0.05
"""Seconds between two looks at who is left."""

CONFIG = """\
listen: "127.0.0.1:-1"
server_name: lantern
ports_file_dir: {directory}
pid_file: {pid_file}
log_file: {log_file}
logfile_size_limit: 10MB
max_payload: 1MB
authorization {{ token: "{token}" }}
jetstream {{ store_dir: {store}, sync_interval: always }}
"""


def main(server: str, directory: Path) -> int:
    """Start the server, publish where it is, and stop it when nobody uses it any more."""
    os.umask(0o077)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    token = secrets.token_urlsafe(24)
    process = _start(server, directory, token)
    try:
        port = _port(process, directory)
        where = {"url": f"nats://{token}@127.0.0.1:{port}", "keeper": os.getpid(), "server": process.pid}
        _write(directory / "server.json", json.dumps(where))
        _watch(process, directory)
    finally:
        _stop(process)
    return 0


def _start(server: str, directory: Path, token: str) -> subprocess.Popen[bytes]:
    for old in directory.glob("*.ports"):
        old.unlink()
    config = directory / "nats.conf"
    text = CONFIG.format(
        directory=json.dumps(str(directory)),
        pid_file=json.dumps(str(directory / "server.pid")),
        log_file=json.dumps(str(directory / "server.log")),
        store=json.dumps(str(directory / "store")),
        token=token,
    )
    _write(config, text)
    with (directory / "server.log").open("ab") as log:  # the server says there why it crashes
        return subprocess.Popen(
            [server, "-c", str(config)],
            env={**os.environ, "GOGC": "30"},  # a small heap, for a server with a handful of clients
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            start_new_session=True,
            preexec_fn=partial(die_with_parent, os.getpid(), signal.SIGTERM),
        )


def _port(process: subprocess.Popen[bytes], directory: Path) -> int:
    ports = directory / f"{Path(str(process.args[0])).name}_{process.pid}.ports"  # type: ignore[index]
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and process.poll() is None:
        try:
            return int(json.loads(ports.read_text())["nats"][0].rsplit(":", 1)[1])
        except (OSError, ValueError, KeyError, IndexError):
            time.sleep(0.005)
    raise SystemExit("the embedded NATS server did not start; see server.log")


def _watch(process: subprocess.Popen[bytes], directory: Path) -> None:
    """Return when the server has ended, or when nobody holds a lock; then no new user can come between."""
    stopping = _on_term()
    with (directory / "users.lock").open("a") as users, (directory / "start.lock").open("a") as start:
        while process.poll() is None and not stopping:
            time.sleep(LOOK)
            if _locked(start) and _locked(users):
                _stop(process)
                (directory / "server.json").unlink(missing_ok=True)
                return
            fcntl.flock(start, fcntl.LOCK_UN)


def _locked(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _on_term() -> list[int]:
    seen: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: seen.append(number))
    return seen


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _write(path: Path, text: str) -> None:
    """Write a file that is whole at any moment, and that only its owner may read."""
    fresh = path.with_suffix(".new")
    fresh.write_text(text)
    fresh.replace(path)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
