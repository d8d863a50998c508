"""Sessions that are resumed: nothing lost, nothing done twice, and the same as if they had never stopped."""

from __future__ import annotations

import asyncio
import json
import random
import signal
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeVar

import psutil
import pytest
from conftest import Mesh
from nats.js.api import Header, RawStreamMsg
from test_emulator_faults import children
from test_mesh import a_wish, told

from games import BUNDLED
from lantern.nats.connection import connection
from lantern.nats.embedded_nats import embedded_nats
from lantern.play.play import play
from lantern.play.resume import resume
from lantern.play.services import SERVICES, service_named
from lantern.play.session_options import ResumeOptions, checked_story
from lantern.views.text_view import SilentView
from mesh.nats.codec import decode, encode
from mesh.record import snapshots, stories
from mesh.record.batches import raw_messages
from mesh.record.bus import Bus
from mesh.settings import MeshSettings
from schemas.base import Kind
from schemas.envelope import Envelope
from schemas.game import ResumeSession, SessionAnswer, StartSession, StepTaken, StopSession
from tests.support.processes.command import Lantern

R = TypeVar("R")


def story_of(steps: Iterable[StepTaken]) -> list[tuple[Any, ...]]:
    """What must come out alike in two sessions."""
    return [(s.step, s.action, s.observation, s.world, s.world_seen, s.score, s.valid_actions) for s in steps]


def in_the_store(lantern: Lantern, work: Callable[[Bus], Awaitable[R]]) -> R:
    """Do something with the record in a home."""

    async def connected() -> R:
        async with embedded_nats(lantern.home) as url, connection(url, "main") as bus:
            return await work(bus)

    return asyncio.run(connected())


def recorded(lantern: Lantern, session: str) -> list[tuple[Any, ...]]:
    return story_of(in_the_store(lantern, lambda bus: told(bus, StepTaken, session)))


def the_log(lantern: Lantern) -> str:
    return (lantern.home / "lantern.log").read_text()


class Killer(SilentView):
    """Kills the emulator at some messages of the session, by chance."""

    kinds = tuple(Kind)

    def __init__(self, times: int) -> None:
        self.left, self.chance = times, random.Random(11)

    def show_message(self, envelope: Envelope) -> None:
        if self.left > 0 and self.chance.random() < 0.5:
            for child in children():
                child.kill()
                self.left -= 1


@pytest.mark.exhaustive
async def test_fifty_kills_of_the_emulator_change_nothing(
    bus: Bus, nats_url: str, settings: MeshSettings
) -> None:
    settings = settings.model_copy(update={"nats_url": nats_url})
    killer = Killer(50)
    for session, watcher in (("calm", SilentView()), ("killed", killer)):
        wish = a_wish(bus.cell.name, steps=200, session=session)
        await play(wish, checked_story(wish), settings, watcher)

    calm, killed = [story_of(await told(bus, StepTaken, session)) for session in ("calm", "killed")]

    assert killer.left <= 0
    assert killed == calm


CALM_STEPS = 40


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Any, ...]]:
    """The steps of a session of `CALM_STEPS` that nothing disturbs."""
    lantern = Lantern(tmp_path_factory.mktemp("calm") / "home")
    lantern.play("--steps", str(CALM_STEPS), "--session", "calm")
    return recorded(lantern, "calm")


@pytest.mark.parametrize("moment", [0, 11, 24])
def test_after_a_kill_of_everything_a_session_goes_on_as_if_nothing_had_happened(
    lantern: Lantern, calm: list[tuple[Any, ...]], moment: int
) -> None:
    lantern.env["LANTERN_GAME_SNAPSHOT_EVERY"] = "10"
    process = lantern.start("play", "--steps", str(CALM_STEPS), "--session", "killed")
    process.wait_for_step(moment)

    for left in lantern.processes():
        left.kill()
    process.wait()
    counts = lantern.resume("killed")

    assert (counts["steps"], counts["ended"], counts["degraded_steps"]) == (CALM_STEPS, "budget", 0)
    assert recorded(lantern, "killed") == calm
    assert {listed["session"]: listed["ended"] for listed in lantern.sessions()}["killed"] == "budget"


def test_ctrl_c_and_then_resume_shows_what_is_new_and_plays_what_is_left(
    lantern: Lantern, calm: list[tuple[Any, ...]]
) -> None:
    process = lantern.start("play", "--steps", str(CALM_STEPS), "--session", "stopped")
    process.wait_for_step(3)
    process.process.send_signal(signal.SIGINT)
    assert process.wait().returncode == 130

    done = lantern.run("resume", "stopped")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("session stopped goes on after step ")
    assert "[2] " not in done.stdout
    assert f"{CALM_STEPS} steps" in done.stdout
    assert recorded(lantern, "stopped") == calm


