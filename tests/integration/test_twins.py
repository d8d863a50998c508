"""Services that run twice, or wake up late: one step each, and nothing stale."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Sequence

import pytest

from lantern.play.services import SERVICES
from schemas.actor import ActionProposed
from schemas.base import Kind
from tests.support.exhaustive import all_but
from tests.support.processes.crashes import Cells, assert_nothing_is_lost_or_done_twice, said, undisturbed
from tests.support.processes.forked import Process

STEPS = 12
IN_EACH_RUN = ("game", "memory", "actor", "critic")
"""Those without which a step does not end, and one that adds to the context."""


def to_all(processes: Sequence[Process], number: signal.Signals) -> None:
    for process in processes:
        process.send(number)


@pytest.mark.parametrize("twins", [["game"], ["actor"], ["critic"], list(SERVICES)], ids="+".join)
async def test_services_that_run_twice_take_each_step_once(twins: Sequence[str], cells: Cells) -> None:
    calm = await undisturbed(cells, STEPS)
    cell = await cells.new()
    one, *others = twins
    first = [await cell.ready(name) for name in twins]
    stopping = await cell.ready(one, at=calm.publishing(one), nth=4, signal=signal.SIGSTOP)
    second = [stopping, *[await cell.ready(name) for name in others]]
    await cell.ready(*(name for name in SERVICES if name not in twins))
    to_all(first, signal.SIGSTOP)
    await cell.start(steps=STEPS)
    await stopping.fired.wait()  # the second alone have played so far, and nothing goes on without this one
    to_all(second, signal.SIGSTOP)
    last = await cell.bus.reader.last_step("s1")
    assert last is not None and last.step + 2 <= STEPS
    to_all(first, signal.SIGCONT)
    await cell.reached(last.step + 2)  # taken by the first alone
    to_all(second, signal.SIGCONT)
    await said(cell, calm)

    await assert_nothing_is_lost_or_done_twice(cell, calm)
    who = {(e.service.name, e.service.instance) for e in await cell.envelopes()}
    spoke = Counter(name for name, _ in who)
    assert all(spoke[name] == 2 for name in twins), spoke


@pytest.mark.parametrize("service", all_but(IN_EACH_RUN, SERVICES))
async def test_a_service_that_is_stopped_before_it_speaks_and_wakes_up_late_changes_nothing(
    service: str, cells: Cells
) -> None:
    calm = await undisturbed(cells, STEPS)
    cell = await cells.new()
    await cell.ready(*(name for name in SERVICES if name != service))
    stopped = await cell.ready(service, at=calm.publishing(service), nth=4, signal=signal.SIGSTOP)
    await cell.start(steps=STEPS)
    await stopped.fired.wait()

    successor = await cell.ready(service)
    await cell.reached(STEPS - 2)
    stopped.send(signal.SIGCONT)
    await said(cell, calm)

    await assert_nothing_is_lost_or_done_twice(cell, calm)
    stopped.terminate()
    await stopped.ended.wait()
    assert stopped.code == 0
    assert len({e.service.instance for e in await cell.envelopes() if e.service.name == service}) == 2
    assert successor.code is None


async def test_a_fragment_that_comes_late_is_recorded_and_not_used_for_its_step(cells: Cells) -> None:
    calm = await undisturbed(cells, STEPS)
    cell = await cells.new()
    cell.env["LANTERN_ACTOR_DEADLINE"] = "0.5"
    await cell.ready(*(name for name in SERVICES if name != "narrator"))
    narrator = await cell.ready("narrator", at=calm.publishing("narrator"), nth=4, signal=signal.SIGSTOP)
    await cell.start(steps=STEPS)
    await narrator.fired.wait()
    await cell.reached(STEPS - 1)
    narrator.send(signal.SIGCONT)
    await cell.ended()
    narrator.terminate()
    await narrator.ended.wait()

    envelopes = await cell.envelopes()
    order = {(e.kind, e.step, e.service.name): place for place, e in enumerate(envelopes)}
    proposals = [e.body for e in envelopes if isinstance(e.body, ActionProposed)]
    late = [
        p.step
        for p in proposals
        if order[Kind.FRAGMENT, p.step, "narrator"] > order[Kind.PROPOSAL, p.step, "actor"]
    ]
    assert late
    assert all("narrator" in proposal.missing for proposal in proposals if proposal.step in late)
    assert [e.step for e in envelopes if e.kind is Kind.STEP] == list(range(STEPS + 1))
    assert [e.step for e in envelopes if e.service.name == "narrator"] == list(range(STEPS + 1))
