"""Serves a model at an address."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pydantic import SecretStr

from language_model.local.api.app import Api
from language_model.local.files import ModelFile
from language_model.local.llama import running
from language_model.local.settings import LocalSettings
from mesh import http_serving


@asynccontextmanager
async def serving(
    file: ModelFile, listener: socket.socket, key: SecretStr, settings: LocalSettings
) -> AsyncIterator[None]:
    """Serve a model while the block runs.

    Raises:
        ModelDidNotStart: llama.cpp does not load the model.
    """
    async with running(file, settings) as llama, http_serving.serving(Api(llama, key).app, listener):
        yield
