"""Connecting to NATS: who we say we are, how long we try, and what NATS tells beside the messages."""

from __future__ import annotations

import asyncio
import math
import re
import time
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

import nats
import structlog
from nats.aio.client import Client

from mesh.errors import BusUnreachable, NotAllowed
from mesh.metrics import BUS_ERRORS, RECONNECTS
from mesh.nats.reconnecting_client import Interrupted, ReconnectingClient
from schemas.envelope import ServiceRef

REFUSED = re.compile(r'permissions violation for (publish|subscription) to "([^"]*)"', re.IGNORECASE)
"""How NATS tells that a user may not do something (nats-py makes it lower case)."""

REFUSALS_KEPT = 100

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Login:
    """What a server wants to know of us; each None where the address does not tell it."""

    user: str | None = None
    password: str | None = None
    token: str | None = None

    @property
    def options(self) -> dict[str, str]:
        """As nats-py names them."""
        told = {"user": self.user, "password": self.password, "token": self.token}
        return {name: value for name, value in told.items() if value is not None}


async def connected(url: str, me: ServiceRef, patience: float) -> tuple[Client, ConnectionEvents]:
    """A connection that comes back by itself, without end, once it has been made.

    `url` may carry a user and a password, or a token: `nats://user:password@host:port`, percent-encoded.
    `patience`: seconds that a request waits for a server that has gone away.

    Raises:
        BusUnreachable: nothing answers at `url`, or it refuses us.
    """
    server, login = parted(url)
    events = ConnectionEvents(me, login.user)
    nc = ReconnectingClient(events, patience)
    options: dict[str, Any] = {
        "name": f"{me.name}/{me.version}/{me.instance}",
        "inbox_prefix": f"_INBOX_{login.user or me.name}",
        "max_reconnect_attempts": -1,
        "reconnect_time_wait": 0.2,
        "ping_interval": 5,
        "connect_timeout": 3,
        **login.options,
    }
    connecting = asyncio.ensure_future(nc.connect(server, **options, **events.callbacks()))
    first: set[asyncio.Future[Any]] = {connecting, events.first_error}
    await asyncio.wait(first, timeout=5, return_when=asyncio.FIRST_COMPLETED)
    if nc.is_connected:
        events.connecting = False
        events.there.set()
        return nc, events
    reason = await _given_up(connecting, events)
    if "authorization violation" in reason.lower():
        raise BusUnreachable(
            f"The NATS server at {shown(url)} does not let {events.who} in. "
            "Correct the name and the password: LANTERN_NATS_USER and LANTERN_NATS_PASSWORD_FILE, "
            "or those in the address."
        )
    raise BusUnreachable(
        f"No NATS server to talk to at {shown(url)} ({reason}). "
        "Start one with JetStream there, or leave --nats and NATS_URL out to use an embedded one."
    )


