"""Takes a session up where its record ends, and plays it to its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from language_model.budget.budget import Spending
from language_model.session_model import kept_model, model_options
from language_model.settings import ModelSettings, NoModelConfigured
from lantern.nats.connection import connection, nats_url
from lantern.nats.disk_space import check_space
from lantern.nats.session_index import SessionIndex
from lantern.play.models.session_models import resume_explanation, services_that_ask
from lantern.play.own.outside_agents import check_agent, check_client, outside_actor
from lantern.play.services import taking_part
from lantern.play.session_mesh import ModelsServed, resume_command, session_mesh, stopping_event, unserved_of
from lantern.play.session_options import (
    ResumeOptions,
    check_asks_models,
    deadlines_set,
    merged_budget,
)
from lantern.play.session_requests import request_session
from lantern.play.story_files import keep_if_bundled
from lantern.play.summary import Summary
from lantern.play.watching import SessionView, recorded_summary, watch
from mesh.errors import SessionUnknown
from mesh.record.bus import Bus
from mesh.runner.service import Service
from mesh.settings import MeshSettings
from schemas.base import Kind
from schemas.game import REFLACT, ResumeSession, SessionStarted
from schemas.language_model import ModelAsked


async def resume(
    options: ResumeOptions,
    settings: MeshSettings,
    view: SessionView,
    instead: Sequence[Service[Any]] = (),
    models: ModelSettings | None = None,
    announce: Callable[[str], None] = lambda line: None,
    stopping: asyncio.Event | None = None,
) -> Summary:
    """Take a session up where its record ends, and play it to its end; the view shows what is new.

    It keeps its model, its budget and its deadlines, but for what the options and the environment say.

    `instead`: services that serve this session in place of ours of the same names, or beside ours.
    `announce`: is told in one line what is asked, and what is left of the budget, before anything is asked.
    `stopping`: ends the session when it is set; None: a signal does.

    Raises:
        InputError: there is no such session, it has no steps left, or it is being played.
        FailureError: the mesh cannot do it.
    """
    patience = settings.patience
    check_space(settings, resume_command(options.session))
    async with nats_url(settings) as url, connection(url, options.cell, patience=patience) as bus:
        bus = bus.in_cell((await SessionIndex(settings).find(bus, options.session)).cell)
        started = await bus.reader.started(options.session)
        if started is None:
            raise SessionUnknown(options.session)
        await keep_if_bundled(bus.cell, started.story_md5)
        if not started.asks_models:
            check_asks_models(started.policy, options.for_models)
        if options.by_client:
            check_client(options.session, started)
        elif not any(service.name == "actor" for service in instead):
            check_agent(options.session, started, options.agent)
        if options.agent is not None:
            instead = [outside_actor(options.agent), *instead]
        given = {service.name for service in instead}
        absent = started.without if options.without is None else options.without
        without = tuple(name for name in absent if name not in given)
        taking = taking_part(without, started.allows_lookahead)
        ours = await unserved_of(options.session, bus, settings, taking, instead)
        asked, budget = None, None
        if started.asks_models:
            asked = _asked_again(options, started, ours, models)
            budget = merged_budget(started.budget, options.budget)
            announce(resume_explanation(asked, budget, await _spent(bus, options.session)))
        async with (
            session_mesh(options.session, bus, url, settings, asked, ours),
            stopping_event(settings, options.session, stopping) as stopped,
        ):
            recorded = await bus.reader.sequence()
            again = ResumeSession(
                session=options.session,
                steps=options.steps,
                budget=budget,
                model=model_options(asked) if asked else None,
                deadlines=deadlines_set(started.asks_models),
                without=without,
            )
            await request_session(bus, "resume", again)
            await SessionIndex(settings).note(bus, options.session)
            await watch(options.session, bus, view, stopped, patience, after=recorded)
        await SessionIndex(settings).note(bus, options.session)
        return await recorded_summary(options.session, bus)


def _asked_again(
    options: ResumeOptions,
    started: SessionStarted,
    ours: Sequence[Service[Any]],
    models: ModelSettings | None,
) -> ModelSettings | None:
    """The model that our services ask in a resumed session; None: none of them asks.

    Raises:
        ModelsServed: none of them asks, but a model is named for them.
        OtherServer: another server would be asked than before.
    """
    named = "--model" in options.for_models
    if not services_that_ask(ours) and named:
        raise ModelsServed(options.cell, ["--model"])
    if not services_that_ask(ours) or models is None:
        return None
    asked = kept_model(options.session, models, started.model, named)
    if not asked.is_configured:
        raise NoModelConfigured(f"The policy {REFLACT}")
    return asked


async def _spent(bus: Bus, session: str) -> Spending:
    spent = Spending()
    async for envelope in bus.reader.of_kind(session, Kind.MODEL):
        spent = spent.after(envelope.body) if isinstance(envelope.body, ModelAsked) else spent
    return spent
