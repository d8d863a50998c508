"""Replays of services: what they say to recorded inputs is compared, and nobody else notices."""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from conftest import Mesh
from test_mesh import a_wish, played, services_used, start, told
from test_resume import every_service, started
from test_runner import a_start, a_step

from examples.compass import Compass
from lantern.inspect.replaying import ReplayedStep, replay_services, replaying, replaying_named
from lantern.play.compose import running
from lantern.play.resume import resume
from lantern.play.services import SERVICES, service_named
from lantern.play.session_options import ResumeOptions
from lantern.views.text_view import SilentView
from mesh.errors import InputError
from mesh.nats.subjects import REPLAYS, STREAM
from mesh.observability.liveness import LivenessTracker
from mesh.record import archive
from mesh.record.bus import Bus
from mesh.settings import MeshSettings
from schemas.actor import ActionProposed
from schemas.critic import ActionJudged
from schemas.game import SessionStarted, StepTaken
from services.actor.service import ActorService
from services.actor.settings import ActorSettings
from services.game.service import GameService
from services.game.settings import GameSettings
from services.narrator.service import NarratorService
from tests.support.servers.consumers import every_consumer
from tests.support.sessions.recorded import put, recorded
from tests.support.sessions.recorded_sessions import Straggler

CHAIN = [name for name in SERVICES if name != "game"]


@pytest.fixture
def settings(settings: MeshSettings, nats_url: str) -> MeshSettings:
    """Settings of a command that is told of the test's server."""
    return settings.model_copy(update={"nats_url": nats_url})


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary directories are made: an empty one of the test's own."""
    directory = tmp_path / "temporary"
    directory.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(directory))
    return directory


@pytest.fixture
async def session(bus: Bus) -> str:
    """A recorded session, which breaks off after ten steps."""
    session = f"{bus.cell.name}-s"
    messages = (message for message in recorded("heuristic") if message.step <= 10)
    await put(bus, (message.model_copy(update={"session": session}) for message in messages))
    return session


async def replayed(
    session: str, settings: MeshSettings, *names: str, code: Sequence[str] = ()
) -> list[ReplayedStep]:
    async with replaying_named(session, names, code, settings) as steps:
        return [step async for step in steps]


async def what_differs(session: str, settings: MeshSettings, *names: str) -> list[Any]:
    steps = await replayed(session, settings, *names)
    assert sum(step.compared for step in steps) > 0
    return [(step.number, each) for step in steps for each in step.differences]


def is_empty(directory: Path) -> bool:
    return not any(directory.iterdir())


async def left(bus: Bus) -> list[str]:
    """What the server still has of replays: subjects and consumers."""
    info = await bus.cell.jsm.stream_info(STREAM, subjects_filter="lantern.>")
    there = [*(info.state.subjects or {}), *(c.name for c in await every_consumer(bus))]
    return [name for name in there if name.removeprefix("lantern.").startswith(REPLAYS)]


@pytest.mark.parametrize("name", CHAIN)
async def test_a_service_says_again_what_it_said(session: str, settings: MeshSettings, name: str) -> None:
    steps = await replayed(session, settings, name)

    assert [step.number for step in steps] == list(range(11))
    assert [step.differences for step in steps] == [()] * 11
    assert [step.compared for step in steps] == [1] * 11


async def test_the_whole_chain_says_again_what_it_said_twice_over(
    session: str, settings: MeshSettings
) -> None:
    once = await replayed(session, settings, "all")

    assert [step.differences for step in once] == [()] * 11
    assert [step.compared for step in once] == [6] * 11
    assert await replayed(session, settings, "all") == once


async def test_where_sub_agents_were_late_the_actor_proposes_as_it_did(
    bus: Bus, nats_url: str, mesh: Mesh, settings: MeshSettings
) -> None:
    await mesh.run(Straggler(), ActorService(ActorSettings(deadline=0.3)))
    await played(a_wish(bus.cell.name, steps=9, session=f"{bus.cell.name}-s"), nats_url, settings)
    proposals = await told(bus, ActionProposed, f"{bus.cell.name}-s")
    assert all("straggler" in proposals[step].missing for step in Straggler.late)

    assert await what_differs(f"{bus.cell.name}-s", settings, "actor") == []
    assert await what_differs(f"{bus.cell.name}-s", settings, "all") == []
    async with replaying(
        f"{bus.cell.name}-s", [Straggler(), ActorService()], bus, nats_url, settings
    ) as steps:
        both = [step async for step in steps]
    assert [step.differences for step in both] == [()] * 10
    assert sum(step.compared for step in both) == 19


