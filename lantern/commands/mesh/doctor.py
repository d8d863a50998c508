"""`lantern doctor`: checks what is installed, reachable and writable, and says what to do about the rest."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from games import BUNDLED
from language_model.settings import NONE_CONFIGURED
from lantern.command_options import NatsUrl, settings_with
from lantern.nats.connection import connection, nats_url
from lantern.nats.embedded_nats import nats_server_binary
from lantern.nats.session_index import SessionIndex
from lantern.play.models.session_models import model_settings
from lantern.play.story_files import load_story
from lantern.views.text_view import one_line
from mesh.errors import FailureError, HomeUnwritable, LanternError
from mesh.printable import counted
from mesh.settings import MeshSettings
from services.game.emulator.client import Emulator
from services.memory.graph.graph_files import GraphError
from services.memory.graph.session_graph_store import SessionGraphStore
from services.memory.graph.store_pool import StorePool

Check = Callable[[MeshSettings], Awaitable[str]]


def doctor_command(nats: NatsUrl = None) -> int:
    """Check everything that playing needs; exit code 1 if anything is missing."""
    settings = settings_with(nats)
    return asyncio.run(_examine(settings))


async def _examine(settings: MeshSettings) -> int:
    failed = 0
    for name, check in CHECKS.items():
        try:
            line = f"ok    {name}: {one_line(await check(settings))}"
        except (LanternError, GraphError) as error:
            failed += 1
            line = "\n".join(f"FAIL  {name}: {one_line(each)}" for each in str(error).splitlines())
        print(line)
    return 1 if failed else 0


async def _python(settings: MeshSettings) -> str:
    if sys.version_info[:2] != (3, 11):
        raise FailureError(
            "Lantern needs Python 3.11. Make the environment with `make install PYTHON=python3.11`."
        )
    return sys.version.split()[0]


async def _home(settings: MeshSettings) -> str:
    try:
        settings.home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=settings.home):
            return f"{settings.home} is writable"
    except OSError as error:
        raise HomeUnwritable(settings.home, error.strerror) from error


async def _server(settings: MeshSettings) -> str:
    if settings.nats_url is not None:
        return "not needed: a NATS server is named"
    process = await asyncio.create_subprocess_exec(
        nats_server_binary(), "--version", stdout=asyncio.subprocess.PIPE
    )
    return (await process.communicate())[0].decode().strip()


async def _nats(settings: MeshSettings) -> str:
    async with nats_url(settings) as url, connection(url, "main") as bus:
        version = bus.cell.server_version
    return f"version {version} answers, and keeps the stream"


async def _sessions(settings: MeshSettings) -> str:
    if settings.server() is not None:
        return "not read: a NATS server is named"
    async with nats_url(settings) as url, connection(url, "main") as bus:
        starts = await bus.reader.sessions()
        damages = await SessionIndex(settings).compare(bus, starts, thorough=True)
    if damages:
        raise FailureError("\n".join(damage.line() for damage in damages.values()))
    return f"every message of {counted(len(starts), 'session')} can be read"


async def _emulator(settings: MeshSettings) -> str:
    emulator = await Emulator.start(load_story("bundled"), seed=1)
    try:
        await emulator.opening()
    finally:
        await emulator.close()
    return f"plays {BUNDLED.name}"


async def _kuzu(settings: MeshSettings) -> str:
    with tempfile.TemporaryDirectory() as directory:
        pool = StorePool()
        opened = await pool.open(Path(directory) / "graph", SessionGraphStore)
        await pool.close(opened.path)
    return "opens a database"


async def _model(settings: MeshSettings) -> str:
    models = model_settings()
    if not models.is_configured:
        return f"{NONE_CONFIGURED} Every sub-agent works by rule."
    key = "with a key" if models.key() else "without a key"
    return f"{models.name} at {models.where}, {key} (not asked)"


CHECKS: dict[str, Check] = {
    "python": _python,
    "home": _home,
    "nats-server": _server,
    "nats": _nats,
    "sessions": _sessions,
    "emulator": _emulator,
    "kuzu": _kuzu,
    "language model": _model,
}
