"""Enforces a session's budget: adds up the calls of all its services, in whichever process they run."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field

import structlog

from language_model.budget.budget import SPENT, Spending, UncountedCalls, cost_of
from language_model.model import Model, ModelError, Prompt, Reply, Usage
from mesh.record.bus import Bus
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.game import SessionStarted
from schemas.language_model import Fault, ModelAsked, ModelBudget

log = structlog.get_logger()

MAX_SESSIONS = 256
"""Accounts in memory. The least recently used one is dropped, and read from the record when it is needed."""


@dataclass(slots=True)
class Account:
    """The spending of one session."""

    started: Envelope | None
    """The session's start, or its latest resume, that the account was opened for."""
    spending: Spending = field(default_factory=Spending)
    counted: set[tuple[str, int, int]] = field(default_factory=set)
    """Service, step and number of each counted call."""
    prompts: set[tuple[str, str]] = field(default_factory=set)
    """Service and digest of the prompt of each."""
    is_spent: bool = False
    """Whether it was logged that nothing is left."""

    @property
    def budget(self) -> ModelBudget | None:
        """The session's budget; None: no limit."""
        started = self.started.body if self.started else None
        return started.budget if isinstance(started, SessionStarted) else None

    def note(self, service: str, asked: ModelAsked) -> None:
        """Count a call, once."""
        call = (service, asked.step, asked.call)
        self.prompts.add((service, asked.prompt_sha256))
        if call not in self.counted:
            self.counted.add(call)
            self.spending = self.spending.after(asked)


class BudgetTracker:
    """One service's view of the spending of its sessions.

    The tracker receives every call when it is recorded, and reads the record when the service first asks in
    a session. Calls in flight in this process count with their maximum; those of other processes count when
    they are recorded. So the last call may exceed a limit of tokens or money, and so may one call in flight
    of each service in another process.
    """

    def __init__(self, bus: Bus, live: Bus, uncounted: UncountedCalls | None = None) -> None:
        self.bus, self.live = bus, live
        """Where calls are recorded, and where sessions are started: they differ for a shadow only."""
        self.uncounted = uncounted or UncountedCalls()
        self._accounts: OrderedDict[str, Account] = OrderedDict()
        self._opening = asyncio.Lock()
        self._listens = False

    async def check(self, session: str) -> None:
        """Check that another call may be made.

        Raises:
            ModelError: the budget is spent.
        """
        account = await self._account(session)
        if account.budget is None:
            return
        identity, counted = self._identity(session), account.prompts
        spent = account.spending.plus(self.uncounted.spending(identity, counted, in_flight=False))
        if reached := spent.limit_reached(account.budget):
            if not account.is_spent:
                log.warning("budget_spent", session=session, reached=reached)
            account.is_spent = True
            raise ModelError(f"{SPENT}: {reached}.", Fault.BUDGET)
        in_flight = self.uncounted.spending(identity, counted, in_flight=True)
        if reached := spent.plus(in_flight).limit_reached(account.budget):
            why = f"may be spent by the calls in flight: {reached}"
            raise ModelError(f"The session's budget for language models {why}.", Fault.BUDGET)

    def call_starts(self, session: str, prompt: Prompt, model: str) -> None:
        """This service is about to make a call."""
        self.uncounted.start(self._identity(session), self.bus.cell.me.name, prompt, model)

    def call_ended(self, session: str, prompt: Prompt, cost: Spending) -> None:
        """A call that this service has made has ended, with a reply or without one."""
        self.uncounted.end(self._identity(session), self.bus.cell.me.name, prompt, cost)

    def note(self, session: str, service: str, asked: ModelAsked) -> None:
        """Count a call. Sessions in which this service has asked nothing have no account here."""
        if (account := self._accounts.get(session)) is not None:
            account.note(service, asked)

    def _identity(self, session: str) -> Hashable:
        """Tells a session from a deleted one of the same name."""
        account = self._accounts.get(session)
        return self.bus.cell.name, session, account.started.time if account and account.started else None

    async def _account(self, session: str) -> Account:
        started = await self.live.reader.newest(session, Kind.STARTED)
        async with self._opening:
            if not self._listens:
                await self.bus.cell.listen(Kind.MODEL, self._on_call)
                self._listens = True
            account = self._accounts.get(session)
            if account is None or account.started != started:
                account = await self._open(session, started)
        self._accounts.move_to_end(session)
        return account

    async def _open(self, session: str, started: Envelope | None) -> Account:
        """Add up the recorded calls, and those that are received meanwhile."""
        account = self._accounts[session] = Account(started)
        try:
            async for envelope in self.bus.reader.of_kind(session, Kind.MODEL):
                await self._on_call(envelope)
        except BaseException:
            del self._accounts[session]
            raise
        if len(self._accounts) > MAX_SESSIONS:
            self._accounts.popitem(last=False)
        return account

    async def _on_call(self, envelope: Envelope) -> None:
        if isinstance(envelope.body, ModelAsked):
            self.note(envelope.session, envelope.service.name, envelope.body)


class Budgeted:
    """A model that one session may ask until its budget is spent."""

    def __init__(self, model: Model, budget_tracker: BudgetTracker, session: str) -> None:
        self.model, self.budget_tracker, self.session = model, budget_tracker, session
        self.name = model.name

    async def ask(self, prompt: Prompt) -> Reply:
        """The model's reply.

        Raises:
            ModelError: there is none, or the budget is spent.
        """
        await self.budget_tracker.check(self.session)
        self.budget_tracker.call_starts(self.session, prompt, self.name)
        cost = cost_of(Usage())  # of a call that is broken off
        try:
            reply = await self.model.ask(prompt)
            cost = cost_of(reply.usage)
        except ModelError as error:
            cost = cost_of(error.usage, error.fault)
            raise
        finally:
            self.budget_tracker.call_ended(self.session, prompt, cost)
        return reply