def test_a_used_budget_is_told_and_more_steps_can_be_had(lantern: Lantern) -> None:
    lantern.play("--steps", "5", "--session", "mine")

    refused = lantern.run("play", "--resume", "mine")
    counts = lantern.resume("mine", "--steps", "4")
    again = lantern.play("--resume", "mine", "--steps", "2")

    assert refused.returncode == 2
    assert "has used its budget of 5 steps. Give --steps N" in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert (counts["steps"], again["steps"], again["ended"]) == (9, 11, "budget")
    assert [step[0] for step in recorded(lantern, "mine")] == list(range(12))
    assert [(s["session"], s["steps"], s["ended"]) for s in lantern.sessions()] == [("mine", 11, "budget")]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--resume", "nobody"), "There is no session 'nobody'"),
        (("--resume", "a/b"), "A session id cannot be 'a/b'"),
        (("story.z5", "--resume", "mine", "--policy", "random"), "Leave out --policy, STORY."),
        (("--resume", "mine", "--session", "other"), "Leave out --session."),
        (("--resume", "mine", "--steps", "0"), "--steps cannot be 0"),
    ],
)
def test_a_resume_that_cannot_be_is_refused_in_one_line(
    lantern: Lantern, arguments: tuple[str, ...], told: str
) -> None:
    done = lantern.run("play", *arguments)

    assert done.returncode == 2
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_session_that_is_being_played_is_not_resumed(lantern: Lantern) -> None:
    process = lantern.start("play", "--steps", "100000", "--session", "busy")
    process.wait_for_step(2)

    refused = lantern.run("play", "--resume", "busy")
    process.process.send_signal(signal.SIGINT)
    process.wait()

    assert refused.returncode == 2
    assert "'busy' is being played now" in refused.stderr


@pytest.mark.exhaustive
def test_a_resume_works_without_snapshots_and_says_when_one_is_broken(lantern: Lantern) -> None:
    lantern.env["LANTERN_GAME_SNAPSHOT_EVERY"] = "5"
    for session in ("plain", "broken", "bare"):
        lantern.play("--steps", "12", "--session", session)

    async def spoil(bus: Bus) -> bool:
        kept = await snapshots.newest(bus.cell, "plain")
        await snapshots.put(bus.cell, "broken", 11, b"rubbish")
        await snapshots.delete(bus.cell, "bare")
        return kept is not None and kept.step == 10 and await snapshots.newest(bus.cell, "bare") is None

    assert in_the_store(lantern, spoil)
    resumed = {}
    for session in ("plain", "broken", "bare"):
        lantern.play("--resume", session, "--steps", "12")
        resumed[session] = recorded(lantern, session)

    assert resumed["plain"] == resumed["broken"] == resumed["bare"]
    refusals = [line for line in the_log(lantern).splitlines() if "snapshot_refused" in line]
    assert len(refusals) == 1
    assert "broken" in refusals[0]


def test_deleting_a_session_deletes_its_snapshots(lantern: Lantern) -> None:
    lantern.env["LANTERN_GAME_SNAPSHOT_EVERY"] = "2"
    lantern.play("--steps", "4", "--session", "mine")
    there = in_the_store(lantern, lambda bus: snapshots.newest(bus.cell, "mine"))

    lantern.run("sessions", "delete", "mine")

    assert there is not None
    assert in_the_store(lantern, lambda bus: snapshots.newest(bus.cell, "mine")) is None


def test_a_changed_record_is_not_resumed_and_the_step_is_named(lantern: Lantern) -> None:
    lantern.play("--steps", "8", "--session", "mine")
    as_it_was = in_the_store(lantern, lambda bus: record_of(bus, "mine"))
    changes = {"observation": "Taken.", "world": "0" * 16, "digest": "0" * 16, "action": "xyzzy"}
    for field, value in changes.items():
        changed = {5: {field: value}}
        in_the_store(lantern, lambda bus, changed=changed: written_anew(bus, "mine", changed, as_it_was))

        done = lantern.run("play", "--resume", "mine", "--steps", "3")

        assert done.returncode == 2
        assert "Step 5 differs when it is replayed" in done.stderr, field
        assert done.stderr.count("\n") == 1
        assert [(s["steps"], s["ended"]) for s in lantern.sessions()] == [(8, "budget")]


async def record_of(bus: Bus, session: str) -> list[RawStreamMsg]:
    return [raw async for raw in raw_messages(bus.cell, f"lantern.main.{session}.>")]


async def written_anew(
    bus: Bus,
    session: str,
    changes: dict[int, dict[str, Any]],
    held: Iterable[RawStreamMsg] | None = None,
) -> None:
    """Write a session's record (`held`: as it was earlier) again in its order, some steps changed."""
    held = await record_of(bus, session) if held is None else held
    await bus.writer.delete(session)
    await asyncio.sleep(0.2)  # the server drops a repeated id within 0.1 s
    for raw in held:
        data = raw.data or b""
        envelope = decode(raw.subject or "", data)
        if envelope.kind is Kind.STEP and envelope.step in changes:
            body = envelope.body.model_copy(update=changes[envelope.step])
            data = encode(envelope.model_copy(update={"body": body}))
        await bus.cell.js.publish(raw.subject or "", data, headers={Header.MSG_ID: raw.subject or ""})


