"""Hostile names and texts against the real mesh: subjects, paths, questions, files."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import psutil
import pytest
import structlog
from conftest import Mesh

from games import BUNDLED
from lantern.cli import run
from mesh.errors import BusUnreachable, NobodyAnswers
from mesh.nats.connection import split_login
from mesh.record import archive
from mesh.record.bus import Bus
from mesh.record.following import follow
from mesh.runner import dead_letters
from schemas.base import Kind
from schemas.envelope import ServiceRef
from schemas.game import SessionAnswer, SessionStarted, StepTaken, StopSession
from schemas.memory import AskMemory, MemoryAnswer
from services.game.service import GameService
from services.memory.service import MemoryService
from services.narrator.service import NarratorService
from tests.support.processes.command import Lantern

EVIL = "\x1b]0;owned\x07\x1b[2J\u202e*.>..\n[99] Forged"

STARTED = SessionStarted(
    step=0, game=EVIL, story_md5="0" * 32, story_suffix=".z5", policy="random", seed=1, steps=1
)


def harmless(text: str) -> bool:
    return all(c.isprintable() or c == "\n" for c in text)


def test_a_story_of_any_name_is_played_and_named_harmlessly(lantern: Lantern, tmp_path: Path) -> None:
    story = tmp_path / f"{EVIL.replace('/', '')} ä b.z5"
    shutil.copy(BUNDLED, story)

    done = lantern.run("play", str(story), "--steps", "2")

    assert (done.returncode, done.stderr) == (0, "")
    assert harmless(done.stdout)
    assert "owned" in done.stdout.splitlines()[1]
    assert not any(line.startswith("[99] Forged") for line in done.stdout.splitlines())
    [session] = lantern.sessions()
    assert session["session"].isascii()
    assert lantern.run("memory", "query", session["session"], "MATCH (n) RETURN count(n)").returncode == 0
    files = [path for path in (lantern.home / "memory").rglob("*") if path.is_file()]
    assert files
    assert all(re.fullmatch(r"[\w.-]+", path.name, re.ASCII) for path in files)


HOSTILE_COMMANDS = [
    ["play", EVIL],
    ["play", "bundled", "--session", EVIL],
    ["play", "bundled", "--session", "../../x"],
    ["play", "bundled", "--cell", "*"],
    ["play", "bundled", "--policy", EVIL],
    ["play", "--resume", "a.b"],
    ["play", EVIL, EVIL],
    ["serve", EVIL],
    ["serve", f"{EVIL}.py:X"],
    ["serve", "narrator", "--cell", "main.x"],
    ["sessions", "show", "*"],
    ["sessions", "show", EVIL],
    ["sessions", "delete", ">", "--force"],
    ["sessions", "export", "../x"],
    ["sessions", "import", EVIL],
    ["dead-letters", "list", "--cell", ">"],
    ["status", "--cell", EVIL],
    ["provision", "--cell", "a b"],
    ["provision", "--agent", "x.>"],
    ["nats-config", "--agent", f'x"\n{EVIL}'],
    ["nats-config", "--cell", "*"],
    [EVIL],
]


@pytest.mark.parametrize("arguments", HOSTILE_COMMANDS, ids=repr)
def test_a_hostile_argument_is_one_harmless_line(
    arguments: list[str], nats_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NATS_URL", nats_url)

    try:
        code = run(arguments)
    finally:
        structlog.reset_defaults()

    said = capsys.readouterr()
    assert (code, said.out) == (2, "")
    assert said.err.startswith("lantern: ")
    assert said.err.count("\n") == 1
    assert harmless(said.err)


@pytest.mark.parametrize("session", ["*", ">", "s1.step.0 x", "../x", EVIL, "x" * 100], ids=repr)
async def test_a_question_about_a_hostile_session_is_refused(
    bus: Bus, mesh: Mesh, tmp_path: Path, session: str
) -> None:
    await mesh.run(GameService(), MemoryService(tmp_path / "memory"))
    await bus.writer.publish("s1", STARTED)
    await bus.writer.publish("s1", StepTaken(step=0, action=None, observation="A room."))

    answer = await bus.requests.ask(
        "game", "stop", StopSession(session=session), SessionAnswer, session="s1", timeout=60
    )
    question = AskMemory.model_construct(session=session, question="where")
    with pytest.raises(NobodyAnswers):
        await bus.requests.ask("memory", "search", question, MemoryAnswer, session="s1", timeout=60)

    assert not answer.ok
    assert "A session id cannot be" in answer.refusal
    assert await bus.reader.end_of("s1") is None
    assert not any(".kuzu" in name for name in names_below(tmp_path))


def names_below(directory: Path) -> list[str]:
    return [path.name for path in directory.rglob("*")]


async def test_a_service_serves_on_whatever_is_thrown_at_its_subjects(
    bus: Bus, mesh: Mesh, capsys: pytest.CaptureFixture[str], nats_url: str
) -> None:
    [runner] = await mesh.run(NarratorService())
    thrown = ["*", "\x1b[2J", "ä", "x" * 300, ">", ".".join("..")]
    for token in thrown:
        subject = f"lantern.{bus.cell.name}.{token}.step.1"
        await bus.cell.nc.publish(subject, EVIL.encode())
        await bus.cell.nc.publish(f"lantern.{bus.cell.name}.s1.dead.narrator.{token}", EVIL.encode())
    await bus.cell.nc.publish(f"lantern.{bus.cell.name}.live.narrator.x", EVIL.encode())
    await bus.cell.ready()

    await bus.writer.publish("s1", STARTED)
    for number in range(2):
        await bus.writer.publish("s1", StepTaken(step=number, action=None, observation=EVIL))
    async for envelope in follow(bus.reader, "s1", [Kind.FRAGMENT]):
        if envelope is not None and envelope.step == 1:
            break
    await runner.sessions.forget("s1")
    assert [subject async for subject in dead_letters.dead_lettered_steps(bus.reader, "s1")] == []

    letters = [letter async for letter in dead_letters.every(bus.cell)]
    assert {letter.service for letter in letters} <= {"narrator"}
    assert await bus.reader.read_at("s1", Kind.FRAGMENT, 1, "narrator")


@pytest.mark.parametrize(
    "tail",
    ["step.1 x", "step.1\r\nPUB lantern.main.s1.step.1 0\r\n", "fragment.1.*", "step.1\x1b", "ä.1"],
    ids=repr,
)
def test_an_export_cannot_name_a_hostile_subject(tail: str) -> None:
    head = json.dumps({"format": archive.FORMAT, "session": "s1", "cell": "main"})
    line = json.dumps({"subject": f"lantern.main.s1.{tail}", "id": "x", "message": {}}).removesuffix("}")
    first = archive._digest("", head)
    second = archive._digest(first, line)

    with pytest.raises(archive.ArchiveUnreadable, match="Line 2 is not as it was exported"):
        archive.read_archive([head, archive._line(line, second), archive._tail(1, second)])


async def test_the_embedded_server_listens_on_loopback_and_wants_its_token(
    nats_url: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    server, login = split_login(nats_url)
    port = int(server.rpartition(":")[2])
    listening = {
        (at.laddr.ip, at.pid)
        for at in psutil.net_connections("tcp")
        if at.laddr.port == port and not at.raddr
    }

    assert {address for address, _ in listening} == {"127.0.0.1"}
    [process] = [psutil.Process(pid) for _, pid in listening if pid]
    also = {at.laddr.ip for at in process.net_connections("inet") if at.status == psutil.CONN_LISTEN}
    assert also == {"127.0.0.1"}
    assert len(login.token or "") >= 32
    assert login.token not in " ".join(process.cmdline())
    for url in (server, server.replace("://", "://wrong@"), server.replace("://", "://lantern:wrong@")):
        with pytest.raises(BusUnreachable, match=r"does not let .* in"):
            await Bus.connect(url, ServiceRef(name="x", version="1", instance="1"), "main")
