"""Connecting to NATS: who we say we are, how long we try, and what NATS tells beside the messages."""

from __future__ import annotations

import asyncio
import re
import time
from collections import defaultdict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

import nats
import structlog
from nats.aio.client import Client
from nats.aio.msg import Msg

from mesh.errors import BusUnreachable, NotAllowed
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


async def connected(url: str, me: ServiceRef) -> tuple[Client, ConnectionEvents]:
    """A connection that comes back by itself, without end, once it has been made.

    `url` may carry a user and a password, or a token: `nats://user:password@host:port`, percent-encoded.

    Raises:
        BusUnreachable: nothing answers at `url`, or it refuses us.
    """
    server, login = parted(url)
    events = ConnectionEvents(me, login.user)
    nc = WatchedClient(events)
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
    """What NATS tells beside the messages: logged, and the first error kept for who is connecting."""

    def __init__(self, me: ServiceRef, user: str | None = None) -> None:
        self.log = log.bind(service=me.name, instance=me.instance)
        self.who = f"the user {user}" if user else me.name
        self.user = user
        self.first_error: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.connecting, self.closing = True, False
        self.refusals: deque[tuple[float, str]] = deque(maxlen=REFUSALS_KEPT)
        """What NATS did not let us do lately: when (monotonic seconds), and what."""
        self.refused_subscription: NotAllowed | None = None
        self._asking: defaultdict[str, set[asyncio.Timeout]] = defaultdict(set)

    def callbacks(self) -> dict[str, Any]:
        """The callbacks, as nats-py names them."""
        return {
            "error_cb": self.on_error,
            "disconnected_cb": self.on_disconnect,
            "reconnected_cb": self.on_reconnect,
        }

    async def on_error(self, error: Exception) -> None:
        """Log it; permission violations are told nowhere else."""
        if not self.first_error.done():
            self.first_error.set_result(reason_of(error))
        if refused := REFUSED.search(reason_of(error)):
            self._on_refusal(refused[1].lower(), refused[2])
        else:
            tell = self.log.info if self.connecting else self.log.warning  # who connects is told by an error
            tell("bus_error", error=reason_of(error))

    async def on_disconnect(self) -> None:
        """Log it; the client reconnects by itself, without end."""
        if not self.closing:
            self.log.warning("bus_disconnected")

    async def on_reconnect(self) -> None:
        """Log it."""
        self.log.info("bus_reconnected")

    @asynccontextmanager
    async def unless_refused(self, subject: str) -> AsyncIterator[None]:
        """End the block at once if NATS does not let us publish to the subject.

        Raises:
            NotAllowed: it does not.
        """
        asking = self._asking[subject.lower()]
        try:
            async with asyncio.timeout(None) as limit:
                asking.add(limit)
                yield
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise NotAllowed(self.who, f"publish {subject}") from error
        finally:
            asking.discard(limit)
            if not asking:
                self._asking.pop(subject.lower(), None)

    def _on_refusal(self, what: str, subject: str) -> None:
        did = f"publish {subject}" if what == "publish" else f"hear {subject}"
        self.refusals.append((time.monotonic(), f"NATS does not let {self.who} {did}"))
        asking = self._asking.get(subject.lower(), ()) if what == "publish" else ()
        tell = self.log.info if asking else self.log.error  # who asks gets an error, and tells it
        tell("bus_refused", user=self.user, refused=did)
        if what != "publish":
            self.refused_subscription = NotAllowed(self.who, did)
        for limit in asking:
            limit.reschedule(0)


class WatchedClient(Client):
    """A client whose requests fail at once when NATS does not let us ask: nats-py alone waits in vain."""

    def __init__(self, events: ConnectionEvents) -> None:
        super().__init__()
        self.events = events

    async def request(
        self,
        subject: str,
        payload: bytes = b"",
        timeout: float = 0.5,
        old_style: bool = False,
        headers: dict[str, Any] | None = None,
    ) -> Msg:
        """Ask, and wait for the answer.

        Raises:
            NotAllowed: NATS does not let us.
        """
        async with self.events.unless_refused(subject):
            return await super().request(subject, payload, timeout, old_style, headers)


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
