"""Recorded sessions verified, gone through, forked and compared, as a user does it."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from nats.js.api import Header
from test_mesh import told
from test_resume import story_of, written_anew

from lantern import cli
from lantern.nats.connection import connection
from lantern.nats.embedded_nats import embedded_nats
from mesh.nats.subjects import STREAM
from mesh.record.bus import Bus
from schemas.critic import ActionJudged, Decision
from schemas.fragment import FragmentGiven
from schemas.game import EndReason, Room, SessionEnded, SessionStarted, StepTaken, Thing
from tests.support.processes.command import ROOT, Lantern

R = TypeVar("R")

EVIL = "\x1b[31m\x07\x9b2J\u202e"

CRITIC = """
from collections.abc import Sequence
from schemas.critic import ActionJudged, Decision
from services.critic.service import CriticService

class Stubborn(CriticService):
    async def answer(self, session, envelope) -> Sequence[ActionJudged]:
        told = await super().answer(session, envelope)
        looks = {"action": "look", "decision": Decision.SUBSTITUTE, "reason": "stubborn"}
        return [verdict.model_copy(update=looks) for verdict in told]
"""


class Here:
    """The command line within the test's own process: what it prints is caught, its server is shared."""

    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str], url: str | None) -> None:
        self.home, self.capsys, self.url = home, capsys, url

    def run(self, *arguments: str, typed: str | None = None) -> subprocess.CompletedProcess[str]:
        there = ("--nats", self.url) if self.url else ()
        self.capsys.readouterr()
        with pytest.MonkeyPatch.context() as patch, (self.home / "typed").open("w+") as stdin:
            stdin.write(typed or "")
            stdin.seek(0)
            patch.setenv("LANTERN_HOME", str(self.home))
            patch.setattr(sys, "stdin", stdin)
            code = cli.run([*arguments, *there])
        printed = self.capsys.readouterr()
        return subprocess.CompletedProcess(arguments, code, printed.out, printed.err)

    def play(self, *arguments: str) -> dict[str, Any]:
        return self.counts("play", *arguments)

    def counts(self, *arguments: str) -> dict[str, Any]:
        """What a command that plays counts."""
        done = self.run(*arguments, "--json")
        assert (done.returncode, done.stderr) == (0, "")
        told: dict[str, Any] = json.loads(done.stdout)
        return told

    def sessions(self) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = json.loads(self.run("sessions", "list", "--json").stdout)
        return listed

    def names(self) -> list[str]:
        return sorted(each["session"] for each in self.sessions())

    def actions(self, session: str) -> list[str | None]:
        return [step.action for step in self.steps(session)[1:]]

    def steps(self, session: str) -> list[StepTaken]:
        return self.in_the_store(lambda bus: told(bus, StepTaken, session))

    def exported(self, session: str) -> str:
        return self.run("sessions", "export", session, "-").stdout

    def verified(self, session: str) -> dict[str, Any]:
        done = self.run("sessions", "verify", session, "--json")
        found: dict[str, Any] = json.loads(done.stdout)
        assert (done.returncode, done.stderr) == (0 if found["ok"] else 1, "")
        return found

    def in_the_store(self, work: Callable[[Bus], Awaitable[R]]) -> R:
        """Do something with the record."""

        async def connected() -> R:
            assert self.url is not None
            async with connection(self.url, "main") as bus:
                return await work(bus)

        return asyncio.run(connected())


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server for these tests alone."""
    with asyncio.Runner() as runner:
        embedded = embedded_nats(tmp_path_factory.mktemp("server"))
        yield runner.run(embedded.__aenter__())
        runner.run(embedded.__aexit__(None, None, None))


@pytest.fixture
def lantern(server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Here]:
    """The command line, on a server without any session."""
    here = Here(tmp_path, capsys, server)
    yield here
    for session in here.names():
        here.run("sessions", "delete", session, "--force")


# -- verify


@pytest.mark.parametrize("kind", [(), ("--text-only",), ("--policy", "random", "--no-valid-actions")])
def test_a_played_session_is_verified(lantern: Here, kind: tuple[str, ...]) -> None:
    lantern.play("--steps", "25", "--session", "mine", *kind)
    lantern.play("--resume", "mine", "--steps", "5")

    told = lantern.verified("mine")
    done = lantern.run("sessions", "verify", "mine")

    assert (told["ok"], told["steps"], told["faults"], told["difference"]) == (True, 30, [], None)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("mine: 30 steps verified, ")


def test_every_field_that_was_changed_is_found_with_its_step(lantern: Here) -> None:
    lantern.play("--steps", "8", "--session", "mine")
    [step] = [step for step in lantern.steps("mine") if step.step == 5]
    changes: dict[str, Any] = {
        "observation": "Taken.",
        "score": 49,
        "reward": 7,
        "moves": 99,
        "world": "0" * 16,
        "digest": "0" * 16,
        "room": Room(id="1", name="Elsewhere"),
        "inventory": (*(step.inventory or ()), Thing(id=99, name="crown")),
        "objects": (),
        "victory": True,
    }
    whole = {field: getattr(step, field) for field in changes}

    for field, value in changes.items():
        lantern.in_the_store(
            lambda bus, told=dict(whole, **{field: value}): written_anew(bus, "mine", {5: told})
        )
        told = lantern.verified("mine")
        assert (told["difference"]["step"], told["difference"]["field"]) == (5, field)
    done = lantern.run("sessions", "verify", "mine")
    assert (done.returncode, done.stderr) == (1, "")
    assert "mine: step 5: its victory does not come out again as it was recorded" in done.stdout


def test_a_changed_text_and_a_changed_end_of_a_text_only_session_are_found(lantern: Here) -> None:
    lantern.play("--steps", "8", "--session", "mine", "--text-only")
    lantern.in_the_store(lambda bus: with_another_end(bus, "mine", best_score=50))

    ended = lantern.verified("mine")["difference"]
    lantern.in_the_store(lambda bus: written_anew(bus, "mine", {3: {"observation": "Taken."}}))
    text = lantern.verified("mine")["difference"]

    assert (ended["step"], ended["field"], ended["recorded"]) == (8, "best_score", 50)
    assert (text["step"], text["field"], text["recorded"]) == (3, "observation", "Taken.")


async def with_another_end(bus: Bus, session: str, **fields: Any) -> None:
    end = await bus.reader.end_of(session)
    assert end is not None and isinstance(end.body, SessionEnded)
    held = await bus.cell.jsm.get_last_msg(STREAM, f"lantern.{bus.cell.name}.{session}.ended.{end.step}")
    await bus.cell.jsm.delete_msg(STREAM, held.seq or 0)
    await bus.writer.publish(session, end.body.model_copy(update=fields), end.cause)


def test_what_is_missing_from_a_record_is_found(lantern: Here) -> None:
    lantern.play("--steps", "6", "--session", "mine")

    async def spoil(bus: Bus) -> None:
        held = await bus.cell.jsm.get_last_msg(STREAM, "lantern.main.mine.proposal.2")
        await bus.cell.jsm.delete_msg(STREAM, held.seq or 0)
        await bus.cell.js.publish(
            "lantern.main.mine.fragment.3.nobody", b"rubbish", headers={Header.MSG_ID: "x"}
        )

    lantern.in_the_store(spoil)
    faults = lantern.verified("mine")["faults"]

    assert {"step": 2, "what": "the proposal is missing"} in faults
    assert any(fault["step"] == 3 and "cannot be read" in fault["what"] for fault in faults)


def test_an_imported_session_is_verified_once_its_story_is_given(lantern: Here, tmp_path: Path) -> None:
    story = str(story_of_another(tmp_path))
    lantern.play(story, "--steps", "6", "--session", "mine")
    file = tmp_path / "mine.jsonl"
    file.write_text(lantern.exported("mine"))
    (tmp_path / "elsewhere").mkdir()
    elsewhere = Here(tmp_path / "elsewhere", lantern.capsys, None)
    elsewhere.run("sessions", "import", str(file))

    absent = elsewhere.run("sessions", "verify", "mine")
    forked = elsewhere.run("fork", "mine", "--at", "3", "--session", "f")
    wrong = elsewhere.run("sessions", "verify", "mine", "--story", str(ROOT / "games" / "kelder.z5"))
    given = elsewhere.run("sessions", "verify", "mine", "--story", story)
    kept = elsewhere.run("sessions", "verify", "mine")
    left = elsewhere.names()

    assert (absent.returncode, absent.stderr.count("\n")) == (2, 1)
    assert "Give its file with --story." in absent.stderr
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)
    assert (given.returncode, kept.returncode) == (0, 0)
    assert (forked.returncode, forked.stderr.count("\n")) == (2, 1)
    assert left == ["mine"]


def story_of_another(directory: Path) -> Path:
    """The bundled story with another release number."""
    data = bytearray((ROOT / "games" / "kelder.z5").read_bytes())
    data[3] ^= 1
    path = directory / "other.z5"
    path.write_bytes(data)
    return path


# -- replay


def test_a_replay_shows_what_was_recorded_and_any_part_of_it(lantern: Here) -> None:
    lantern.play("--steps", "6", "--session", "mine")
    shown = lantern.run("sessions", "show", "mine").stdout.splitlines()

    whole = lantern.run("replay", "mine")
    part = lantern.run("replay", "mine", "--from", "2", "--to", "3")
    fast = lantern.run("replay", "mine", "--speed", "x1000")

    assert (whole.returncode, whole.stderr) == (0, "")
    assert sorted(whole.stdout.splitlines()) == sorted(shown[:-1])
    assert fast.stdout == whole.stdout
    assert [line[:3] for line in part.stdout.splitlines() if line.startswith("[")] == ["[2]", "[3]"]


def test_a_session_is_debugged_through_a_pipe(lantern: Here) -> None:
    lantern.play("--steps", "20", "--session", "mine")
    typed = "\nd\np verdict\nb score > 0\nc\np\nq\n"

    done = lantern.run("replay", "mine", "--step", typed=typed)
    stopped = lantern.run("replay", "mine", "--break", "score > 0")

    scored = next(step.step for step in lantern.steps("mine") if (step.score or 0) > 0)
    assert (done.returncode, done.stderr) == (0, "")
    assert "breakpoint 1: score > 0" in done.stdout.splitlines()
    assert any(line.startswith(f"step {scored} has: step, fragment ") for line in done.stdout.splitlines())
    assert '  "kind": "verdict",' in done.stdout.splitlines()
    assert stopped.stdout.splitlines()[-1] == "breakpoint 1: score > 0"
    assert f"[{scored + 1}] " not in stopped.stdout


BAD_INPUT = (
    (("replay", "nobody"), "There is no session 'nobody'"),
    (("replay", "mine", "--from", "9"), "--from cannot be 9: the session 'mine' has steps 0 to 2."),
    (("replay", "mine", "--from", "2", "--to", "1"), "--to cannot be 1"),
    (("replay", "mine", "--break", "scroe > 1"), "Position 1 of the expression: nothing is called scroe"),
    (("replay", "mine", "--speed", "fast"), "--speed cannot be 'fast'"),
    (("fork", "mine", "--at", "3"), "has steps 0 to 2: it cannot be forked at 3"),
    (("fork", "mine", "--at", "-1"), "--at cannot be -1"),
    (("fork", "nobody", "--at", "1"), "There is no session 'nobody'"),
    (("fork", "mine", "--at", "1", "--policy", "brave"), "No policy is called 'brave'"),
    (("fork", "mine", "--at", "1", "--seed", "0"), "--seed cannot be 0"),
    (("fork", "mine", "--at", "1", "--session", "mine"), "The session id 'mine' is taken"),
    (("fork", "mine", "--at", "1", "--session", "a.b"), "A session id cannot be 'a.b'"),
    (
        ("fork", "mine", "--at", "1", "--service", "no.py:Critic"),
        "no.py: the file cannot be read",
    ),
    (("fork", "mine", "--at", "2"), "has used its budget of 2 steps. Give --steps N"),
    (("diff", "mine", "nobody"), "There is no session 'nobody'"),
    (("sessions", "verify", "nobody"), "There is no session 'nobody'"),
)


def test_bad_input_is_refused_in_one_line_and_leaves_nothing(lantern: Here) -> None:
    lantern.play("--steps", "2", "--session", "mine")

    for arguments, why in BAD_INPUT:
        done = lantern.run(*arguments)
        assert (done.returncode, done.stderr.count("\n"), done.stdout) == (2, 1, ""), arguments
        assert why in done.stderr
    assert lantern.names() == ["mine"]


def test_ctrl_c_ends_a_replay_while_it_waits(lantern: Here) -> None:
    lantern.play("--steps", "2", "--session", "mine")
    process = subprocess.Popen(
        [sys.executable, "-m", "lantern.cli", "replay", "mine", "--step", "--nats", str(lantern.url)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write("p\n")
    process.stdin.flush()
    for line in process.stdout:
        if line.startswith("step 0 has: "):
            break

    process.send_signal(signal.SIGINT)
    _, complaints = process.communicate(timeout=30)

    assert (process.returncode, complaints) == (130, "")


# -- fork


def test_a_fork_goes_on_as_its_parent_would_and_leaves_it_as_it_was(lantern: Here) -> None:
    lantern.play("--steps", "20", "--session", "mine")
    before = lantern.exported("mine")

    done = lantern.run("fork", "mine", "--at", "12", "--session", "again", "--json")
    compared = lantern.run("diff", "mine", "again")

    counts = json.loads(done.stdout)
    assert (done.returncode, counts["steps"], counts["parent"], counts["parent_step"]) == (0, 20, "mine", 12)
    assert story_of(lantern.steps("again")) == story_of(lantern.steps("mine"))
    assert lantern.verified("again")["ok"]
    assert lantern.exported("mine") == before
    assert compared.returncode == 0, compared.stdout
    assert "every step is the same" in compared.stdout


def test_a_fork_with_another_policy_and_seed_parts_after_its_step(lantern: Here) -> None:
    lantern.play("--steps", "12", "--session", "mine")
    other = ("--policy", "random", "--steps", "8")
    for session, seed in (("one", "7"), ("same", "7"), ("two", "8")):
        counts = lantern.run(
            "fork", "mine", "--at", "5", "--session", session, "--seed", seed, *other, "--json"
        )
        told = json.loads(counts.stdout)
        assert (told["policy"], told["seed"], told["policy_seed"], told["steps"]) == (
            "random", 1, int(seed), 13,
        )  # fmt: skip

    mine, one, same, two = (lantern.actions(session) for session in ("mine", "one", "same", "two"))
    assert mine[:5] == one[:5] == two[:5]
    assert one == same
    assert one != two
    compared = json.loads(lantern.run("diff", "mine", "one", "--json").stdout)
    assert (compared["same"], compared["divergence"]["step"]) == (False, 5)
    assert compared["divergence"]["message"] == "proposal"
    assert compared["headers"]["policy"] == ["heuristic", "random"]


def test_a_fork_with_a_service_of_ones_own_hears_it_and_no_other(lantern: Here, tmp_path: Path) -> None:
    lantern.play("--steps", "6", "--session", "mine")
    (tmp_path / "critics.py").write_text(CRITIC)
    critic = ("--service", f"{tmp_path / 'critics.py'}:Stubborn")

    done = lantern.run("fork", "mine", "--at", "3", "--steps", "3", "--session", "f", *critic)
    resumed = lantern.play("--resume", "f", "--steps", "2")

    assert done.returncode == 0, done.stderr
    assert lantern.actions("f")[3:6] == ["look"] * 3
    assert lantern.actions("f")[:3] == lantern.actions("mine")[:3]
    assert resumed["steps"] == 8
    assert lantern.verified("f")["ok"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", [(), ("--text-only",)])
def test_forks_of_forks_of_every_kind_of_session_are_verified_and_go_on(
    lantern: Here, kind: tuple[str, ...]
) -> None:
    lantern.play("--steps", "9", "--session", "mine", *kind)
    lantern.run("fork", "mine", "--at", "9", "--session", "unfinished", "--no-play", "--steps", "20")
    file = str(lantern.home / "mine.jsonl")
    forked = [
        ("unfinished", 9, "at-its-step"),
        ("unfinished", 4, "before-its-step"),
        ("before-its-step", 0, "at-the-opening"),
    ]
    for parent, at, session in forked:
        done = lantern.run("fork", parent, "--at", str(at), "--session", session, "--no-play")
        assert (done.returncode, done.stderr) == (0, ""), session
        assert lantern.verified(session)["steps"] == at
        assert lantern.play("--resume", session, "--steps", "3")["steps"] == at + 3
        assert lantern.verified(session)["ok"], session
    assert (lantern.run("sessions", "export", "at-its-step", file).returncode) == 0
    lantern.run("sessions", "delete", "at-its-step")
    lantern.run("sessions", "import", file)
    done = lantern.run("fork", "at-its-step", "--at", "9", "--session", "imported", "--steps", "2", "--json")
    assert json.loads(done.stdout)["steps"] == 11
    assert lantern.verified("imported")["ok"]


def test_a_fork_in_another_cell_is_found_there(lantern: Here) -> None:
    lantern.play("--steps", "4", "--session", "mine")

    done = lantern.run(
        "fork", "mine", "--at", "2", "--session", "f", "--cell", "lab", "--steps", "2", "--json"
    )

    assert json.loads(done.stdout)["steps"] == 4
    assert {each["session"]: each["cell"] for each in lantern.sessions()} == {"mine": "main", "f": "lab"}
    assert lantern.verified("f")["ok"]


def test_a_service_that_serves_the_whole_cell_is_not_replaced_and_no_fork_is_left(
    lantern: Here, tmp_path: Path
) -> None:
    lantern.play("--steps", "4", "--session", "mine")
    (tmp_path / "critics.py").write_text(CRITIC)
    critic = ("--service", f"{tmp_path / 'critics.py'}:Stubborn")
    serving = Lantern(tmp_path / "serving").start("serve", "critic", "narrator", "--nats", str(lantern.url))
    while len(json.loads(lantern.run("status", "--json").stdout)) < 2:
        assert serving.process.poll() is None

    refused = lantern.run("fork", "mine", "--at", "2", "--session", "f", *critic)
    beside = lantern.run("fork", "mine", "--at", "2", "--session", "g", "--json")
    serving.process.terminate()
    serving.wait()

    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "A critic service is live for all of cell main" in refused.stderr
    assert json.loads(beside.stdout)["steps"] == 4
    assert lantern.verified("g")["ok"]
    assert lantern.names() == ["g", "mine"]


# -- what reaches a terminal


def test_what_a_hostile_session_says_steers_no_terminal(lantern: Here, tmp_path: Path) -> None:
    lantern.in_the_store(hostile)
    file = tmp_path / "hostile.jsonl"
    file.write_text(lantern.exported("evil"))
    bad = tmp_path / "bad.jsonl"
    lines = file.read_text().splitlines()
    bad.write_text("\n".join([lines[0], lines[1].replace("evil.started", f"evil.{EVIL}started"), *lines[2:]]))
    commands: list[Callable[[], subprocess.CompletedProcess[str]]] = [
        lambda: lantern.run("sessions", "list"),
        lambda: lantern.run("sessions", "show", "evil"),
        lambda: lantern.run("sessions", "verify", "evil", "--story", str(ROOT / "games" / "kelder.z5")),
        lambda: lantern.run("sessions", "import", str(bad)),
        lambda: lantern.run("replay", "evil"),
        lambda: lantern.run("diff", "evil", "tame"),
        lambda: lantern.run("fork", "evil", "--at", "1"),
        lambda: lantern.run("replay", f"evil{EVIL}"),
        lambda: lantern.run("replay", "evil", "--break", f"{EVIL} > 1"),
        lambda: lantern.run("replay", "evil", "--step", typed=f"p step\n\nd\np\nb {EVIL}\n{EVIL}\n"),
    ]

    for command in commands:
        done = command()
        told = done.stdout + done.stderr
        assert told
        assert all(c.isprintable() or c == "\n" for c in told), (done.args, told)


async def hostile(bus: Bus) -> None:
    """A session all of whose words are meant for the terminal, and one that differs from it."""
    for session, word in (("evil", EVIL), ("tame", "fine")):
        started = SessionStarted(
            step=0, game=word, story_md5=MD5, story_suffix=".z5", policy="random", seed=1, steps=1
        )
        thing = Thing(id=1, name=word)
        told = {"observation": word, "room": Room(id=word, name=word), "inventory": (thing,)}
        await bus.writer.publish(session, started)
        await bus.writer.publish(session, StepTaken.model_validate({"step": 0, "action": None, **told}))
        await bus.writer.publish(session, FragmentGiven(step=0, suggestions=(word,)))
        await bus.writer.publish(
            session,
            ActionJudged(
                step=0, action=word, proposed=word, decision=Decision.APPROVE, score=0, reason=word, by="game"
            ),
        )
        await bus.writer.publish(
            session, StepTaken.model_validate({"step": 1, "action": word, **told, "score": 1})
        )
        await bus.writer.publish(session, SessionEnded(step=1, reason=EndReason.FAILED, detail=word))
        await bus.cell.js.publish(
            f"lantern.main.{session}.verdict.7", word.encode(), headers={Header.MSG_ID: session}
        )


MD5 = "0" * 32
