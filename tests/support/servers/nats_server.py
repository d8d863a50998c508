"""A NATS server of a test's own, which it may halt, kill and start again."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lantern.nats.embedded_nats import nats_server_binary


class NatsServer:
    """On a free loopback port; the same one each time it is started."""

    def __init__(self, directory: Path, config: str = "") -> None:
        self.directory, self.config = directory, config
        self.port = -1
        self.start()

    @property
    def url(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    def start(self) -> None:
        store, ports = json.dumps(str(self.directory / "store")), json.dumps(str(self.directory))
        config = self.directory / "nats.conf"
        config.write_text(
            f"listen: 127.0.0.1:{self.port}\nports_file_dir: {ports}\njetstream {{ store_dir: {store} }}\n"
            + self.config
        )
        self.process = subprocess.Popen(
            [nats_server_binary(), "-c", str(config)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        told = self.directory / f"{Path(nats_server_binary()).name}_{self.process.pid}.ports"
        deadline = time.monotonic() + 20
        while self.port == -1 or not told.exists():
            assert time.monotonic() < deadline and self.process.poll() is None
            if told.exists() and told.read_text():
                self.port = int(json.loads(told.read_text())["nats"][0].rsplit(":", 1)[1])
            time.sleep(0.01)

    def halt(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def nats_server(directory: Path, config: str = "") -> Iterator[NatsServer]:
    """A server with JetStream for as long as the block lasts; `config` is added to its configuration."""
    server = NatsServer(directory, config)
    try:
        yield server
    finally:
        server.kill()
