"""A new version of a service beside the old, which is then stopped in the middle of a session."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import pytest
from test_mesh import services_used
from test_resume import in_the_store

from lantern.play.services import SERVICES
from mesh.record.bus import Bus
from schemas.actor import ActionProposed
from schemas.base import Kind
from schemas.envelope import Envelope
from tests.support.processes.command import Lantern
from tests.support.processes.crashes import (
    NEWER,
    Cells,
    assert_nothing_is_lost_or_done_twice,
    said,
    undisturbed,
)

STEPS = 16
SAID = 30
"""Messages of several services after which they are stopped: five to seven for each step."""
OLD = [
    pytest.param(
        *(name, killed),
        id=f"{name}-{'kill -9' if killed else 'SIGTERM'}",
        marks=pytest.mark.exhaustive if killed and name not in ("game", "actor", "narrator") else (),
    )
    for name in SERVICES
    for killed in (False, True)
]
"""The old service, and whether it is killed: in each run the game, the actor and one of the helpers."""
EXAMPLES = Path(__file__).parents[2] / "examples"


def versions(envelopes: list[Envelope], service: str) -> list[str]:
    """Which version of a service has spoken, message by message."""
    return [envelope.service.version for envelope in envelopes if envelope.service.name == service]


@pytest.mark.parametrize(("service", "killed"), OLD)
async def test_a_new_version_takes_over_from_the_old(service: str, killed: bool, cells: Cells) -> None:
    calm = await undisturbed(cells, STEPS)
    cell = await cells.new()
    names = [name for name in SERVICES if name != service]
    others = await cell.ready(*names, at=calm.publishing(names[0]), nth=SAID, signal=signal.SIGSTOP)
    old = await cell.ready(service, at=calm.publishing(service) if killed else None, armed=False)
    await cell.start(steps=STEPS)

    await others.fired.wait()  # lest the session be over before anything happens
    new = await cell.ready(service, version="2.0.0")
    if killed:  # with a message in hand, its answer made and not sent
        new.send(signal.SIGSTOP)  # lest it be given every message
        old.arm()
        others.send(signal.SIGCONT)
        await old.ended.wait()
        new.send(signal.SIGCONT)
    else:
        old.terminate()
        others.send(signal.SIGCONT)
        await old.ended.wait()
    gone = await cell.bus.reader.last_step("s1")
    await said(cell, calm)

    await assert_nothing_is_lost_or_done_twice(cell, calm)
    spoke = versions(await cell.envelopes(), service)
    assert old.code == (-signal.SIGKILL if killed else 0)
    assert {spoke[0], spoke[-1]} == {"1.0.0", "2.0.0"}
    if killed:  # who leaves by itself may take its time about it
        assert gone is not None and gone.step < STEPS - 2, "the old one was gone before the session's end"


async def test_a_new_sub_agent_joins_a_running_session_and_is_waited_for_once_it_has_answered(
    cells: Cells,
) -> None:
    calm = await undisturbed(cells, STEPS)
    cell = await cells.new()
    others = await cell.ready(*SERVICES, at=calm.publishing("game"), nth=SAID, signal=signal.SIGSTOP)
    await cell.start(steps=STEPS)

    await others.fired.wait()
    await cell.ready(f"{EXAMPLES / 'compass.py'}:Compass")
    joined = await cell.bus.reader.last_step("s1")
    others.send(signal.SIGCONT)
    await cell.ended()

    assert joined is not None and joined.step < STEPS - 2
    proposals = [e.body for e in await cell.envelopes() if isinstance(e.body, ActionProposed)]
    heard = ["compass" in services_used(proposal) for proposal in proposals]
    first = heard.index(True)
    assert first >= joined.step
    assert all(heard[first:])
    assert {proposal.missing for proposal in proposals[:first]} <= {(), ("compass",)}
    assert {proposal.missing for proposal in proposals[first:]} == {()}


@pytest.mark.parametrize("killed", [False, True], ids=["SIGTERM", "kill -9"])
def test_lantern_serve_of_a_new_narrator_takes_over_from_the_old(lantern: Lantern, killed: bool) -> None:
    lantern.env |= {"LANTERN_ACTOR_DEADLINE": "600", "LANTERN_DEAD_AFTER": "600"}
    served = [lantern.start("serve", *(name for name in SERVICES if name != "narrator"))]
    old = lantern.start("serve", "narrator")
    wait_until_live(lantern, len(SERVICES))
    playing = lantern.start("play", "--steps", "100000", "--session", "s1")
    playing.wait_for_step(3)

    served.append(lantern.start("serve", NEWER))
    wait_until_live(lantern, len(SERVICES) + 1)
    (old.process.kill if killed else old.process.terminate)()
    code = old.wait().returncode
    swapped = in_the_store(lantern, last_step)
    playing.wait_for_step(swapped + 3)
    playing.process.send_signal(signal.SIGINT)
    playing.wait()
    envelopes = in_the_store(lantern, everything)
    for process in served:
        process.process.terminate()

    steps = [envelope.step for envelope in envelopes if envelope.kind is Kind.STEP]
    proposals = [envelope.body for envelope in envelopes if isinstance(envelope.body, ActionProposed)]
    spoke = versions(envelopes, "narrator")
    assert code == (-signal.SIGKILL if killed else 0)
    assert steps == list(range(len(steps)))
    assert len(steps) > swapped + 3
    assert [proposal.missing for proposal in proposals] == [()] * len(proposals)
    assert (spoke[0], spoke[-1]) == ("1.0.0", "2.0.0")


def wait_until_live(lantern: Lantern, number: int) -> None:
    deadline = time.monotonic() + 120
    while len(json.loads(lantern.run("status", "--json").stdout)) < number:
        assert time.monotonic() < deadline


async def last_step(bus: Bus) -> int:
    step = await bus.reader.last_step("s1")
    assert step is not None
    return step.step


async def everything(bus: Bus) -> list[Envelope]:
    return [envelope async for envelope in bus.reader.messages("s1")]
