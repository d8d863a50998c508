"""Replays services of ours and of the user: builds them, runs them in their own cells, cleans up."""

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
from lantern.nats.session_index import SessionIndex
from lantern.play.compose import running
from lantern.play.models.session_models import model_settings, required_models
from lantern.play.own.outside_agents import is_played_by_client
from lantern.play.services import OPTIONAL, SERVICES, service_named
from mesh.errors import InputError
from mesh.nats.subjects import REPLAYS
from mesh.observability.liveness import who_is_live
from mesh.printable import one_line
from mesh.record.bus import Bus
from mesh.replay.replay import ReplayedStep, first_in_chain, published_kinds, replay
from mesh.replay.replay_cell import ReplayCell, clear
from mesh.replay.replayed_record import CHAIN, ReplayedRecord
from mesh.runner.service import Service
from mesh.settings import MeshSettings
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.game import SessionStarted
from services.actor.context.recorded import RecordedContext
from services.actor.manual_control import RecordedHands
from services.actor.service import ActorService

__all__ = ["ReplayedStep", "replay_services", "replaying", "replaying_named"]

UNHURRIED = {"dead_after": 600.0, "retry_delays": (), "drain": 1.0}
"""Settings of a replay: a service may wait while the user looks at a step, and no fault is retried."""

LEFT_BEHIND = timedelta(days=1)
"""A replay that began so long ago, and has no live service, was killed: its remains are removed."""

GAME, ACTOR = "game", ActorService.name


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
    """The same as `replaying`, for services by their names; each has a directory that is removed afterwards.

    `all`: our services that have published something in the session, without the game service. Each of `code`
    is a class of the user's, `path/to/file.py:Class`, and replaces the service of its name.

    Raises:
        InputError: there is no such session or service, or it cannot be replayed.
    """
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(nats_url(settings))
        bus = await stack.enter_async_context(connection(url, "main"))
        recorded = await _recorded(bus, session, settings, live_model)
        home = stack.enter_context(TemporaryDirectory(prefix="lantern-replay-"))
        ours = published_kinds(recorded).keys() - ({ACTOR} if _agent(recorded) else set())
        services = _built([*_expanded(names, ours), *code], Path(home))
        if live_model:
            models = required_models(services, model_settings(), "--live-model")
            await stack.enter_async_context(models)
        else:
            _silence_models(services)
        yield await stack.enter_async_context(_in_cells(session, recorded, services, bus, url, settings))


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

    The services receive a step when the caller asks for the next `ReplayedStep`. They run in cells of their
    own, which are deleted after the block, however it ends; the session's own record is only read. An error
    in the block is raised as it is. The record holds the replies of language models and the context of the
    actor; with `live_model` the models are asked again.

    Raises:
        SessionUnknown: there is no such session.
        InputError: a service has published nothing in it.
    """
    recorded = await _recorded(bus, session, settings, live_model)
    if not live_model:
        _silence_models(services)
    async with _in_cells(session, recorded, services, bus, url, settings) as steps:
        yield steps


async def _recorded(bus: Bus, session: str, settings: MeshSettings, live_model: bool) -> list[Envelope]:
    found = await SessionIndex(settings).find(bus, session)
    messages = bus.in_cell(found.cell).reader.messages(session)
    return [message async for message in messages if not (live_model and message.kind is Kind.MODEL)]


def _agent(recorded: Iterable[Envelope]) -> str:
    """The agent from outside, or the client, that decided in a session; empty: a policy did."""
    started = next((each.body for each in recorded if isinstance(each.body, SessionStarted)), None)
    if started is None:
        return ""
    return "a client" if is_played_by_client(started) else started.agent


def _silence_models(services: Iterable[Service[Any]]) -> None:
    for service in services:
        if isinstance(service, ModelAccess):
            service.model = NoModel()


@asynccontextmanager
async def _in_cells(
    session: str,
    recorded: Sequence[Envelope],
    services: Sequence[Service[Any]],
    bus: Bus,
    url: str,
    settings: MeshSettings,
) -> AsyncIterator[AsyncIterator[ReplayedStep]]:
    ours = any(type(service) is ActorService for service in services)
    if (agent := _agent(recorded)) and (ours or not services):
        raise InputError(
            f"An agent from outside decided in the session {session} ({one_line(agent)}). It is not "
            "replayed: it need not decide by the record alone. Replay others, or an actor of yours by --code."
        )
    groups = _groups(session, services, published_kinds(recorded))
    replayed_record = ReplayedRecord(recorded, [service.name for service in services])
    _give_recorded_context(services, replayed_record)
    await _remove_remains(bus)
    token, cells = secrets.token_hex(4), []
    try:
        async with AsyncExitStack() as stack:
            for number, group in enumerate(groups, start=1):
                own = bus.in_cell(f"{REPLAYS}{token}-{number}")
                stack.push_async_callback(clear, own, session)
                mesh = running(
                    group, url, own.cell.name, settings.model_copy(update=UNHURRIED), scope=session
                )
                cells.append(ReplayCell(own, session, await stack.enter_async_context(mesh)))
            yield await stack.enter_async_context(aclosing(replay(replayed_record, cells)))
    except BaseExceptionGroup as errors:
        raise _only_one_in(errors) from None


def _give_recorded_context(services: Iterable[Service[Any]], recorded: ReplayedRecord) -> None:
    for service in services:
        if isinstance(service, ActorService):
            service.context = RecordedContext(recorded, service.name)
            service.hands = RecordedHands(recorded, service.name)


def _only_one_in(error: BaseException) -> BaseException:
    """The error that the caller's block raised; if several were raised together, all of them."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def _expanded(names: Iterable[str], published: Collection[str]) -> list[str]:
    ours = [name for name in (*SERVICES, *OPTIONAL) if name in published and name != GAME]
    return [name for given in names for name in (ours if given == "all" else [given])]


def _built(names: Iterable[str], home: Path) -> list[Service[Any]]:
    """The services, the last one of each name.

    Raises:
        InputError: there is none of a name.
    """
    services = (service_named(name, home) for name in names)
    return list({service.name: service for service in services}.values())


def _groups(
    session: str, services: Sequence[Service[Any]], kinds: Mapping[str, frozenset[Kind]]
) -> list[list[Service[Any]]]:
    """The services by their position in the chain.

    Raises:
        InputError: there is none, or one has published nothing in the session, or is the game service.
    """
    there = ", ".join(sorted(kinds.keys() - {GAME})) or "another session"
    if not services:
        raise InputError(f"Nothing of the session {session} is to be replayed. Replay any of {there}.")
    groups: dict[Kind, list[Service[Any]]] = {kind: [] for kind in CHAIN}
    for service in services:
        if service.name == GAME:
            raise InputError(
                "The game service is not replayed this way. "
                "`lantern sessions verify` plays a session's actions again and compares every step."
            )
        if service.name not in kinds:
            raise InputError(
                f"The session {session} has nothing recorded by a service {service.name!r}. "
                f"Replay any of {there}."
            )
        groups[first_in_chain(kinds[service.name])].append(service)
    return [group for group in groups.values() if group]


async def _remove_remains(bus: Bus) -> None:
    """Remove what killed replays have left."""
    for found in await bus.reader.sessions(replays=True):
        own = bus.in_cell(found.cell)
        if found.time < bus.cell.now() - LEFT_BEHIND and not await who_is_live(own.cell):
            await clear(own, found.session)