class ConnectionEvents:
    """What NATS tells beside the messages: logged, kept for who is connecting, and for who must wait."""

    def __init__(self, me: ServiceRef, user: str | None = None) -> None:
        self.log = log.bind(service=me.name, instance=me.instance)
        self.who = f"the user {user}" if user else me.name
        self.user = user
        self._reconnects = RECONNECTS.labels(me.name)
        self._refused, self._other = (BUS_ERRORS.labels(me.name, what) for what in ("refused", "other"))
        self.first_error: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.connecting, self.closing = True, False
        self.refusals: deque[tuple[float, str]] = deque(maxlen=REFUSALS_KEPT)
        """What NATS did not let us do lately: when (monotonic seconds), and what."""
        self.refused_subscription: NotAllowed | None = None
        self._awaited: defaultdict[str, set[asyncio.Future[Any]]] = defaultdict(set)
        """The answers that are awaited now, by the subject (in lower case) of their request."""
        self.there = asyncio.Event()
        """Set while the server is there (and when the connection has been closed for good)."""
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the connection that there is now has been lost."""
        self.outages = 0
        self._back_at = -math.inf
        self._away_since: float | None = None
        self._away_before = 0.0
        self._last_error = ""

    def callbacks(self) -> dict[str, Any]:
        """The callbacks, as nats-py names them."""
        return {
            "error_cb": self.on_error,
            "disconnected_cb": self.on_disconnect,
            "reconnected_cb": self.on_reconnect,
            "closed_cb": self.on_close,
        }

    def away(self) -> float:
        """For how many seconds the server has been away now; 0: it is there."""
        return 0.0 if self._away_since is None else time.monotonic() - self._away_since

    def there_for(self) -> float:
        """For how many seconds the server has been there without an outage."""
        return 0.0 if self._away_since is not None else time.monotonic() - self._back_at

    def clock(self) -> float:
        """Monotonic seconds that stand still while the server is away: nobody can be heard then."""
        return time.monotonic() - self._away_before - self.away()

    async def on_error(self, error: Exception) -> None:
        """Log it; permission violations are told nowhere else. Why it is still away is told once."""
        reason = reason_of(error)
        if not self.first_error.done():
            self.first_error.set_result(reason)
        if refused := REFUSED.search(reason):
            self._refused.inc()
            self._on_refusal(refused[1].lower(), refused[2])
            return
        self._other.inc()
        if self._away_since is None or reason != self._last_error:
            tell = self.log.info if self.connecting else self.log.warning  # who connects is told by an error
            tell("bus_error", error=reason)
        self._last_error = reason

    async def on_disconnect(self) -> None:
        """The client reconnects by itself, without end."""
        if self._away_since is None:
            self._away_since = time.monotonic()
            self.outages += 1
        self.there.clear()
        if not self.lost.done():
            self.lost.set_result(None)
        self._fail(
            [answer for answers in self._awaited.values() for answer in answers],
            Interrupted("The connection to NATS was lost under way. Try again."),
        )
        if not self.closing:
            self.log.warning("bus_disconnected")

    async def on_reconnect(self) -> None:
        """The server is there again."""
        away = self.away()
        self._away_before += away
        self._away_since, self._last_error, self._back_at = None, "", time.monotonic()
        self.lost = asyncio.get_running_loop().create_future()
        self.there.set()
        self._reconnects.inc()
        self.log.info("bus_reconnected", away=round(away, 3))

    async def on_close(self) -> None:
        """It has been closed for good: whoever waits for the server learns it from what is done next."""
        self.there.set()

    @contextmanager
    def failing(self, subject: str, answer: asyncio.Future[Any]) -> Iterator[None]:
        """Within the block, fail the answer if the connection is lost or NATS refuses the subject.

        The answer then raises `Interrupted` or `NotAllowed`.
        """
        awaited = self._awaited[subject.lower()]
        awaited.add(answer)
        try:
            yield
        finally:
            awaited.discard(answer)
            if not awaited:
                self._awaited.pop(subject.lower(), None)

    @asynccontextmanager
    async def unless_refused(self, subject: str) -> AsyncIterator[None]:
        """End the block at once if NATS does not let us publish to the subject.

        Raises:
            NotAllowed: it does not.
        """
        refusal: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def end(_: object) -> None:
            with suppress(RuntimeError):  # the block has ended at the same moment
                limit.reschedule(0)

        refusal.add_done_callback(end)
        try:
            async with asyncio.timeout(None) as limit:
                with self.failing(subject, refusal):
                    yield
        except TimeoutError as error:
            failure = refusal.exception() if refusal.done() else None
            raise failure or error from error

    def _on_refusal(self, what: str, subject: str) -> None:
        did = f"publish {subject}" if what == "publish" else f"hear {subject}"
        self.refusals.append((time.monotonic(), f"NATS does not let {self.who} {did}"))
        asking = tuple(self._awaited.get(subject.lower(), ())) if what == "publish" else ()
        tell = self.log.info if asking else self.log.error  # who asks gets an error, and tells it
        tell("bus_refused", user=self.user, refused=did)
        if what != "publish":
            self.refused_subscription = NotAllowed(self.who, did)
        self._fail(asking, NotAllowed(self.who, did))

    @staticmethod
    def _fail(answers: Iterable[asyncio.Future[Any]], error: Exception) -> None:
        for answer in answers:
            if not answer.done():
                answer.set_exception(error)


def parted(url: str) -> tuple[str, Login]:
    """A server's address without its secrets, and the secrets."""
    scheme, colon, rest = url.rpartition("://")
    told, at, host = rest.rpartition("@")
    server = f"{scheme}{colon}{host}"
    if not at:
        return server, Login()
    name, colon, password = told.partition(":")
    if not colon:
        return server, Login(token=unquote(name))
    return server, Login(user=unquote(name), password=unquote(password))


def with_login(url: str, user: str, password: str) -> str:
    """The address with a user and a password; one that carries its own is left as it is."""
    scheme, _, rest = url.rpartition("://")
    if "@" in rest:
        return url
    return f"{scheme or 'nats'}://{quote(user, safe='')}:{quote(password, safe='')}@{rest}"


def shown(url: str) -> str:
    """A server's address without what must stay secret."""
    scheme, _, rest = url.rpartition("://")
    return f"{scheme or 'nats'}://{rest.rpartition('@')[2]}"


def reason_of(error: BaseException) -> str:
    """An error in one line."""
    return str(error).splitlines()[0] if str(error) else type(error).__name__


async def _given_up(connecting: asyncio.Future[None], events: ConnectionEvents) -> str:
    """Stop connecting, and say why it did not work."""
    connecting.cancel()
    outcome = (await asyncio.gather(connecting, return_exceptions=True))[0]
    if events.first_error.done():
        return events.first_error.result()
    return reason_of(outcome) if isinstance(outcome, nats.errors.Error | OSError) else "no answer within 5 s"
