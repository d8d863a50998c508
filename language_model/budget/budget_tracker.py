"""Keeps a session's budget: adds up what all of its services ask of models, in whichever process they run."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field

from language_model.budget.budget import Spent, UnderWay
from language_model.model import Model, ModelError, Prompt, Reply
from mesh.record.bus import Bus
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.game import SessionStarted
from schemas.language_model import Fault, ModelAsked, ModelBudget

MOST_SESSIONS = 256
"""Accounts that are kept; the one that was used longest ago is opened anew from the record."""


@dataclass(slots=True)
class Account:
    """What is known of one session's calls."""

    opened: Envelope | None
    """The session's start, or its newest resume, which the account was opened for."""
    spent: Spent = field(default_factory=Spent)
    noted: set[tuple[str, int, int]] = field(default_factory=set)

    @property
    def budget(self) -> ModelBudget | None:
        """The session's budget; None: no limit."""
        begun = self.opened.body if self.opened else None
        return begun.budget if isinstance(begun, SessionStarted) else None

    def note(self, service: str, asked: ModelAsked) -> None:
        """Add a call, once."""
        call = (service, asked.step, asked.call)
        if call not in self.noted:
            self.noted.add(call)
            self.spent = self.spent.after(asked)


class BudgetTracker:
    """One service's view of what its sessions have spent.

    It hears every call as it is recorded, and reads the record when it first asks in a session. Calls that
    are under way in this process count at the most that they may take; those of other processes count when
    they are recorded. So the last call may pass a budget of tokens or money, and so may one call under way
    of each service in another process.
    """

    def __init__(self, bus: Bus, live: Bus, under_way: UnderWay | None = None) -> None:
        self.bus, self.live = bus, live
        """Where calls are recorded, and where sessions are started: one and the same but for a shadow."""
        self.under_way = under_way or UnderWay()
        self._accounts: OrderedDict[str, Account] = OrderedDict()
        self._opening = asyncio.Lock()
        self._listens = False

    async def check(self, session: str) -> None:
        """See whether another call may be made.

        Raises:
            ModelError: the budget is spent.
        """
        account = await self._account(session)
        if account.budget is None:
            return
        if beyond := account.spent.beyond(account.budget):
            raise ModelError(f"The session's budget for language models is spent: {beyond}.", Fault.BUDGET)
        under_way = self.under_way.of(self.bus.cell.name, session)
        if beyond := account.spent.plus(under_way).beyond(account.budget):
            why = f"may be spent by the calls that are under way: {beyond}"
            raise ModelError(f"The session's budget for language models {why}.", Fault.BUDGET)

    def begins(self, session: str, prompt: Prompt, model: str) -> None:
        """This service is about to make a call."""
        self.under_way.begins(self.bus.cell.name, session, self.bus.cell.me.name, prompt, model)

    def note(self, session: str, service: str, asked: ModelAsked) -> None:
        """A call has been made; of sessions in which this service asks nothing, nothing is kept."""
        self.under_way.is_told(self.bus.cell.name, session, service, asked.prompt_sha256)
        if (account := self._accounts.get(session)) is not None:
            account.note(service, asked)

    async def _account(self, session: str) -> Account:
        begun = await self.live.reader.newest(session, Kind.STARTED)
        async with self._opening:
            if not self._listens:
                await self.bus.cell.listen(Kind.MODEL, self._heard)
                self._listens = True
            account = self._accounts.get(session)
            if account is None or account.opened != begun:
                account = await self._open(session, begun)
        self._accounts.move_to_end(session)
        return account

    async def _open(self, session: str, begun: Envelope | None) -> Account:
        """Add up the record, and meanwhile what is heard."""
        account = self._accounts[session] = Account(begun)
        try:
            async for envelope in self.bus.reader.of_kind(session, Kind.MODEL):
                await self._heard(envelope)
        except BaseException:
            del self._accounts[session]
            raise
        if len(self._accounts) > MOST_SESSIONS:
            self._accounts.popitem(last=False)
        return account

    async def _heard(self, envelope: Envelope) -> None:
        if isinstance(envelope.body, ModelAsked):
            self.note(envelope.session, envelope.service.name, envelope.body)


class Budgeted:
    """A model as it may be asked in one session: while there is something left of its budget."""

    def __init__(self, model: Model, budget_tracker: BudgetTracker, session: str) -> None:
        self.model, self.budget_tracker, self.session = model, budget_tracker, session
        self.name = model.name

    async def ask(self, prompt: Prompt) -> Reply:
        """The model's reply.

        Raises:
            ModelError: there is none, or the budget is spent.
        """
        await self.budget_tracker.check(self.session)
        self.budget_tracker.begins(self.session, prompt, self.name)
        return await self.model.ask(prompt)