class StepCounter(Compass):
    """Says something new at every step: what it says first is never "unchanged"."""

    name = "counter"

    def fragment_for(self, state: Any) -> str:
        return f"{state.steps} steps"

    def initial_state(self, started: SessionStarted) -> Any:
        return Steps(0)


@dataclass(frozen=True)
class Steps:
    steps: int

    def after(self, step: StepTaken) -> Steps:
        return Steps(self.steps + 1)


async def test_where_a_sub_agent_joined_and_left_under_way_the_actor_proposes_as_it_did(
    bus: Bus, nats_url: str, settings: MeshSettings
) -> None:
    session = f"{bus.cell.name}-s"
    playing = asyncio.create_task(
        played(a_wish(bus.cell.name, steps=30, session=session), nats_url, settings)
    )
    await at_step(bus, session, 3)
    async with running([StepCounter()], nats_url, bus.cell.name, settings):
        await said(bus, session, "counter")
    await playing

    heard = ["counter" in services_used(proposal) for proposal in await told(bus, ActionProposed, session)]
    assert any(heard) and not heard[0] and not heard[-1]
    assert await what_differs(session, settings, "all") == []
    async with replaying(session, [StepCounter(), ActorService()], bus, nats_url, settings) as steps:
        assert [step.differences async for step in steps] == [()] * 31


async def said(bus: Bus, session: str, service: str) -> None:
    """Return when the actor has had three fragments of a service."""
    async with asyncio.timeout(60):
        while True:
            proposals = [p for p in await told(bus, ActionProposed, session) if service in services_used(p)]
            if len(proposals) >= 3:
                return


async def at_step(bus: Bus, session: str, number: int) -> None:
    async with asyncio.timeout(60):
        while (last := await bus.reader.last_step(session)) is None or last.step < number:
            await asyncio.sleep(0.01)


async def test_a_session_that_was_killed_and_resumed_and_given_more_steps_replays(
    bus: Bus, mesh: Mesh, settings: MeshSettings
) -> None:
    await mesh.run(*every_service(settings))
    await started(bus, settings, 14)
    await at_step(bus, "s1", 6)
    await mesh.stack.aclose()
    await resume(ResumeOptions("s1", bus.cell.name), settings, SilentView())
    await resume(ResumeOptions("s1", bus.cell.name, 4), settings, SilentView())
    assert len(await told(bus, SessionStarted)) == 3

    one_cell = bus.in_cell(bus.cell.name)
    async with replaying(
        "s1", every_service(settings)[1:], one_cell, settings.nats_url or "", settings
    ) as steps:
        assert [step.differences async for step in steps] == [()] * 19


async def test_verdicts_of_the_game_are_inputs_and_compared_with_nobodys(
    bus: Bus, mesh: Mesh, nats_url: str, settings: MeshSettings
) -> None:
    """Both kinds of verdict are in the record: first the game judged, then a critic came."""
    game = GameService(GameSettings(verdict_deadline=0.2))
    await mesh.run(game, *(service_named(name, settings.home) for name in ("actor", "hint")))
    await start(bus, steps=3)
    await mesh.run(service_named("critic", settings.home))
    await resume(ResumeOptions("s1", bus.cell.name, 5), settings, SilentView())
    judges = [verdict.by for verdict in await told(bus, ActionJudged)]
    assert {"game", "critic"} == set(judges)

    async with replaying("s1", [service_named("critic", settings.home)], bus, nats_url, settings) as steps:
        found = [step async for step in steps]

    assert [step.differences for step in found] == [()] * 9
    assert sum(step.compared for step in found) == judges.count("critic")


