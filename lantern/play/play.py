"""Plays one session: finds or starts the services, starts or resumes it, and watches it to its end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any

from games import BUNDLED
from language_model.budget.budget import Spending
from language_model.session_model import kept_model, model_options
from language_model.settings import ModelSettings, NoModelConfigured
from lantern.nats.connection import connection, nats_url
from lantern.nats.disk_space import check_space, stop_on_full_disk
from lantern.nats.session_index import SessionIndex
from lantern.play.compose import running
from lantern.play.experience import experience_of
from lantern.play.models.session_models import required_models, resume_explanation, services_that_ask
from lantern.play.own.outside_agents import check_agent, check_client, is_class, outside_actor
from lantern.play.search.searched import with_search
from lantern.play.services import service_named, taking_part
from lantern.play.session_options import (
    PlayOptions,
    ResumeOptions,
    check_asks_models,
    deadlines_set,
    merged_budget,
)
from lantern.play.session_requests import request_session
from lantern.play.signals import StopOnSignal
from lantern.play.story_files import keep_if_bundled
from lantern.play.summary import Summary
from lantern.play.watching import SessionView, recorded_summary, watch
from mesh.errors import InputError, NotAllowed, SessionPlayed, SessionTaken, SessionUnknown
from mesh.observability.liveness import who_is_ready
from mesh.record import stories
from mesh.record.bus import Bus
from mesh.runner.service import Service
from mesh.settings import MeshSettings
from schemas.base import Kind
from schemas.game import REFLACT, ResumeSession, SessionStarted, StartSession
from schemas.language_model import ModelAsked, ModelOptions
from zmachine.story_file import StoryFile

WARM_WITHIN = 15.0
"""Seconds to wait for services that are just starting."""


class ServiceServed(InputError):
    """A service that is to be replaced for a session serves the whole cell, and would answer too."""

    def __init__(self, name: str, cell: str) -> None:
        super().__init__(
            f"A {name} service is live for all of cell {cell}, and would answer too. "
            "Stop it, or use another --cell."
        )


class ModelsServed(InputError):
    """A model is named, but the services that ask one serve the whole cell, and ask their own."""

    def __init__(self, cell: str, given: Iterable[str]) -> None:
        super().__init__(
            f"The services that ask a model are live for all of cell {cell}, and ask the one that they have. "
            f"Leave out {', '.join(given)}, or use another --cell."
        )


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
        ours = await _unserved(options.session, bus, settings, taking, instead)
        options = await with_search(options, story, view.show_notice)
        asked = models if options.policy == REFLACT and services_that_ask(ours) else None
        if options.policy == REFLACT and asked is None and options.for_models:
            raise ModelsServed(bus.cell.name, options.for_models)
        async with (
            _mesh(options.session, bus, url, settings, asked, ours),
            _stopping(settings, options.session, stopping) as stopped,
        ):
            await _start(options, story, bus, view, model_options(asked) if asked else None)
            await SessionIndex(settings).note(bus, options.session)
            await watch(options.session, bus, view, stopped, patience)
        await SessionIndex(settings).note(bus, options.session)
        return await recorded_summary(options.session, bus)


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
    check_space(settings, _resume(options.session))
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
        ours = await _unserved(options.session, bus, settings, taking, instead)
        asked, budget = None, None
        if started.asks_models:
            asked = _asked_again(options, started, ours, models)
            budget = merged_budget(started.budget, options.budget)
            announce(resume_explanation(asked, budget, await _spent(bus, options.session)))
        async with (
            _mesh(options.session, bus, url, settings, asked, ours),
            _stopping(settings, options.session, stopping) as stopped,
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


async def _unserved(
    session: str,
    bus: Bus,
    settings: MeshSettings,
    taking: Collection[str],
    instead: Sequence[Service[Any]] = (),
) -> list[Service[Any]]:
    """Those of the services that take part and that nobody serves yet in the cell, and those of `instead`.

    Raises:
        SessionPlayed: another command plays the session.
        ServiceServed: one that is to be replaced serves the whole cell.
    """
    live = await who_is_ready(bus.cell, WARM_WITHIN)
    if any(alive.scope == session and alive.replaces is None for alive in live):
        raise SessionPlayed(session)
    served = {alive.name for alive in live if alive.scope == "*"}
    given = {service.name: service for service in instead}
    if taken := served & given.keys():
        raise ServiceServed(min(taken), bus.cell.name)
    own = [service_named(name, settings.home) for name in taking if name not in served | given.keys()]
    return [*own, *given.values()]


@asynccontextmanager
async def _mesh(
    session: str,
    bus: Bus,
    url: str,
    settings: MeshSettings,
    models: ModelSettings | None,
    ours: Sequence[Service[Any]],
) -> AsyncIterator[None]:
    """Our services run here, for this session alone.

    Raises:
        ModelRefused, NoModelConfigured: one of them should ask a model that it cannot ask.
        NotAllowed: the user that we log in as may not run them.
    """
    async with AsyncExitStack() as stack:
        if models is not None:
            await stack.enter_async_context(required_models(ours, models, f"The policy {REFLACT}"))
        if ours:
            try:
                await stack.enter_async_context(running(ours, url, bus.cell.name, settings, scope=session))
            except* NotAllowed as refused:
                names = " ".join(service.name for service in ours)
                hint = "Start each with `lantern serve NAME`, logged in as its own user."
                raise NotAllowed(bus.cell.events.who, f"run what nobody serves: {names}", hint) from refused
        yield


@asynccontextmanager
async def _stopping(
    settings: MeshSettings, session: str, given: asyncio.Event | None
) -> AsyncIterator[asyncio.Event]:
    """An event that is set when the session should end: by a signal, or because the disk is nearly full.

    `given`: the caller's, in place of one that a signal sets.
    """
    with nullcontext(given) if given is not None else StopOnSignal() as stopping:
        async with stop_on_full_disk(settings, stopping, _resume(session)):
            yield stopping


def _resume(session: str) -> str:
    return f"`lantern resume {session}`"


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
