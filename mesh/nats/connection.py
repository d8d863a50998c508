"""Connecting to NATS: login, time limits, and the events of a connection."""

from __future__ import annotations

import asyncio
import math
import re
import time
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

import nats
import structlog

from mesh.errors import BusUnreachable, InputError, NotAllowed
from mesh.metrics import BUS_ERRORS, RECONNECTS
from mesh.nats.reconnecting_client import Interrupted, ReconnectingClient, fail
from schemas.envelope import ServiceRef

REFUSED = re.compile(r'permissions violation for (publish|subscription) to "([^"]*)"', re.IGNORECASE)
"""The error text of NATS for a missing permission (nats-py makes it lower case)."""

USER = re.compile(r"[^\s.*>\x00-\x1f\x7f]{1,200}")
"""A user whose name can be a part of a subject."""

REFUSALS_KEPT = 100

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Login:
    """The login in a server's address; a field is None if the address does not have it."""

    user: str | None = None
    password: str | None = None
    token: str | None = None

    @property
    def options(self) -> dict[str, str]:
        """The keyword arguments of nats-py."""
        fields = {"user": self.user, "password": self.password, "token": self.token}
        return {name: value for name, value in fields.items() if value is not None}


async def open_connection(
    url: str, me: ServiceRef, patience: float
) -> tuple[ReconnectingClient, ConnectionEvents]:
    """Connect; the client then reconnects by itself, without a limit of attempts.

    `url` may carry a user and a password, or a token: `nats://user:password@host:port`, percent-encoded.
    `patience`: seconds that a request waits for the server to come back.

    Raises:
        BusUnreachable: no server answers at `url`, or it refuses the login.
        InputError: the user has a name that cannot stand in a subject.
    """
    server, login = split_login(url)
    if login.user is not None and not USER.fullmatch(login.user):
        raise InputError(
            f"A NATS user cannot be called {login.user!r} here: its name stands in subjects. "
            "Use a name without white space, '.', '*' and '>'."
        )
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
        await nc.subscribe_to_answers()
        return nc, events
    reason = await _failure_reason(connecting, events)
    if "authorization violation" in reason.lower():
        raise BusUnreachable(
            f"The NATS server at {without_login(url)} does not let {events.who} in. "
            "Correct the name and the password: LANTERN_NATS_USER and LANTERN_NATS_PASSWORD_FILE, "
            "or those in the address."
        )
    raise BusUnreachable(
        f"No NATS server answers at {without_login(url)} ({reason}). "
        "Start one with JetStream there, or leave --nats and NATS_URL out to use an embedded one."
    )