CHATTY = '''
from schemas.fragment import Fragment, Section
from services.narrator.service import NarratorService

class Chatty(NarratorService):
    """The narrator, with a word of its own at one step."""

    version = "2.0.0"

    def fragment_for(self, state):
        said = super().fragment_for(state)
        text = said.sections[0].text.replace("At step 5", "By step \\x1b[2J5")
        return said.model_copy(update={"sections": (said.sections[0].model_copy(update={"text": text}),)})

class Failing(NarratorService):
    """The narrator, which cannot tell of two steps."""

    async def answer(self, session, envelope):
        if envelope.step in (3, 4) and envelope.kind == "step":
            raise ValueError("no words")
        return await super().answer(session, envelope)

class Hanging(NarratorService):
    """The narrator, which gets lost at a step."""

    async def answer(self, session, envelope):
        if envelope.step == 8:
            import asyncio
            await asyncio.sleep(3600)
        return await super().answer(session, envelope)

class Stranger(NarratorService):
    """A service that was not there."""

    name = "stranger"
'''


@pytest.fixture
def code(tmp_path: Path) -> Callable[[str], str]:
    """A class of the user's, by its name."""
    (tmp_path / "mine.py").write_text(CHATTY)
    return lambda name: f"{tmp_path / 'mine.py'}:{name}"


