"""Services of ours and of the user's, replayed: built in a home of their own, run in cells of their own."""

from __future__ import annotations

import json
import secrets
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from language_model.model import NoModel
from language_model.sub_agents.model_access import ModelAccess
from lantern.inspect.replay_report import ReplayReport
from lantern.nats.connection import connection, nats_url
from lantern.play.compose import running
from lantern.play.models import giving_models, model_settings
from lantern.play.services import SERVICES, service_named
from mesh.errors import InputError
from mesh.nats.subjects import REPLAYS
from mesh.observability.liveness import who_is_live
from mesh.record.bus import Bus
from mesh.replay.replay import ORDER, ReplayedStep, kinds_said, place_in_chain, replay
from mesh.replay.replay_cell import ReplayCell, clear
from mesh.runner.service import Service
from mesh.settings import MeshSettings
from schemas.base import Kind
from schemas.envelope import Envelope

__all__ = ["ReplayedStep", "replay_services", "replaying", "replaying_named"]

UNHURRIED = {"dead_after": 600.0, "retry_delays": (), "drain": 1.0}
"""Settings of a replay: nobody is lost while a step is looked at, and no fault is a passing one."""

LEFT_BEHIND = timedelta(days=1)
"""A replay that began so long ago, and in which nobody is live, was killed: what it left is removed."""

GAME = "game"


async def replay_services(
    session: str,
    names: Iterable[str],
    code: Iterable[str],
    settings: MeshSettings,
    *,
    as_json: bool,
    live_model: bool = False,
) -> int:
    """Replay services by their names (see `replaying_named`), and print what differs; the exit code.

    Raises:
        InputError: there is no such session or service, or it cannot be replayed.
    """
    report = ReplayReport()
    async with replaying_named(session, names, code, settings, live_model=live_model) as steps:
        async for replayed in steps:
            for line in report.after(replayed):
                if not as_json:
                    print(line, flush=True)
    print(json.dumps({"session": session, **report.as_json()}) if as_json else report.total())
    return 0 if report.same else 1


@asynccontextmanager
async def replaying_named(
    session: str,
    names: Iterable[str],
    code: Iterable[str],
    settings: MeshSettings,
    *,
    live_model: bool = False,
) -> AsyncIterator[AsyncIterator[ReplayedStep]]:
    """The same as `replaying`, of services by their names, each in a home that is gone afterwards.

    `all` are those of ours that have said something in the session, without the game service. Each of `code`
    is a class of the user's, `path/to/file.py:Class`, and takes the place of the service of its name.

    Raises:
        InputError: there is no such session or service, or it cannot be replayed.
    """
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(nats_url(settings))
        bus = await stack.enter_async_context(connection(url, "main"))
        recorded = await _recorded(bus, session, live_model)
        home = stack.enter_context(TemporaryDirectory(prefix="lantern-replay-"))
        services = _built([*_expanded(names, kinds_said(recorded)), *code], Path(home))
        if live_model:
            models = giving_models(services, model_settings(), "--live-model")
            await stack.enter_async_context(models)
        else:
            _silence_models(services)
        yield await stack.enter_async_context(_staged(session, recorded, services, bus, url, settings))


@asynccontextmanager
async def replaying(
    session: str,
    services: Sequence[Service[Any]],
    bus: Bus,
    url: str,
    settings: MeshSettings,
    *,
    live_model: bool = False,
) -> AsyncIterator[AsyncIterator[ReplayedStep]]:
    """Replay services with the record of a session, for as long as the block lasts.

    The services get a step when the caller asks for the next `ReplayedStep`. They run in cells of their own,
    which are deleted after the block, however it ends; the session's own record is only read. An error in the
    block is raised as it is. Language models reply what was recorded; with `live_model` they are asked anew.

    Raises:
        SessionUnknown: there is no such session.
        InputError: a service has said nothing in it.
    """
    recorded = await _recorded(bus, session, live_model)
    if not live_model:
        _silence_models(services)
    async with _staged(session, recorded, services, bus, url, settings) as steps:
        yield steps


async def _recorded(bus: Bus, session: str, live_model: bool) -> list[Envelope]:
    found = await bus.reader.find(session)
    messages = bus.in_cell(found.cell).reader.messages(session)
    return [message async for message in messages if not (live_model and message.kind is Kind.MODEL)]


def _silence_models(services: Iterable[Service[Any]]) -> None:
    for service in services:
        if isinstance(service, ModelAccess):
            service.model = NoModel()


@asynccontextmanager
async def _staged(
    session: str,
    recorded: Sequence[Envelope],
    services: Sequence[Service[Any]],
    bus: Bus,
    url: str,
    settings: MeshSettings,
) -> AsyncIterator[AsyncIterator[ReplayedStep]]:
    groups = _groups(session, services, kinds_said(recorded))
    await _remove_what_was_left(bus)
    token, stages = secrets.token_hex(4), []
    try:
        async with AsyncExitStack() as stack:
            for number, group in enumerate(groups, start=1):
                own = bus.in_cell(f"{REPLAYS}{token}-{number}")
                stack.push_async_callback(clear, own, session)
                mesh = running(
                    group, url, own.cell.name, settings.model_copy(update=UNHURRIED), scope=session
                )
                stages.append(ReplayCell(own, session, await stack.enter_async_context(mesh)))
            yield await stack.enter_async_context(aclosing(replay(recorded, stages)))
    except BaseExceptionGroup as errors:
        raise _only_one_in(errors) from None


def _only_one_in(error: BaseException) -> BaseException:
    """The error of whoever uses a replay, as it was raised; where several came together, all of them."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def _expanded(names: Iterable[str], said: Collection[str]) -> list[str]:
    ours = [name for name in SERVICES if name in said and name != GAME]
    return [name for given in names for name in (ours if given == "all" else [given])]


def _built(names: Iterable[str], home: Path) -> list[Service[Any]]:
    """The services, the last one of each name.

    Raises:
        InputError: there is none of a name.
    """
    services = (service_named(name, home) for name in names)
    return list({service.name: service for service in services}.values())


def _groups(
    session: str, services: Sequence[Service[Any]], said: Mapping[str, frozenset[Kind]]
) -> list[list[Service[Any]]]:
    """The services by their place in the chain.

    Raises:
        InputError: there is none, or one has said nothing in the session, or is the game service.
    """
    there = ", ".join(sorted(said.keys() - {GAME})) or "another session"
    if not services:
        raise InputError(f"Nothing of the session {session} is to be replayed. Replay any of {there}.")
    groups: dict[Kind, list[Service[Any]]] = {kind: [] for kind in ORDER}
    for service in services:
        if service.name == GAME:
            raise InputError(
                "The game service is not replayed this way. "
                "`lantern sessions verify` plays a session's actions again and compares every step."
            )
        if service.name not in said:
            raise InputError(
                f"The session {session} has nothing recorded by a service {service.name!r}. "
                f"Replay any of {there}."
            )
        groups[place_in_chain(said[service.name])].append(service)
    return [group for group in groups.values() if group]


async def _remove_what_was_left(bus: Bus) -> None:
    """Remove what a replay has left that was killed."""
    for found in await bus.reader.sessions(replays=True):
        own = bus.in_cell(found.cell)
        if found.time < bus.cell.now() - LEFT_BEHIND and not await who_is_live(own.cell):
            await clear(own, found.session)
