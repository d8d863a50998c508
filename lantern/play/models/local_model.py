"""A local model for as long as something is played: a child process, so that it holds nothing up."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from language_model.local.errors import ModelDidNotStart
from language_model.local.files import ModelFile, model_file
from language_model.local.settings import PREFIX, LocalSettings, local_settings
from mesh.child_process import child_environment, send_signal
from mesh.errors import FailureError

CHILD = "language_model.local"

PLAYS_BADLY = (
    "SmolLM2-135M shows that the path works, and plays badly: it invents what happens. "
    "For sense give a GGUF file of 1.5B parameters or more: --model FILE.gguf"
)
"""To be said before the packaged model plays."""


@dataclass(frozen=True, slots=True)
class LocalModel:
    """Where a running model is asked."""

    base_url: str
    key: str = field(repr=False)
    name: str
    pid: int


def checked_model(given: Path | None) -> ModelFile:
    """The model's file, before anything starts; none given: the packaged one.

    Raises:
        InputError: the file, or a setting, cannot be used.
        LocalMissing: what it runs on is not installed.
    """
    return model_file(given, local_settings().context)


@asynccontextmanager
async def local_model(file: ModelFile) -> AsyncIterator[LocalModel]:
    """A model that answers for as long as the block lasts. From the main thread: its child dies with that.

    Raises:
        ModelDidNotStart: it does not.
    """
    settings, key = local_settings(), secrets.token_urlsafe(24)
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", CHILD, str(os.getpid()), str(file.path)),
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        env=child_environment(PREFIX),
    )
    try:
        url = await _started(child, key, file, settings)
        yield LocalModel(url, key, file.name, child.pid)
    finally:
        if child.returncode is None:
            send_signal(child.pid, signal.SIGKILL)  # it keeps nothing that could be lost
        await child.wait()


async def _started(child: Process, key: str, file: ModelFile, settings: LocalSettings) -> str:
    assert child.stdin is not None and child.stdout is not None
    child.stdin.write(f"{key}\n".encode())
    try:
        async with asyncio.timeout(settings.start_within):
            line = await child.stdout.readline()
    except TimeoutError as error:
        limit = f"{PREFIX}START_WITHIN ({settings.start_within:g} s)"
        raise ModelDidNotStart(str(file.path), f"it was not loaded within {limit}") from error
    told = json.loads(line or "{}")
    if "error" in told:
        raise FailureError(told["error"])
    if "url" not in told:
        raise ModelDidNotStart(str(file.path), f"its process ended (exit code {await child.wait()})")
    return str(told["url"])