def test_an_imported_session_can_be_resumed_where_its_story_is(lantern: Lantern) -> None:
    story = bytearray(BUNDLED.read_bytes())
    story[3] ^= 1  # its release number
    other, elsewhere = lantern.home.parent / "other.z5", Lantern(lantern.home.parent / "elsewhere")
    other.write_bytes(story)
    lantern.play(str(other), "--steps", "6", "--session", "mine")
    lantern.play("--steps", "3", "--session", "bundled")
    for session in ("mine", "bundled"):
        file = str(lantern.home / f"{session}.jsonl")
        lantern.run("sessions", "export", session, file)
        elsewhere.run("sessions", "import", file)

    refused = elsewhere.run("resume", "mine", "--steps", "3")
    verified = elsewhere.run("sessions", "verify", "mine", "--story", str(other))
    counts = elsewhere.resume("mine", "--steps", "3")
    bundled = elsewhere.resume("bundled", "--steps", "1")
    elsewhere.wait_until_gone()

    assert refused.returncode == 2
    assert "`lantern sessions verify mine --story FILE`" in refused.stderr
    assert verified.returncode == 0
    assert (counts["steps"], counts["degraded_steps"], bundled["steps"]) == (9, 0, 4)


async def ask(bus: Bus, verb: str, wish: Any) -> SessionAnswer:
    return await bus.requests.ask("game", verb, wish, SessionAnswer, session=wish.session, timeout=30)


async def started(bus: Bus, settings: MeshSettings, steps: int) -> None:
    wish = a_wish(bus.cell.name, steps=steps)
    md5 = await stories.put(bus.cell, checked_story(wish).data)
    start = StartSession(
        session="s1", game="kelder.z5", story_md5=md5, policy="heuristic", seed=1, steps=steps
    )
    assert (await ask(bus, "start", start)).ok


async def ended(bus: Bus) -> None:
    async with asyncio.timeout(60):
        while await bus.reader.end_of("s1") is None:
            await asyncio.sleep(0.02)


def every_service(settings: MeshSettings) -> list[Any]:
    return [service_named(name, settings.home) for name in SERVICES]


async def test_services_of_a_whole_cell_take_a_session_up_again_and_again(
    bus: Bus, mesh: Mesh, settings: MeshSettings
) -> None:
    await mesh.run(*every_service(settings))
    await started(bus, settings, 4)
    await ended(bus)

    for _ in range(3):
        assert (await ask(bus, "resume", ResumeSession(session="s1", steps=50))).ok
        assert (await ask(bus, "stop", StopSession(session="s1"))).ok
        await ended(bus)
    assert (await ask(bus, "resume", ResumeSession(session="s1", steps=3))).ok
    twice = await ask(bus, "resume", ResumeSession(session="s1", steps=3))
    await ended(bus)

    steps = await told(bus, StepTaken)
    assert [step.step for step in steps] == list(range(len(steps)))
    assert not twice.ok
    end = await bus.reader.end_of("s1")
    assert end is not None and end.step == steps[-1].step


async def test_services_that_come_back_finish_what_others_had_begun(
    bus: Bus, mesh: Mesh, nats_url: str, settings: MeshSettings
) -> None:
    wish = a_wish(bus.cell.name, steps=25, session="calm")
    await play(wish, checked_story(wish), settings.model_copy(update={"nats_url": nats_url}), SilentView())
    await mesh.run(*every_service(settings))
    await started(bus, settings, 25)
    while (last := await bus.reader.last_step("s1")) is None or last.step < 8:
        await asyncio.sleep(0.01)
    await mesh.stack.aclose()

    elsewhere = settings.model_copy(update={"nats_url": nats_url})
    summary = await resume(ResumeOptions("s1", bus.cell.name), elsewhere, SilentView())

    assert summary.as_json()["steps"] == 25
    assert story_of(await told(bus, StepTaken)) == story_of(await told(bus, StepTaken, "calm"))


def test_what_is_shown_of_a_resumed_session_is_all_of_it(lantern: Lantern) -> None:
    lantern.play("--steps", "3", "--session", "mine")
    counts = lantern.play("--resume", "mine", "--steps", "2")

    shown = json.loads(lantern.run("sessions", "show", "mine", "--json").stdout)
    lines = lantern.run("sessions", "show", "mine").stdout.splitlines()

    assert shown == counts
    assert lines.count("ended: budget") == 2
    assert "session mine goes on after step 3, up to 5" in lines


def test_no_emulator_is_left_when_everything_is_killed(lantern: Lantern) -> None:
    process = lantern.start("play", "--steps", "100000", "--session", "killed")
    process.wait_for_step(2)
    workers = [p for p in psutil.Process(process.process.pid).children() if "worker" in " ".join(p.cmdline())]

    process.process.kill()
    process.wait()

    assert workers
    assert psutil.wait_procs(workers, timeout=10)[1] == []
