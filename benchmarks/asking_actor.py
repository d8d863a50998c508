"""Plays a session in which only the actor asks a model; every other service keeps to its rules."""

from __future__ import annotations

import tempfile
from pathlib import Path

from language_model.configured import configured_model
from language_model.settings import ModelSettings
from lantern.nats.connection import connection, nats_url
from lantern.play.compose import running
from lantern.play.play import play
from lantern.play.session_options import PlayOptions, checked_story
from lantern.views.text_view import SilentView
from mesh.log import log_to_file
from mesh.settings import MeshSettings
from schemas.base import Message
from schemas.game import REFLACT
from services.actor.service import ActorService
from services.actor.settings import ActorSettings

NAME = "measured"
"""The session and its cell."""


async def messages_of_play(
    story: str, steps: int, models: ModelSettings, actor_settings: ActorSettings
) -> list[Message]:
    """Every message of the session, in their order."""
    with tempfile.TemporaryDirectory() as home:
        settings = MeshSettings(home=Path(home))
        with log_to_file(settings.home / "lantern.log"):
            async with nats_url(settings) as url, configured_model(models, "The benchmark") as model:
                actor = ActorService(actor_settings)
                actor.model = model
                async with running([actor], url, NAME, settings):
                    options = PlayOptions(story, steps, REFLACT, 1, NAME, NAME)
                    named = settings.model_copy(update={"nats_url": url})
                    await play(options, checked_story(options), named, SilentView())
                async with connection(url, NAME) as bus:
                    return [envelope.body async for envelope in bus.reader.messages(NAME)]
