"""The model that the settings name."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from language_model.settings import ModelSettings, ModelUnnamed, NoModelConfigured
from schemas.language_model import ModelApi

if TYPE_CHECKING:
    from language_model.client.served_model import ServedModel


@asynccontextmanager
async def configured_model(settings: ModelSettings, needed_for: str) -> AsyncIterator[ServedModel]:
    """The model, for as long as the block lasts.

    Raises:
        NoModelConfigured: there is none.
        InputError: its key cannot be read, or it has no name.
    """
    if not settings.is_configured:
        raise NoModelConfigured(needed_for)
    if settings.api is ModelApi.CHAT and not settings.is_named:
        raise ModelUnnamed
    from language_model.client.served_model import ServedModel  # the SDK takes seconds to load

    model = ServedModel(settings)
    try:
        yield model
    finally:
        await model.close()
