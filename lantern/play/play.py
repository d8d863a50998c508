"""Plays one session: finds or starts the services, starts or resumes it, and watches it to its end."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from games import BUNDLED
from language_model.settings import ModelSettings
from lantern.nats.connection import connection, nats_url
from lantern.play.compose import running
from lantern.play.models import required_models
from lantern.play.services import SERVICES, service_named
from lantern.play.session_options import USUAL_BUDGET, PlayOptions, ResumeOptions, check_asks_models
from lantern.play.session_requests import request_session
from lantern.play.signals import StopOnSignal
from lantern.play.summary import Summary
from lantern.play.watching import Watcher, recorded_summary, watch
from mesh.errors import InputError, NotAllowed, SessionPlayed, SessionTaken
from mesh.observability.liveness import who_is_ready
from mesh.record import stories
from mesh.record.bus import Bus
from mesh.runner.service import Service
from mesh.settings import MeshSettings
from schemas.game import REFLACT, ResumeSession, StartSession
from services.game.story.zmachine import StoryFile

WARM_WITHIN = 15.0
"""Seconds to wait for services that are just starting."""


class ServiceServed(InputError):
    """A service that is to be replaced for a session serves the whole cell, and would answer too."""

    def __init__(self, name: str, cell: str) -> None:
        super().__init__(
            f"A {name} service is live for all of cell {cell}, and would answer too. "
            "Stop it, or use another --cell."
        )


async def play(
    options: PlayOptions,
    story: StoryFile,
    settings: MeshSettings,
    watcher: Watcher,
    models: ModelSettings | None = None,
) -> Summary:
    """Play a session to its end, or to the user's Ctrl-C (which ends it after the step under way).

    `story`: what `checked_story` returns for the options. `models`: used if the policy asks language models.

    Raises:
        InputError: the session cannot be played as the options say.
        FailureError: the mesh cannot do it.
    """
    patience = settings.patience
    async with nats_url(settings) as url, connection(url, options.cell, patience=patience) as bus:
        if await bus.reader.started(options.session):
            raise SessionTaken(options.session)
        asked = models if options.policy == REFLACT else None
        async with _mesh(options.session, bus, url, settings, asked):
            with StopOnSignal() as stopping:
                await _start(options, story, bus)
                await watch(options.session, bus, watcher, stopping, patience)
        return await recorded_summary(options.session, bus)


async def resume(
    options: ResumeOptions,
    settings: MeshSettings,
    watcher: Watcher,
    instead: Sequence[Service[Any]] = (),
    models: ModelSettings | None = None,
) -> Summary:
    """Take a session up where its record ends, and play it to its end; the watcher sees what is new.

    `instead`: services that serve this session in place of ours of the same names, or beside ours.

    Raises:
        InputError: there is no such session, it has no steps left, or it is being played.
        FailureError: the mesh cannot do it.
    """
    patience = settings.patience
    async with nats_url(settings) as url, connection(url, options.cell, patience=patience) as bus:
        bus = bus.in_cell((await bus.reader.find(options.session)).cell)
        started = await bus.reader.started(options.session)
        asked, budget = None, options.budget
        if started is not None and started.asks_models:
            asked, budget = models, budget or started.budget or USUAL_BUDGET
        elif started is not None:
            check_asks_models(started.policy, options.for_models)
        async with _mesh(options.session, bus, url, settings, asked, instead):
            with StopOnSignal() as stopping:
                recorded = await bus.reader.sequence()
                again = ResumeSession(session=options.session, steps=options.steps, budget=budget)
                await request_session(bus, "resume", again)
                await watch(options.session, bus, watcher, stopping, patience, after=recorded)
        return await recorded_summary(options.session, bus)


@asynccontextmanager
async def _mesh(
    session: str,
    bus: Bus,
    url: str,
    settings: MeshSettings,
    models: ModelSettings | None,
    instead: Sequence[Service[Any]] = (),
) -> AsyncIterator[None]:
    """Whatever of our services nobody serves yet in the cell is run here, for this session alone.

    Raises:
        ModelRefused, NoModelConfigured: one of them should ask a model that it cannot ask.
        SessionPlayed: another command does so already.
        NotAllowed: the user that we log in as may not run them.
        ServiceServed: one that is to be replaced serves the whole cell.
    """
    live = await who_is_ready(bus.cell, WARM_WITHIN)
    if any(alive.scope == session for alive in live):
        raise SessionPlayed(session)
    served = {alive.name for alive in live if alive.scope == "*"}
    given = {service.name: service for service in instead}
    if taken := served & given.keys():
        raise ServiceServed(min(taken), bus.cell.name)
    own = [service_named(name, settings.home) for name in SERVICES if name not in served | given.keys()]
    ours = [*own, *given.values()]
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


async def _start(options: PlayOptions, story: StoryFile, bus: Bus) -> None:
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
            steps=options.steps,
            valid_actions=options.valid_actions is not False and not options.text_only,
            text_only=options.text_only,
            budget=options.budget,
        ),
    )
