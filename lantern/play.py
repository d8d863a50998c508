"""Plays one session: finds or starts the services, starts or resumes it, and watches it to its end."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from games import BUNDLED
from lantern.compose import SERVICES, connection, nats_url, running, service_named
from lantern.show import COUNTED
from lantern.signals import StopOnSignal
from lantern.summary import Summary
from mesh import record, stories
from mesh.bus import Bus
from mesh.dead_letters import Buried, every
from mesh.errors import (
    BusUnreachable,
    FailureError,
    InputError,
    NobodyAnswers,
    NotAllowed,
    SessionPlayed,
    SessionRefused,
    SessionTaken,
)
from mesh.liveness import who_is_ready, who_serves
from mesh.service import Service
from mesh.settings import MeshSettings
from mesh.steady import GONE, Interrupted
from mesh.subjects import checked_session
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.game import ResumeSession, SessionAnswer, StartSession, StopSession
from services.actor.policies import policy_of
from services.game.zmachine import Story, check_story

PATIENCE = {"start": 30.0, "resume": 600.0}
"""Seconds to wait for a session: a resume without snapshots plays every recorded step again."""


RETURN = 5.0
"""Seconds within which services are there again after the server."""

WARM_WITHIN = 15.0
"""Seconds to wait for services that are just starting."""


class StoryNotFound(InputError):
    """No story file there."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"No story at {path}: {why}. Give the path of a .z1 to .z8 file, or 'bundled'.")


class RecordLost(FailureError):
    """The stream was deleted under a session."""

    def __init__(self, session: str) -> None:
        super().__init__(
            f"The record of the session {session!r} is gone: its stream was deleted on the NATS server. "
            "Play a new session."
        )


class ServiceServed(InputError):
    """A service that is to be replaced for a session serves the whole cell, and would answer too."""

    def __init__(self, name: str, cell: str) -> None:
        super().__init__(
            f"A {name} service is live for all of cell {cell}, and would answer too. "
            "Stop it, or use another --cell."
        )


class SessionStuckError(FailureError):
    """A service without which nothing moves has given up on a message."""

    def __init__(self, letter: Buried) -> None:
        super().__init__(
            f"The {letter.service} gave up on {letter.subject}: {letter.letter.error}. "
            f"See `lantern dead-letters show {letter.number}`."
        )


@dataclass(frozen=True, slots=True)
class Wish:
    """What the user wants to be played."""

    story: str
    steps: int
    policy: str
    seed: int
    session: str
    cell: str
    valid_actions: bool | None = None
    """None: as usual, which is no in a text-only session."""
    text_only: bool = False


@dataclass(frozen=True, slots=True)
class Again:
    """A session that the user wants to go on."""

    session: str
    cell: str
    steps: int | None = None
    """Further actions; None: what the budget leaves."""


class Watcher(Protocol):
    """Shows a session while it is played (for as long as its block lasts)."""

    kinds: Collection[Kind]
    """What it wants to see; the session's start, steps, proposals, verdicts and end at least."""

    def __enter__(self) -> Watcher:
        """Begin to show."""

    def __exit__(self, *error: object) -> None:
        """Leave the screen as it should be."""

    def saw(self, envelope: Envelope) -> None:
        """A message of the session has come."""

    def quiet(self, absent: Iterable[str]) -> None:
        """Nothing has come for a while; these services are not live."""

    def away(self, seconds: float) -> None:
        """The NATS server is away; it is waited for so many seconds more."""


async def play(wish: Wish, story: Story, settings: MeshSettings, watcher: Watcher) -> Summary:
    """Play a session to its end, or to the user's Ctrl-C (which ends it after the step under way).

    `story` is what `check_wish` gave for the wish.

    Raises:
        InputError: the wish cannot be granted as it is.
        FailureError: the mesh cannot do it.
    """
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(nats_url(settings))
        bus = await stack.enter_async_context(connection(url, wish.cell, patience=settings.patience))
        if await record.started(bus, wish.session):
            raise SessionTaken(wish.session)
        await stack.enter_async_context(_mesh(wish.session, bus, url, settings))
        stopping = stack.enter_context(StopOnSignal())
        await _start(wish, story, bus)
        return await _watch(wish.session, bus, watcher, stopping, settings.patience)