class ConnectionEvents:
    """Handles the events of a connection (errors, refusals, outages): logs them, fails pending requests."""

    def __init__(self, me: ServiceRef, user: str | None = None) -> None:
        self.log = log.bind(service=me.name, instance=me.instance)
        self.who = f"the user {user}" if user else me.name
        self.user = user
        self._reconnects = RECONNECTS.labels(me.name)
        self._refused, self._other = (BUS_ERRORS.labels(me.name, what) for what in ("refused", "other"))
        self.first_error: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.connecting, self.closing = True, False
        self.refusals: deque[tuple[float, str]] = deque(maxlen=REFUSALS_KEPT)
        """The latest permission violations: the time (monotonic seconds), and the text."""
        self.refused_subscription: NotAllowed | None = None
        self.full: float | None = None
        """Since when (monotonic seconds) the server has stored nothing; None: it stores what we publish."""
        self._pending: dict[asyncio.Future[Any], str] = {}
        """The pending answers, with the subjects of their requests."""
        self.there = asyncio.Event()
        """Set while the connection is up (and once it has been closed for good)."""
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the current connection has been lost."""
        self.outages = 0
        self._reconnected_at = -math.inf
        self._away_since: float | None = None
        self._away_before = 0.0
        self._last_error = ""

    def callbacks(self) -> dict[str, Any]:
        """The callbacks, as keyword arguments of nats-py."""
        return {
            "error_cb": self.on_error,
            "disconnected_cb": self.on_disconnect,
            "reconnected_cb": self.on_reconnect,
            "closed_cb": self.on_close,
        }

    def away(self) -> float:
        """Seconds since the connection was lost; 0: it is up."""
        return 0.0 if self._away_since is None else time.monotonic() - self._away_since

    def time_since_outage(self) -> float:
        """Seconds since the last outage ended; 0 during an outage."""
        return 0.0 if self._away_since is not None else time.monotonic() - self._reconnected_at

    def clock(self) -> float:
        """Monotonic seconds that stand still during an outage, when no message can arrive."""
        return time.monotonic() - self._away_before - self.away()

    async def on_error(self, error: Exception) -> None:
        """Log the error. NATS reports permission violations only here; a repeated error is logged once."""
        reason = reason_of(error)
        if not self.first_error.done():
            self.first_error.set_result(reason)
        if refused := REFUSED.search(reason):
            self._refused.inc()
            self._on_refusal(refused[1].lower(), refused[2])
            return
        self._other.inc()
        if self._away_since is None or reason != self._last_error:
            write = (
                self.log.info if self.connecting else self.log.warning
            )  # connecting raises an error itself
            write("bus_error", error=reason)
        self._last_error = reason

    async def on_disconnect(self) -> None:
        """Fail the pending answers; the client reconnects by itself."""
        if self._away_since is None:
            self._away_since = time.monotonic()
            self.outages += 1
        self.there.clear()
        if not self.lost.done():
            self.lost.set_result(None)
        lost = Interrupted("The connection to NATS was lost during the request. Try again.")
        for answer in self._pending:
            fail(answer, lost)
        if not self.closing:
            self.log.warning("bus_disconnected")

    async def on_reconnect(self) -> None:
        """Note the end of the outage."""
        away = self.away()
        self._away_before += away
        self._away_since, self._last_error, self._reconnected_at = None, "", time.monotonic()
        self.lost = asyncio.get_running_loop().create_future()
        self.there.set()
        self._reconnects.inc()
        self.log.info("bus_reconnected", away=round(away, 3))

    async def on_close(self) -> None:
        """Wake those that wait for the server: the connection has been closed for good, so requests fail."""
        self.there.set()

    @contextmanager
    def fail_on_loss(self, subject: str, answer: asyncio.Future[Any]) -> Iterator[None]:
        """Within the block, fail the answer if the connection is lost or NATS refuses the subject.

        The answer then raises `Interrupted` or `NotAllowed`.
        """
        self._pending[answer] = subject
        try:
            yield
        finally:
            del self._pending[answer]

    @asynccontextmanager
    async def raise_if_refused(self, subject: str) -> AsyncIterator[None]:
        """End the block at once if NATS refuses to let us publish to the subject.

        Raises:
            NotAllowed: NATS has refused.
        """
        refusal: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def end(_: object) -> None:
            with suppress(RuntimeError):  # the block has ended at the same moment
                limit.reschedule(0)

        refusal.add_done_callback(end)
        try:
            async with asyncio.timeout(None) as limit:
                with self.fail_on_loss(subject, refusal):
                    yield
        except TimeoutError as error:
            failure = refusal.exception() if refusal.done() else None
            raise failure or error from error

    def _on_refusal(self, what: str, subject: str) -> None:
        operation = f"publish {subject}" if what == "publish" else f"subscribe to {subject}"
        self.refusals.append((time.monotonic(), f"NATS does not let {self.who} {operation}"))
        pending = (
            [] if what != "publish" else [a for a, s in self._pending.items() if s.lower() == subject.lower()]
        )
        write = self.log.info if pending else self.log.error  # a pending request raises the error itself
        write("bus_refused", user=self.user, refused=operation)
        if what != "publish":
            self.refused_subscription = NotAllowed(self.who, operation)
        for answer in pending:
            fail(answer, NotAllowed(self.who, f"publish {self._pending[answer]}"))


def split_login(url: str) -> tuple[str, Login]:
    """A server's address without the login, and the login."""
    scheme, colon, rest = url.rpartition("://")
    login, at, host = rest.rpartition("@")
    server = f"{scheme}{colon}{host}"
    if not at:
        return server, Login()
    name, colon, password = login.partition(":")
    if not colon:
        return server, Login(token=unquote(name))
    return server, Login(user=unquote(name), password=unquote(password))


def with_login(url: str, user: str, password: str) -> str:
    """The address with a user and a password; one that carries its own is left as it is."""
    scheme, _, rest = url.rpartition("://")
    if "@" in rest:
        return url
    return f"{scheme or 'nats'}://{quote(user, safe='')}:{quote(password, safe='')}@{rest}"


def without_login(url: str) -> str:
    """A server's address without the login, for texts that a user sees."""
    scheme, _, rest = url.rpartition("://")
    return f"{scheme or 'nats'}://{rest.rpartition('@')[2]}"


def reason_of(error: BaseException) -> str:
    """An error in one line."""
    return str(error).splitlines()[0] if str(error) else type(error).__name__


async def _failure_reason(connecting: asyncio.Future[None], events: ConnectionEvents) -> str:
    """Stop connecting; the reason why it failed."""
    connecting.cancel()
    outcome = (await asyncio.gather(connecting, return_exceptions=True))[0]
    if events.first_error.done():
        return events.first_error.result()
    return reason_of(outcome) if isinstance(outcome, nats.errors.Error | OSError) else "no answer within 5 s"
