"""Plays one session: finds or starts the services, starts it, and watches it to its end."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from games import BUNDLED
from language_model.session_model import model_options
from language_model.settings import ModelSettings
from lantern.nats.connection import connection, nats_url
from lantern.nats.disk_space import check_space
from lantern.nats.session_index import SessionIndex
from lantern.play.experience import experience_of
from lantern.play.models.session_models import services_that_ask
from lantern.play.own.outside_agents import is_class, outside_actor
from lantern.play.search.searched import with_search
from lantern.play.services import taking_part
from lantern.play.session_mesh import ModelsServed, session_mesh, stopping_event, unserved_of
from lantern.play.session_options import (
    PlayOptions,
    deadlines_set,
)
from lantern.play.session_requests import request_session
from lantern.play.summary import Summary
from lantern.play.watching import SessionView, recorded_summary, watch
from mesh.errors import SessionTaken
from mesh.record import stories
from mesh.record.bus import Bus
from mesh.runner.service import Service
from mesh.settings import MeshSettings
from schemas.game import REFLACT, StartSession
from schemas.language_model import ModelOptions
from zmachine.story_file import StoryFile


async def play(
    options: PlayOptions,
    story: StoryFile,
    settings: MeshSettings,
    view: SessionView,
    models: ModelSettings | None = None,
    instead: Sequence[Service[Any]] = (),
    stopping: asyncio.Event | None = None,
) -> Summary:
    """Play a session to its end, or to the user's Ctrl-C (which ends it after the step under way).

    `story`: what `checked_story` returns for the options. `models`: used if the policy asks language models.
    `instead`: services that serve this session in place of ours of the same names, or beside ours.
    `stopping`: ends the session when it is set; None: a signal does.

    Raises:
        InputError: the session cannot be played as the options say.
        FailureError: the mesh cannot do it.
    """
    patience = settings.patience
    check_space(settings)
    if options.agent is not None:
        instead = [outside_actor(options.agent), *instead]
    async with nats_url(settings) as url, connection(url, options.cell, patience=patience) as bus:
        if await bus.reader.started(options.session):
            raise SessionTaken(options.session)
        taking = taking_part(options.without, options.lookahead)
        ours = await unserved_of(options.session, bus, settings, taking, instead)
        options = await with_search(options, story, view.show_notice)
        asked = models if options.policy == REFLACT and services_that_ask(ours) else None
        if options.policy == REFLACT and asked is None and options.for_models:
            raise ModelsServed(bus.cell.name, options.for_models)
        async with (
            session_mesh(options.session, bus, url, settings, asked, ours),
            stopping_event(settings, options.session, stopping) as stopped,
        ):
            await _start(options, story, bus, view, model_options(asked) if asked else None)
            await SessionIndex(settings).note(bus, options.session)
            await watch(options.session, bus, view, stopped, patience)
        await SessionIndex(settings).note(bus, options.session)
        return await recorded_summary(options.session, bus)


async def _start(
    options: PlayOptions, story: StoryFile, bus: Bus, view: SessionView, model: ModelOptions | None
) -> None:
    md5 = await stories.put(bus.cell, story.data)
    await request_session(
        bus,
        "start",
        StartSession(
            session=options.session,
            game=BUNDLED.name if options.story == "bundled" else Path(options.story).name,
            story_md5=md5,
            policy=options.policy,
            seed=options.seed,
            policy_seed=options.policy_seed,
            steps=options.steps,
            episodes=options.episodes,
            valid_actions=_looks_for_valid_actions(options),
            text_only=options.text_only,
            status_line=options.status_line,
            budget=options.budget,
            model=model,
            deadlines=deadlines_set(options.policy == REFLACT),
            without=options.without,
            without_behaviours=options.without_behaviours,
            restore=options.restore,
            goal=options.goal,
            lookahead=options.lookahead,
            agent=options.agent or "",
            experience=await experience_of(options, md5, bus, view),
            searched=options.searched,
        ),
    )
    started = await bus.reader.started(options.session)
    if options.status_line and started is not None and not started.status_line:
        view.show_notice("this story has no status line that can be read: the session has the text alone")


def _looks_for_valid_actions(options: PlayOptions) -> bool:
    """A command could not be told them."""
    could_be_told = options.agent is None or is_class(options.agent)
    return options.valid_actions is not False and not options.text_only and could_be_told