async def resume(
    wish: Again, settings: MeshSettings, watcher: Watcher, instead: Sequence[Service[Any]] = ()
) -> Summary:
    """Take a session up where its record ends, and play it to its end; the watcher sees what is new.

    `instead`: services that serve this session in place of ours of the same names, or beside ours.

    Raises:
        InputError: there is no such session, it has no steps left, or it is being played.
        FailureError: the mesh cannot do it.
    """
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(nats_url(settings))
        bus = await stack.enter_async_context(connection(url, wish.cell, patience=settings.patience))
        bus.cell = (await record.find(bus, wish.session)).cell
        await stack.enter_async_context(_mesh(wish.session, bus, url, settings, instead))
        stopping = stack.enter_context(StopOnSignal())
        recorded = await record.sequence(bus)
        await _granted(bus, "resume", ResumeSession(session=wish.session, steps=wish.steps))
        await _watch(wish.session, bus, watcher, stopping, settings.patience, after=recorded)
        return await _counted(wish.session, bus)


def check_wish(wish: Wish) -> Story:
    """The story, if everything that the user asked for can be had.

    Raises:
        InputError: something cannot.
    """
    check_steps(wish.steps)
    if wish.seed < 1:
        raise InputError(f"--seed cannot be {wish.seed}: the emulator's seeds are 1 and above.")
    if wish.text_only and wish.valid_actions:
        raise InputError("--text-only and --valid-actions exclude each other. Leave one of them out.")
    policy_of(wish.policy)
    checked_session(wish.session)
    return load_story(wish.story)


def check_steps(steps: int | None) -> None:
    """Raises InputError for a number of steps that cannot be."""
    if steps is not None and steps < 1:
        raise InputError(f"--steps cannot be {steps}: a session has at least 1 step.")


def load_story(name: str) -> Story:
    """The story at a path, or the bundled one.

    Raises:
        InputError: there is none, or it is no story.
    """
    path = BUNDLED if name == "bundled" else Path(name)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise StoryNotFound(path, (error.strerror or str(error)).lower()) from error
    return check_story(data, path.name)


def default_session(story: str, now: str) -> str:
    """An id that tells what was played and when."""
    stem = BUNDLED.stem if story == "bundled" else Path(story).stem
    kept = "".join(c if c.isascii() and c.isalnum() else "-" for c in stem).strip("-")[:24] or "story"
    tail = hashlib.sha256(now.encode()).hexdigest()[:4]
    return f"{kept}-{now[:19].replace(':', '').replace('-', '').replace('T', '-')}-{tail}"


@asynccontextmanager
async def _mesh(
    session: str, bus: Bus, url: str, settings: MeshSettings, instead: Sequence[Service[Any]] = ()
) -> AsyncIterator[None]:
    """Whatever of our services nobody serves yet in the cell is run here, for this session alone.

    Raises:
        SessionPlayed: another command does so already.
        NotAllowed: the user that we log in as may not run them.
        ServiceServed: one that is to be replaced serves the whole cell.
    """
    live = await who_is_ready(bus, WARM_WITHIN)
    if any(alive.scope == session for alive in live):
        raise SessionPlayed(session)
    served = {alive.name for alive in live if alive.scope == "*"}
    given = {service.name: service for service in instead}
    if taken := served & given.keys():
        raise ServiceServed(min(taken), bus.cell)
    own = [service_named(name, settings.home) for name in SERVICES if name not in served | given.keys()]
    ours = [*own, *given.values()]
    async with AsyncExitStack() as stack:
        if ours:
            try:
                await stack.enter_async_context(running(ours, url, bus.cell, settings, scope=session))
            except* NotAllowed as refused:
                names = " ".join(service.name for service in ours)
                mend = "Start each with `lantern serve NAME`, logged in as its own user."
                raise NotAllowed(bus.events.who, f"run what nobody serves: {names}", mend) from refused
        yield


