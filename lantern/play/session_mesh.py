"""The services that play one session: those that nobody serves yet run here, until it should end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from typing import Any

from language_model.settings import ModelSettings
from lantern.nats.disk_space import stop_on_full_disk
from lantern.play.compose import running
from lantern.play.models.session_models import required_models
from lantern.play.services import service_named
from lantern.play.signals import StopOnSignal
from mesh.errors import InputError, NotAllowed, SessionPlayed
from mesh.observability.liveness import who_is_ready
from mesh.record.bus import Bus
from mesh.runner.service import Service
from mesh.settings import MeshSettings
from schemas.game import REFLACT

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


async def unserved_of(
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
    live = await who_is_ready(bus.cell, taking, WARM_WITHIN)
    if any(alive.scope == session and alive.replaces is None for alive in live):
        raise SessionPlayed(session)
    served = {alive.name for alive in live if alive.scope == "*"}
    given = {service.name: service for service in instead}
    if taken := served & given.keys():
        raise ServiceServed(min(taken), bus.cell.name)
    own = [service_named(name, settings.home) for name in taking if name not in served | given.keys()]
    return [*own, *given.values()]


@asynccontextmanager
async def session_mesh(
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
async def stopping_event(
    settings: MeshSettings, session: str, given: asyncio.Event | None
) -> AsyncIterator[asyncio.Event]:
    """An event that is set when the session should end: by a signal, or because the disk is nearly full.

    `given`: the caller's, in place of one that a signal sets.
    """
    with nullcontext(given) if given is not None else StopOnSignal() as stopping:
        async with stop_on_full_disk(settings, stopping, resume_command(session)):
            yield stopping


def resume_command(session: str) -> str:
    """The command that goes on with a session, in backquotes."""
    return f"`lantern resume {session}`"