async def test_another_version_that_says_something_else_is_found_out(
    session: str, settings: MeshSettings, code: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert await replay_services(session, ["narrator"], [], settings, as_json=False) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "11 of 11 steps the same"

    assert await replay_services(session, [], [code("Chatty")], settings, as_json=False) == 1
    lines = [line for line in capsys.readouterr().out.splitlines() if not line.startswith("20")]

    assert lines[0] == "step 5: narrator fragment (1 difference)"
    assert lines[1].startswith('  narrator fragment: sections[0].text: recorded "At step 5 you are in')
    assert 'now "By step \\u001b[2J5 you are in' in lines[1]
    assert lines[2:] == ["10 of 11 steps the same"]
    assert all(line.isprintable() for line in lines)


async def test_the_differences_can_be_had_as_json(
    session: str, settings: MeshSettings, code: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert await replay_services(session, ["all"], [code("Failing")], settings, as_json=True) == 1

    outcome = json.loads(capsys.readouterr().out.splitlines()[-1])
    first = outcome["differences"][0]
    assert (outcome["session"], outcome["steps"], outcome["messages"]) == (session, 11, 66)
    assert (first["step"], first["service"], first["kind"], first["field"]) == (3, "narrator", "fragment", "")
    assert (first["recorded"]["step"], first["replayed"], first["note"]) == (3, None, "ValueError: no words")
    actor = [each for each in outcome["differences"] if each["service"] == "actor"]
    assert {(each["step"], each["field"]) for each in actor} >= {(3, "missing[0]"), (4, "missing[0]")}
    assert outcome["same_steps"] + len({each["step"] for each in outcome["differences"]}) == 11


async def test_a_service_that_hangs_is_named_and_holds_the_replay_up_once(
    session: str, settings: MeshSettings, code: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mesh.replay.replay_cell.PATIENCE", 4.0)

    steps = await replayed(session, settings, code=[code("Hanging")])

    silent = {step.number: each.note for step in steps for each in step.differences if each.replayed is None}
    assert silent == dict.fromkeys((8, 9, 10), "no answer within 4 s")


@pytest.mark.parametrize(
    ("names", "classes", "said"),
    [
        (["narator"], [], "There is no service 'narator'"),
        (["game"], [], "lantern sessions verify"),
        ([], [], "is to be replayed. Replay any of actor, critic, hint"),
        ([], ["Stranger"], "has nothing recorded by a service 'stranger'. Replay any of actor, critic, hint"),
    ],
)
async def test_a_replay_that_cannot_be_is_refused_in_one_line(
    session: str,
    settings: MeshSettings,
    code: Callable[[str], str],
    names: list[str],
    classes: list[str],
    said: str,
    temporary: Path,
) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        await replay_services(session, names, map(code, classes), settings, as_json=False)

    assert is_empty(temporary)


async def test_an_unknown_session_is_refused(settings: MeshSettings) -> None:
    with pytest.raises(InputError, match="There is no session 'nobodys'"):
        await replay_services("nobodys", ["all"], [], settings, as_json=False)


async def test_a_session_replays_after_export_and_import(
    bus: Bus, session: str, settings: MeshSettings
) -> None:
    before = await replayed(session, settings, "all")
    lines = [line async for line in archive.export(bus.cell, session)]
    await bus.writer.delete(session)
    await archive.store(bus.writer, session, archive.read_archive(lines)[2])

    assert await replayed(session, settings, "all") == before


async def test_a_replay_touches_nothing_and_leaves_nothing(
    bus: Bus, mesh: Mesh, nats_url: str, settings: MeshSettings, temporary: Path
) -> None:
    await mesh.run(*every_service(settings))
    session = f"{bus.cell.name}-s"
    await played(a_wish(bus.cell.name, steps=6, session=session), nats_url, settings)
    runners = await mesh.run(NarratorService())
    before = [line async for line in archive.export(bus.cell, session)]
    there = await consumers(bus)

    async with replaying_named(session, ["all"], [], settings) as steps:
        assert (await anext(steps)).compared == 6
        assert await left(bus) != []
        assert not is_empty(temporary)
        assert [found.cell for found in await bus.reader.sessions() if found.session == session] == [
            bus.cell.name
        ]
        assert await consumers(bus) == there

    assert [line async for line in archive.export(bus.cell, session)] == before
    assert (runners[0].delivery.handled, runners[0].delivery.failed) == (0, 0)
    assert await consumers(bus) == there
    assert await left(bus) == []
    assert is_empty(temporary)


async def consumers(bus: Bus) -> dict[str, Any]:
    """The consumers of the session's cell, and how far each is."""
    infos = await every_consumer(bus)
    return {
        i.name: (i.delivered and i.delivered.stream_seq, i.num_pending)
        for i in infos
        if i.name.startswith(f"{bus.cell.name}-")
    }


class Interrupted(Exception):
    """What a user of a replay may meet."""


@pytest.mark.parametrize("interrupted", [True, False])
async def test_a_replay_that_is_broken_off_leaves_nothing(
    bus: Bus, session: str, settings: MeshSettings, temporary: Path, interrupted: bool
) -> None:
    paused = asyncio.Event()

    async def looked_at() -> None:
        async with replaying_named(session, ["all"], [], settings) as steps:
            await anext(steps)
            paused.set()
            if not interrupted:
                raise Interrupted
            await asyncio.sleep(3600)

    task = asyncio.create_task(looked_at())
    await paused.wait()
    if interrupted:
        task.cancel()
    (error,) = await asyncio.gather(task, return_exceptions=True)

    assert isinstance(error, asyncio.CancelledError if interrupted else Interrupted)
    assert await left(bus) == []
    assert is_empty(temporary)


async def test_what_a_killed_replay_left_is_removed_by_a_later_one_and_a_young_one_is_let_be(
    bus: Bus, session: str, settings: MeshSettings
) -> None:
    for cell, age in (("killed", timedelta(days=2)), ("young", timedelta())):
        name, now = f"{REPLAYS}{bus.cell.name}-{cell}", lambda age=age: bus.cell.now() - age
        own = Bus.of(replace(bus.cell, name=name, now=now))
        await own.writer.publish("s", a_start())
        await own.writer.publish("s", a_step(0))

    await replayed(session, settings, "hint")

    there = [found.cell for found in await bus.reader.sessions(replays=True) if bus.cell.name in found.cell]
    assert there == [f"{REPLAYS}{bus.cell.name}-young"]
    await bus.in_cell(there[0]).writer.delete("s")


async def test_services_of_another_cell_are_not_on_the_roll(
    bus: Bus, mesh: Mesh, nats_url: str, settings: MeshSettings
) -> None:
    await mesh.run(Compass())
    liveness, near = LivenessTracker(600), LivenessTracker(600)

    await liveness.open(bus.cell.named("elsewhere"))
    await near.open(bus.cell)
    async with asyncio.timeout(10):
        while not near.fragment_services("s", bus.cell.now()):
            await asyncio.sleep(0.01)
    await bus.cell.ready()

    assert liveness.live() == ()
