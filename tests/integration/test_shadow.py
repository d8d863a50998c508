"""A shadow runs beside the live service of its name: compared with it, and never used."""

from __future__ import annotations

import asyncio
import json
import signal
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from conftest import Mesh

from lantern.play.compose import running
from lantern.play.play import play
from lantern.play.session_options import PlayOptions, checked_story
from lantern.views.text_view import SilentView
from mesh.nats.subjects import shadow_cell
from mesh.observability.liveness import who_is_live, who_serves
from mesh.record.batches import raw_messages
from mesh.record.bus import Bus
from mesh.settings import MeshSettings
from schemas.actor import ActionProposed
from schemas.base import Message
from schemas.envelope import Envelope
from schemas.fragment import Fragment, FragmentGiven
from schemas.mesh import ShadowCounts
from services.actor.service import ActorService
from services.critic.service import CriticService
from services.hint.service import HintService
from services.narrator.service import NarratorService
from services.narrator.story import StorySoFar
from tests.support.processes.command import Lantern
from tests.support.servers.consumers import every_consumer

STEPS = 10


class Louder(NarratorService):
    """Another version of the narrator."""

    version = "2.0.0"

    def fragment_for(self, state: StorySoFar) -> Fragment | None:
        said = super().fragment_for(state)
        return said and Fragment(
            sections=tuple(part.model_copy(update={"text": part.text.upper()}) for part in said.sections)
        )


class Failing(NarratorService):
    """Cannot answer anything."""

    version = "3.0.0"

    async def answer(self, session: object, envelope: Envelope) -> Sequence[Message]:
        raise RuntimeError("not yet written")


@pytest.fixture
def settings(settings: MeshSettings) -> MeshSettings:
    """No service is taken for dead: both meshes share one event loop, which may stand still for long."""
    return settings.model_copy(update={"dead_after": 60.0})


async def played(bus: Bus, nats_url: str, settings: MeshSettings) -> None:
    wish = PlayOptions("bundled", STEPS, "heuristic", 1, "s1", bus.cell.name)
    await play(wish, checked_story(wish), settings.model_copy(update={"nats_url": nats_url}), SilentView())


async def fragments(bus: Bus, cell: str) -> list[FragmentGiven]:
    beside = bus.in_cell(cell)
    bodies = [envelope.body async for envelope in beside.reader.messages("s1")]
    return [body for body in bodies if isinstance(body, FragmentGiven)]


async def test_shadows_of_the_same_version_say_the_same_and_nothing_of_it_is_used(
    bus: Bus, nats_url: str, settings: MeshSettings
) -> None:
    shadows = (NarratorService(), HintService(), CriticService(), ActorService())
    async with running(shadows, nats_url, bus.cell.name, settings, as_shadows=True) as runners:
        await played(bus, nats_url, settings)

    compared = {runner.service.name: runner.shadow.counts for runner in runners if runner.shadow}
    assert compared == {
        "narrator": ShadowCounts(same=STEPS + 1),
        "hint": ShadowCounts(same=STEPS + 1),
        "critic": ShadowCounts(same=STEPS),
        "actor": ShadowCounts(same=STEPS),
    }
    envelopes = [envelope async for envelope in bus.reader.messages("s1")]
    shadowed = {runner.presence.alive().instance for runner in runners}
    assert not shadowed & {envelope.service.instance for envelope in envelopes}
    proposals = [e.body for e in envelopes if isinstance(e.body, ActionProposed)]
    assert {(proposal.missing, len(proposal.fragments)) for proposal in proposals} == {((), 4)}


async def test_another_version_is_told_apart_and_what_it_said_is_kept_beside(
    bus: Bus, nats_url: str, settings: MeshSettings
) -> None:
    async with running((Louder(),), nats_url, bus.cell.name, settings, as_shadows=True) as [runner]:
        [told] = await who_is_live(bus.cell)
        assert await who_serves(bus.cell) == []
        await played(bus, nats_url, settings)

    live, beside = await fragments(bus, bus.cell.name), await fragments(bus, shadow_cell(bus.cell.name))
    spoken = [given.sections[0].text for given in beside if given.sections]
    assert told.shadow == ShadowCounts()
    assert not told.gives_fragments
    assert runner.shadow is not None
    assert runner.shadow.counts == ShadowCounts(same=STEPS + 1 - len(spoken), different=len(spoken))
    assert spoken and all(text.isupper() for text in spoken)
    assert not any(section.text.isupper() for given in live for section in given.sections)

    await bus.writer.delete("s1")
    assert await fragments(bus, shadow_cell(bus.cell.name)) == []


async def test_a_shadow_that_fails_leaves_no_dead_letter_to_the_live_one_and_no_consumer(
    bus: Bus, nats_url: str, mesh: Mesh, settings: MeshSettings
) -> None:
    async with running((Failing(),), nats_url, bus.cell.name, settings, as_shadows=True) as [runner]:
        await played(bus, nats_url, settings)
        while runner.presence.alive().failed < 3:
            await asyncio.sleep(0.01)

    consumers = {info.name for info in await every_consumer(bus)}
    dead = [held async for held in raw_messages(bus.cell, f"lantern.{bus.cell.name}.s1.dead.*.*")]
    assert dead == []
    assert len(await fragments(bus, bus.cell.name)) == 4 * (STEPS + 1)
    assert not any(runner.bus.cell.me.instance in name for name in consumers)


def test_serve_shadow_tells_its_counts_and_the_game_is_refused(lantern: Lantern, tmp_path: Path) -> None:
    server, beside = lantern.start("serve", "all"), lantern.start("serve", "narrator", "critic", "--shadow")
    deadline = time.monotonic() + 30
    while len(json.loads(lantern.run("status", "--json").stdout)) < 9 and time.monotonic() < deadline:
        time.sleep(0.1)

    lantern.play("--steps", "6")
    shown = lantern.run("status").stdout
    beside.process.send_signal(signal.SIGTERM)
    done = beside.wait(30)
    server.process.terminate()
    server.wait(30)
    refused = lantern.run("serve", "game", "--shadow")

    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "narrator: 7 the same, 0 different, 0 without a live one",
        "critic: 6 the same, 0 different, 0 without a live one",
    ]
    assert "as a shadow" in shown
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "game cannot be a shadow" in refused.stderr
