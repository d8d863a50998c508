"""The model that the settings name."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from language_model.settings import ModelSettings, NoModelConfigured

if TYPE_CHECKING:
    from language_model.claude.anthropic_model import AnthropicModel


@asynccontextmanager
async def configured_model(settings: ModelSettings, needed_for: str) -> AsyncIterator[AnthropicModel]:
    """The model, for as long as the block lasts.

    Raises:
        NoModelConfigured: there is none.
        InputError: its key cannot be read.
    """
    if not settings.is_configured:
        raise NoModelConfigured(needed_for)
    from language_model.claude.anthropic_model import AnthropicModel  # the SDK takes seconds to load

    model = AnthropicModel(settings)
    try:
        yield model
    finally:
        await model.close()
