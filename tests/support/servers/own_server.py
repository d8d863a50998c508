"""A NATS server that a test may kill and start again, on the same port and the same store."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import time
from pathlib import Path

from lantern.nats.embedded_nats import nats_server_binary

PORTS = range(15_000, 32_000)
"""Below those that the kernel hands out: while the server is dead, nobody else is given its port."""

CONFIG = """\
listen: "127.0.0.1:{port}"
jetstream {{ store_dir: "{store}", sync_interval: always }}
"""


class OwnServer:
    """Runs from `start` to `kill`, as often as it is told to."""

    def __init__(self, directory: Path) -> None:
        self.port = a_free_port()
        self.url = f"nats://127.0.0.1:{self.port}"
        self.config, self.log = directory / "nats.conf", directory / "nats.log"
        self.config.write_text(CONFIG.format(port=self.port, store=directory / "store"))
        self.kills = 0
        self.start()

    def start(self) -> None:
        """Start it; it takes connections when this returns."""
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                [nats_server_binary(), "-c", str(self.config)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + 20
        while not _answers(self.port):
            assert self.process.poll() is None and time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.01)

    def pause(self) -> None:
        """SIGSTOP; it answers nothing more when this returns."""
        self.process.send_signal(signal.SIGSTOP)
        os.waitpid(self.process.pid, os.WUNTRACED)

    def go_on(self) -> None:
        """SIGCONT."""
        self.process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """SIGKILL."""
        self.process.kill()
        self.process.wait()
        self.kills += 1


def a_free_port() -> int:
    """A port of the loopback address on which nobody listens."""
    while True:
        port = random.choice(PORTS)
        with socket.socket() as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
            return connection.recv(4) == b"INFO"
    except OSError:
        return False
