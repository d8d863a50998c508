"""`lantern model-server`: a local model behind the Messages API, for as many players as ask."""

from __future__ import annotations

import asyncio
import os
import secrets
from pathlib import Path
from typing import Annotated

import typer
from pydantic import SecretStr

from language_model.local.files import ModelFile
from language_model.local.settings import local_settings
from language_model.settings import is_loopback
from lantern.play.models.local_model import checked_model
from lantern.play.signals import StopOnSignal
from lantern.views.text_view import one_line
from mesh.errors import InputError
from mesh.file_reading import SECRET_SIZE, read_limited_text

KEY, KEY_FILE = "ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY_FILE"


def model_server_command(
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: one that is free.")] = 0,
    model: Annotated[
        Path | None, typer.Option(metavar="FILE.gguf", help="The model; else SmolLM2-135M from its package.")
    ] = None,
) -> int:
    """Serve a local model over the Messages API, until Ctrl-C or SIGTERM."""
    key = given_key()
    if key is None and not is_loopback(host):
        raise InputError(
            f"Others can reach {host}, so the key must be yours to give. Set {KEY_FILE} (or {KEY}), "
            "or listen on 127.0.0.1."
        )
    asyncio.run(_serve(checked_model(model), host, port, key))
    return 0


def given_key() -> SecretStr | None:
    """The key from the environment, or from the file that it names.

    Raises:
        InputError: the file cannot be read, or is empty.
    """
    if key := os.environ.get(KEY):
        return SecretStr(key)
    if not (path := os.environ.get(KEY_FILE)):
        return None
    try:
        key = read_limited_text(Path(path), SECRET_SIZE).strip()
    except OSError as error:
        raise InputError(f"Cannot read the key in {path} ({error.strerror}). Correct {KEY_FILE}.") from error
    if not key:
        raise InputError(f"The key in {path} is empty. Correct {KEY_FILE}.")
    return SecretStr(key)


async def _serve(file: ModelFile, host: str, port: int, given: SecretStr | None) -> None:
    from language_model.local.api.server import serving  # what it takes may not be installed
    from mesh.http_serving import listening, url_of

    key = given or SecretStr(secrets.token_urlsafe(24))
    with StopOnSignal() as stopping, listening("The model", host, port) as listener:
        async with serving(file, listener, key, local_settings()):
            print(f"{one_line(file.name)} answers at {url_of(listener)}", flush=True)
            if given is None:
                print(f"its key, which is not shown again: {key.get_secret_value()}", flush=True)
            await stopping.wait()