async def _start(wish: Wish, story: Story, bus: Bus) -> None:
    md5 = await stories.put(bus, story.data)
    await _granted(
        bus,
        "start",
        StartSession(
            session=wish.session,
            game=BUNDLED.name if wish.story == "bundled" else Path(wish.story).name,
            story_md5=md5,
            policy=wish.policy,
            seed=wish.seed,
            steps=wish.steps,
            valid_actions=wish.valid_actions is not False and not wish.text_only,
            text_only=wish.text_only,
        ),
    )


async def _granted(bus: Bus, verb: str, wish: StartSession | ResumeSession) -> None:
    """Ask the game service for a session.

    Raises:
        SessionRefused: it does not grant the wish.
    """
    recorded = await record.sequence(bus)
    answer, interrupted = await _asked(bus, verb, wish, PATIENCE[verb])
    if not answer.ok and not (interrupted and await record.begun_after(bus, wish.session, recorded)):
        raise SessionRefused(answer.refusal)


async def _asked(
    bus: Bus, verb: str, wish: StartSession | ResumeSession | StopSession, seconds: float
) -> tuple[SessionAnswer, bool]:
    """The game service's answer, and whether an outage made it be asked again (it may have heard before)."""
    interrupted = False
    while True:
        try:
            answer = await bus.ask("game", verb, wish, SessionAnswer, session=wish.session, timeout=seconds)
            return answer, interrupted
        except (Interrupted, NobodyAnswers) as error:
            interrupted = interrupted or isinstance(error, Interrupted)
            if not interrupted or bus.events.there_for() > RETURN:
                raise
            await asyncio.sleep(0.2)


async def _counted(session: str, bus: Bus) -> Summary:
    """The summary of a session that has ended, from its whole record."""
    summary = Summary(session, bus.cell)
    async for envelope in record.follow(bus, session, COUNTED):
        if envelope is not None:
            summary.after(envelope)
    return summary


async def _watch(
    session: str, bus: Bus, watcher: Watcher, stopping: asyncio.Event, patience: float, after: int = 0
) -> Summary:
    summary = Summary(session, bus.cell)
    async with asyncio.TaskGroup() as tasks:
        stopper = tasks.create_task(_stop_when(stopping, session, bus))
        async for envelope in record.follow(bus, session, watcher.kinds, after):
            if envelope is None:
                await _look_why(session, bus, watcher, patience, after)
            else:
                summary.after(envelope)
                watcher.saw(envelope)
        stopper.cancel()
    return summary


async def _look_why(session: str, bus: Bus, watcher: Watcher, patience: float, after: int) -> None:
    """Nothing has come for a while: say who is absent, or that nothing more will come.

    Raises:
        BusUnreachable: the NATS server has been gone for longer than `patience` seconds.
        RecordLost: the session is gone.
        SessionStuckError: the actor or the game has given up on a message of the session, this time.
    """
    if (away := bus.events.away()) > 0:
        if away >= patience:
            raise BusUnreachable(GONE)
        watcher.away(patience - away)
        return
    if await record.started(bus, session) is None:
        raise RecordLost(session)
    if bus.events.there_for() < RETURN:
        return
    watcher.quiet(SERVICES.keys() - {alive.name for alive in await who_serves(bus)})
    async for letter in every(bus, session):
        if letter.number > after and letter.service in ("actor", "game") and letter.is_message:
            await _stop(session, bus)
            raise SessionStuckError(letter)


async def _stop_when(stopping: asyncio.Event, session: str, bus: Bus) -> None:
    await stopping.wait()
    await _stop(session, bus)


async def _stop(session: str, bus: Bus) -> None:
    answer, _ = await _asked(bus, "stop", StopSession(session=session), 30.0)
    if not answer.ok:
        raise FailureError(answer.refusal)
