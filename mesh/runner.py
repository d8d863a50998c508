"""Runs one service: delivery in order, catch-up, redelivery, dead letters, drain, discovery."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Coroutine
from typing import Any, Generic, TypeVar

import structlog
from nats.aio.msg import Msg
from nats.micro import add_service
from nats.micro.request import Request
from nats.micro.service import EndpointConfig, ServiceConfig
from nats.micro.service import Service as MicroService

from mesh import record
from mesh.archive import IMPORTED
from mesh.bus import Bus, Outcome
from mesh.codec import Undecodable, decode, place_named_by
from mesh.dead_letters import buried
from mesh.held import Sessions
from mesh.inbox import Inbox
from mesh.service import Service
from mesh.settings import MeshSettings
from mesh.subjects import Place, ask_subject, live_subject, message_id, place_of, subject_of
from schemas.base import Kind, Message
from schemas.catalogue import summary_of
from schemas.envelope import Envelope
from schemas.game import SessionEnded, SessionStarted
from schemas.mesh import RetryAnswer, RetryDeadLetter, ServiceAlive, ServiceState

ACK_EVERY = 0.03
"""Seconds between two groups of acknowledgements."""

CHAIN = (Kind.STEP, Kind.PROPOSAL, Kind.VERDICT)
"""The messages of a step in the order in which one leads to the next."""

S = TypeVar("S")
log = structlog.get_logger()


class Runner(Generic[S]):
    """One instance of one service in one cell, for all sessions (`scope="*"`) or for a single one.

    The connection is its owner's to close, after `run`.
    """

    def __init__(self, service: Service[S], bus: Bus, settings: MeshSettings, scope: str = "*") -> None:
        self.service, self.bus, self.settings, self.scope = service, bus, settings, scope
        self.state = ServiceState.WARMING
        self.handled = self.failed = 0
        self.sessions = Sessions(service, bus)
        self.inbox = Inbox(bus, self._kinds(), scope, settings)
        self._waiting: dict[str, deque[Msg]] = {}
        self._in_hand: dict[int, Msg] = {}
        self._working: set[asyncio.Task[object]] = set()
        self._handled: list[Msg] = []
        self._some_handled = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._tasks: asyncio.TaskGroup
        self._ready = asyncio.Event()
        self._stop = asyncio.Event()

    async def run(self) -> None:
        """Serve until `stop` is called; then finish what is in hand."""
        try:
            async with asyncio.TaskGroup() as self._tasks:
                await self._join()
                beats = self._tasks.create_task(self._heartbeats())
                acks = self._tasks.create_task(self._ack_in_groups())
                reading = self._tasks.create_task(self.inbox.read(self._deliver))
                await self._stop.wait()
                await self._drain(reading)
                beats.cancel()
                acks.cancel()
        finally:
            await self._leave()

    async def ready(self) -> None:
        """Wait until the service takes messages."""
        await self._ready.wait()

    def stop(self) -> None:
        """Ask the service to finish what is in hand and to leave."""
        self._stop.set()

    # -- coming and going

    async def _join(self) -> None:
        await self.service.joined(self.bus, self.settings)
        await self.inbox.provision()
        self.micro = await self._discovery()
        await self.bus.ready()
        await self._turn(ServiceState.READY)
        self._ready.set()

    async def _drain(self, reading: asyncio.Task[None]) -> None:
        await self._turn(ServiceState.DRAINING)
        self.inbox.stop()
        await reading
        try:
            async with asyncio.timeout(self.settings.drain):
                await self._idle.wait()
        except TimeoutError:
            log.warning("drain_cut_short", service=self.service.name, in_hand=len(self._in_hand))
            for message in self._in_hand.values():
                await message.nak()
            for task in self._working:
                task.cancel()
        await self._ack()

    async def _leave(self) -> None:
        await self.sessions.forget_all()
        await self.service.left()
        await self.inbox.remove()

    async def _turn(self, state: ServiceState) -> None:
        self.state = state
        await self._say_alive()
        log.info("service_" + state, service=self.service.name, version=self.service.version)

    # -- being found

    def alive(self) -> ServiceAlive:
        """What this instance says of itself now."""
        return ServiceAlive(
            name=self.service.name,
            version=self.service.version,
            instance=self.bus.me.instance,
            cell=self.bus.cell,
            scope=self.scope,
            gives_fragments=self.service.gives_fragments,
            state=self.state,
            handled=self.handled,
            failed=self.failed,
            lag=len(self._in_hand),
            time=self.bus.now(),
        )

    async def _say_alive(self) -> None:
        if self.bus.nc.is_connected:
            subject = live_subject(self.bus.cell, self.service.name, self.bus.me.instance)
            await self.bus.nc.publish(subject, self.alive().model_dump_json().encode())

    async def _heartbeats(self) -> None:
        while True:
            await asyncio.sleep(self.settings.heartbeat)
            await self._say_alive()
            for message in list(self._in_hand.values()):
                await message.in_progress()

    async def _discovery(self) -> MicroService:
        config = ServiceConfig(
            name=self.service.name,
            version=self.service.version,
            description=summary_of(type(self.service)),
            metadata={"cell": self.bus.cell, "scope": self.scope, "instance": self.bus.me.instance},
            stats_handler=lambda _: self.alive().model_dump(mode="json"),
        )
        micro = await add_service(self.bus.nc, config)
        for verb, (question, handler) in {
            **self.service.asked(),
            "retry": (RetryDeadLetter, self._retry),
        }.items():
            await micro.add_endpoint(self._endpoint(verb, question, handler))
        return micro

    def _endpoint(self, verb: str, question: Any, handler: Any) -> EndpointConfig:
        async def serve(request: Request) -> None:
            answer = await handler(question.model_validate_json(request.data))
            await request.respond(answer.model_dump_json().encode())

        subject = ask_subject(self.bus.cell, self.service.name, verb, self.scope)
        return EndpointConfig(name=verb, handler=serve, subject=subject)

    # -- delivery

    def _kinds(self) -> list[Kind]:
        return [Kind.STARTED, Kind.ENDED, *(message.kind for message in self.service.reads)]

    async def _deliver(self, message: Msg) -> None:
        """Take a message in hand: in order within its session, beside all other sessions."""
        self._in_hand[id(message)] = message
        self._idle.clear()
        place = place_of(message.subject)
        if place is not None and place.kind in {kind.kind for kind in self.service.unordered}:
            self._work(self._handle(message))
            return
        session = message.subject.split(".")[2]
        queue = self._waiting.get(session)
        if queue is None:
            self._waiting[session] = deque([message])
            self._work(self._work_through(session))
        else:
            queue.append(message)

    def _work(self, handling: Coroutine[Any, Any, object]) -> None:
        task = self._tasks.create_task(handling)
        self._working.add(task)
        task.add_done_callback(self._working.discard)

    async def _work_through(self, session: str) -> None:
        queue = self._waiting[session]
        try:
            while queue:
                await self._handle(queue.popleft())
        finally:
            del self._waiting[session]

    async def _handle(self, message: Msg) -> None:
        tries = message.metadata.num_delivered or 1
        try:
            if tries > len(self.settings.retry_delays) + 1:
                self.sessions.skip(message.subject)
                await self._give_up(message, "it ended this service each time", tries - 1)
            elif IMPORTED not in (message.headers or {}):
                error = await self._attempt(decode(message.subject, message.data), tries)
                if error is not None:
                    await self._try_again(message, error, tries)
                    return
            self._handled.append(message)
            self._some_handled.set()
            self.handled += 1
        except Undecodable as error:
            await self._give_up(message, str(error), tries)
        finally:
            self._in_hand.pop(id(message), None)
            if not self._in_hand:
                self._idle.set()

    async def _attempt(self, envelope: Envelope, tries: int = 1) -> Exception | None:
        """React to a message; the fault, if it failed."""
        try:
            await self._react(envelope)
        except Exception as error:  # the one broad handler: a fault of one message must not end the service
            told = {"subject": subject_of(place_named_by(envelope)), "service": self.service.name}
            log.exception("message_failed", **told, tries=tries)
            return error
        return None

    async def _ack_in_groups(self) -> None:
        """One write to the server for many acknowledgements: what a crash makes it repeat is harmless."""
        while True:
            await self._some_handled.wait()
            await asyncio.sleep(ACK_EVERY)
            await self._ack()

    async def _ack(self) -> None:
        self._some_handled.clear()
        handled, self._handled = self._handled, []
        for message in handled:
            if not message.is_acked:
                await message.ack()

    async def _react(self, envelope: Envelope) -> None:
        with structlog.contextvars.bound_contextvars(
            session=envelope.session, step=envelope.step, service=self.service.name
        ):
            session = await self.sessions.at(envelope)
            if session is None:
                return
            for answer in await self.service.answer(session, envelope):
                outcome = await self._publish(session.id, answer, message_id(place_named_by(envelope)))
                await self.service.published(session, answer, outcome is not Outcome.LOST)
            if isinstance(envelope.body, SessionEnded):
                await self.sessions.forget(session.id)
            elif isinstance(envelope.body, SessionStarted) and envelope.body.resumed:
                await self._react_again(session.id, envelope.step)

    async def _publish(self, session: str, message: Message, cause: str) -> Outcome:
        if isinstance(message, SessionEnded):
            return await record.end(self.bus, session, message, cause)
        return await self.bus.publish(session, message, cause)

    async def _react_again(self, session: str, step: int) -> None:
        """A session is resumed after a step: whatever message the chain had stopped at, it goes on."""
        if await self.bus.read(Place(self.bus.cell, session, Kind.STEP, step + 1)) is not None:
            return
        read = [message for message in self.service.reads if message.kind in CHAIN]
        for message in sorted(read, key=lambda message: CHAIN.index(message.kind)):
            held = await self.bus.read(Place(self.bus.cell, session, message.kind, step))
            if held is None:
                continue
            now = held.model_copy(update={"time": self.bus.now()})  # deadlines count from the resume
            if message in self.service.unordered:
                self._work(self._attempt(now))
            else:
                await self._react(now)

    async def _try_again(self, message: Msg, error: Exception, tries: int) -> None:
        self.failed += 1
        delays = self.settings.retry_delays
        await self.sessions.forget(message.subject.split(".")[2])
        if tries > len(delays):
            self.sessions.skip(message.subject)
            await self._give_up(message, f"{type(error).__name__}: {error}", tries)
        else:
            await message.nak(delay=delays[tries - 1])

    async def _give_up(self, message: Msg, error: str, tries: int) -> None:
        sequence = message.metadata.sequence.stream
        await self.bus.bury(message.subject, sequence, message.data, error, tries)
        await message.term()

    async def _retry(self, wish: RetryDeadLetter) -> RetryAnswer:
        letter = await buried(self.bus, wish.sequence)
        if letter is None or letter.service != self.service.name:
            return RetryAnswer(ok=False, error=f"The {self.service.name} service has no such dead letter.")
        try:
            self.sessions.accept(letter.subject)
            await self._react(decode(letter.subject, letter.payload))
        except Undecodable as error:
            return RetryAnswer(ok=False, error=str(error))
        return RetryAnswer(ok=True)
