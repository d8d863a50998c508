"""Services that are ended by SIGTERM and started again: whatever differs then has its cause in the record.

What was ended where is printed: `pytest tests/integration/test_sigterm.py -s -m exhaustive`.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass

import pytest

from lantern.play.services import SERVICES
from schemas.actor import ActionProposed
from schemas.base import Kind
from schemas.critic import ActionJudged
from schemas.fragment import FragmentGiven
from tests.support.processes.crashes import Cell, Cells, Told
from tests.support.processes.forked import Process, Zygote

STEPS = 130
SEED, SIGTERMS = 22, 200
SUB_AGENTS = ("hint", "memory", "narrator", "npc_tracker")
IMPATIENT = {"heartbeat": 0.2, "ack_wait": 0.5, "dead_after": 3, "drain": 30, "state_every": 40}
"""Settings with which deadlines pass, and with which a restarted service finds a stored state."""
DEADLINES = {"LANTERN_ACTOR_DEADLINE": "0.4", "LANTERN_GAME_VERDICT_DEADLINE": "0.4"}


@pytest.fixture
async def zygotes(zygote: Zygote) -> AsyncIterator[tuple[Zygote, ...]]:
    """Two that hash texts differently, so that no set has the order that it had in the life before."""
    other = Zygote()
    async with other.heard():
        yield zygote, other
    other.close()


@dataclass
class Restarted:
    """A service that is ended by SIGTERM and started again, sometimes before it has gone."""

    cell: Cell
    name: str
    process: Process
    again: asyncio.Task[None] | None = None

    @property
    def is_there(self) -> bool:
        return self.again is None or self.again.done()

    def end(self, zygote: Zygote, *, overlapping: bool, after: float) -> None:
        self.again = asyncio.create_task(self._end(zygote, overlapping, after))

    async def _end(self, zygote: Zygote, overlapping: bool, after: float) -> None:
        old, self.cell.zygote = self.process, zygote
        if overlapping:
            self.process = await self.cell.ready(self.name)
        old.terminate()
        await old.ended.wait()
        assert old.code == 0, old.log()
        if not overlapping:
            await asyncio.sleep(after)
            self.process = await self.cell.ready(self.name)


@pytest.mark.exhaustive
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("patient", [True, False], ids=["patient", "hasty"])
async def test_two_hundred_sigterms_change_nothing_without_a_cause_in_the_record(
    patient: bool, cells: Cells, zygotes: Sequence[Zygote]
) -> None:
    calm = [await undisturbed(cells, zygotes, valid_actions=searched) for searched in (False, True)]
    chance = random.Random(SEED)
    ended: Counter[str] = Counter()
    sessions = degraded = 0
    while ended.total() < SIGTERMS:
        sessions += 1
        cell = await cells.new()
        cell.settings |= {"state_every": 40} if patient else IMPATIENT
        cell.env |= {} if patient else DEADLINES
        searched = sessions % 2 == 0
        told = await play(cell, zygotes, chance, ended, valid_actions=searched)
        causes = [*causes_in(told)]
        degraded += bool(causes)
        print(
            f"session {sessions}: {ended.total()} SIGTERMs so far, {len(causes)} causes {causes[:3]}",
            flush=True,
        )
        assert not (found := unexplained(told, calm[searched])), "\n".join(found[:5])
        assert not (patient and causes), causes
    print(
        f"\nseed {SEED}: {ended.total()} SIGTERMs in {sessions} sessions, {degraded} degraded: {dict(ended)}"
    )


async def undisturbed(cells: Cells, zygotes: Sequence[Zygote], *, valid_actions: bool) -> Told:
    """What is said where nothing happens."""
    cell = await cells.new()
    return await play(cell, zygotes, None, Counter(), valid_actions=valid_actions)


async def play(
    cell: Cell,
    zygotes: Sequence[Zygote],
    chance: random.Random | None,
    ended: Counter[str],
    *,
    valid_actions: bool,
) -> Told:
    """A session in which services are ended, one or several at a time, if there is any `chance` of it."""
    services = [Restarted(cell, name, await cell.ready(name)) for name in SERVICES]
    await cell.start(steps=STEPS, valid_actions=valid_actions)
    await cell.reached(1)
    if chance is not None:
        for step in moments(chance):
            await cell.reached(step)
            await asyncio.sleep(chance.uniform(0, 0.1))
            for service in chance.sample(services, k=chance.choice((1, 1, 1, 2, 3))):
                if service.is_there:
                    after = chance.choice((0.0, chance.uniform(0, 1)))
                    service.end(chance.choice(zygotes), overlapping=chance.random() < 0.3, after=after)
                    ended[service.name] += 1
    await cell.ended()
    for service in services:
        if service.again is not None:
            await service.again
    told = await all_told(cell)
    for service in services:
        service.process.terminate()
        await service.process.ended.wait()
    return told


def moments(chance: random.Random) -> Iterable[int]:
    """Steps after which services are ended."""
    step = 1
    while (step := step + chance.randrange(7)) < STEPS - 5:
        yield step


async def all_told(cell: Cell) -> Told:
    """What is said in a session, with the last fragments, for which nobody waits."""
    last = {(Kind.FRAGMENT, STEPS, name) for name in SUB_AGENTS}
    async with asyncio.timeout(120):
        while not last <= (told := await cell.told()).keys():
            await asyncio.sleep(0.05)
    return told


def unexplained(told: Told, calm: Told) -> list[str]:
    """What differs from an undisturbed session before any cause is recorded, the first difference first."""
    first = min((step for step, _ in causes_in(told)), default=STEPS + 1)
    differing = sorted(
        (where for where in calm if told.get(where) != calm[where] and where[1] <= STEPS),
        key=lambda where: (where[1], CHAIN.index(where[0]) if where[0] in CHAIN else len(CHAIN)),
    )
    texts = [
        f"{where}: {told.get(where)} instead of {calm[where]}" for where in differing if where[1] < first
    ]
    return [*texts, *unused(told)]


CHAIN = (Kind.STARTED, Kind.STEP, Kind.FRAGMENT, Kind.PROPOSAL, Kind.VERDICT)


def causes_in(told: Told) -> Iterable[tuple[int, str]]:
    """The steps at which a service did not answer in time, or answered with less than it could."""
    for (_, step, service), body in told.items():
        match body:
            case ActionProposed(missing=missing, degraded=degraded) if missing or degraded:
                yield step, f"{service}: {missing} {degraded}"
            case ActionJudged(by=by) if by != "critic":
                yield step, f"the {by} judged"
            case FragmentGiven(degraded=degraded) if degraded:
                yield step, f"{service}: {degraded}"


def unused(told: Told) -> Iterable[str]:
    """The proposals that leave out a sub-agent, or use an old text, and do not say so."""
    for (_kind, step, _), body in told.items():
        if isinstance(body, ActionProposed):
            used = {fragment.service: fragment.step for fragment in body.fragments}
            for service in SUB_AGENTS:
                newest = newest_text(told, service, step)
                if service not in body.missing and used.get(service) != newest:
                    yield f"step {step}: {service}'s text of {newest} is not used, but {used.get(service)}"


def newest_text(told: Told, service: str, step: int) -> int | None:
    """The step of the newest fragment that holds a text; else of the oldest."""
    steps = [at for at in range(step + 1) if (Kind.FRAGMENT, at, service) in told]
    texts = [at for at in steps if not getattr(told[Kind.FRAGMENT, at, service], "unchanged", False)]
    return texts[-1] if texts else steps[0] if steps else None
