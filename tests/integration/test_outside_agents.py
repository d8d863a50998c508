"""Agents from outside: what they are told, what they may answer, and what becomes of those that fail."""

from __future__ import annotations

import asyncio
import json
import shlex
import signal
import sys
from pathlib import Path

import psutil
import pytest
from test_mesh import told

from lantern.play.play import play
from lantern.play.resume import resume
from lantern.play.session_options import PlayOptions, ResumeOptions, absent_services, checked_story
from lantern.play.summary import Summary
from lantern.views.text_view import SilentView
from mesh.record.bus import Bus
from mesh.settings import MeshSettings
from schemas.actor import ActionProposed
from schemas.game import RESTART, EndReason, SessionEnded, StepTaken
from services.actor.outside.process import LINE_BYTES, AgentProcess
from services.actor.policies import OUTSIDE
from tests.support.processes.command import Lantern

READ = """
import os, sys, time
def texts():
    text = ""
    for line in sys.stdin:
        if line == "BREAK-NARRATIVE\\n":
            yield text
            text = ""
        else:
            text += line
"""
SCRIPTED = """
for n, _ in enumerate(texts()):
    print(ACTIONS[n % len(ACTIONS)], flush=True)
"""
NO_TIME = 0.5
ALONE = absent_services(OUTSIDE, ())


class Agents:
    """Plays sessions with agents that a test writes."""

    def __init__(self, bus: Bus, settings: MeshSettings, folder: Path) -> None:
        self.bus, self.settings, self.folder = bus, settings, folder

    def command(self, body: str, *actions: str) -> str:
        """The command of an agent with this body; `texts()` gives it the game's texts."""
        path = self.folder / "agent.py"
        path.write_text(f"{READ}\nACTIONS = {actions!r}\n{body}")
        return shlex.join([sys.executable, "-S", str(path)])

    def a_class(self, choose: str) -> str:
        """A class whose `choose` has this body."""
        body = choose.replace("\n", "\n        ")
        path = self.folder / "mine.py"
        path.write_text(f"class Mine:\n    def choose(self, observation, info):\n        {body}\n")
        return f"{path}:Mine"

    def wish(self, agent: str, steps: int = 4, **options: object) -> PlayOptions:
        return PlayOptions(
            "bundled", steps, OUTSIDE, 1, "s1", self.bus.cell.name,
            **{"valid_actions": False, "without": ALONE, "agent": agent, **options},  # type: ignore[arg-type]
        )  # fmt: skip

    async def played(self, agent: str, steps: int = 4, **options: object) -> Summary:
        wish = self.wish(agent, steps, **options)
        async with asyncio.timeout(60):
            return await play(wish, checked_story(wish), self.settings, SilentView())

    async def actions(self) -> list[str | None]:
        return [step.action for step in await told(self.bus, StepTaken)][1:]


@pytest.fixture
def agents(bus: Bus, nats_url: str, settings: MeshSettings, tmp_path: Path) -> Agents:
    return Agents(bus, settings.model_copy(update={"nats_url": nats_url}), tmp_path)


def children() -> set[int]:
    return {child.pid for child in psutil.Process().children(recursive=True)}


def test_the_examples_play(lantern: Lantern) -> None:
    by_command = lantern.play("--agent", "python3 examples/outside_agent.py", "--steps", "6")
    by_class = lantern.play("--agent", "examples/my_choice.py:MyChoice", "--steps", "6")

    for counts in (by_command, by_class):
        assert (counts["policy"], counts["steps"], counts["ended"]) == (OUTSIDE, 6, "budget")
        assert (counts["degraded"], counts["without"]) == ({}, list(ALONE))
    assert by_class["agent"] == "examples/my_choice.py:MyChoice"
    assert max(len(Path(f"examples/{name}.py").read_text().splitlines()) for name in ("my_choice",)) <= 15


async def test_a_command_is_told_each_text_and_its_lines_are_played(agents: Agents, bus: Bus) -> None:
    body = """
with open(os.path.join(os.path.dirname(__file__), "heard"), "w") as heard:
    for n, text in enumerate(texts()):
        print(repr(text), file=heard, flush=True)
        print(ACTIONS[n], flush=True)
"""
    summary = await agents.played(agents.command(body, "north", "examine beach", "south", "look"))
    heard = [eval(line) for line in (agents.folder / "heard").read_text().splitlines()]
    steps = await told(bus, StepTaken)

    assert await agents.actions() == ["north", "examine beach", "south", "look"]
    assert heard == [step.observation + "\n" for step in steps[:-1]]  # the last one is not answered
    assert (summary.as_json()["degraded"], summary.as_json()["ended"]) == ({}, "budget")


async def test_a_class_is_told_what_the_session_tells(agents: Agents, bus: Bus) -> None:
    noted = agents.folder / "noted"
    choose = f"open({str(noted)!r}, 'a').write(repr(info) + chr(10))\nprint('noise')\nreturn 'north'"
    await agents.played(agents.a_class(choose), 2, valid_actions=True)
    first, second = [eval(line) for line in noted.read_text().splitlines()]
    step, *_ = await told(bus, StepTaken)

    assert (first["step"], first["score"], first["max_score"], first["episode"]) == (0, 0, 50, 1)
    assert first["valid_actions"] == list(step.valid_actions.actions) != []
    assert (first["room"], first["done"], second["step"]) == (step.room.name, False, 1)


async def test_a_text_only_session_tells_a_class_the_text_alone(agents: Agents) -> None:
    noted = agents.folder / "noted"
    await agents.played(
        agents.a_class(f"open({str(noted)!r}, 'w').write(repr(info))\nreturn 'look'"), 1, text_only=True
    )
    info = eval(noted.read_text())

    untold = ("score", "max_score", "moves", "valid_actions", "inventory", "room")
    assert [info[name] for name in untold] == [None] * len(untold)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("time.sleep(60)", "did not answer within 0.5 s: it printed nothing. End the line, flush it"),
        ("print('north', end='', flush=True); time.sleep(60)", "its line never ended"),
        ("next(texts()); print('x' * 9_000_000, flush=True)", f"more than {LINE_BYTES:,} bytes without"),
        ("next(texts()); print('north\\n' * 5, flush=True)", "printed more than one line"),
        ("next(texts()); sys.exit('no idea')", "ended with exit code 1 (no idea). Correct it"),
        ("next(texts()); os.kill(os.getpid(), 9)", "was killed by SIGKILL. Correct it"),
        ("next(texts()); sys.stdout.buffer.write(b'\\xff\\n')", "is not UTF-8. Print actions in UTF-8"),
    ],
)
async def test_an_agent_that_fails_ends_the_session_with_the_step_and_the_mend(
    agents: Agents, bus: Bus, monkeypatch: pytest.MonkeyPatch, body: str, why: str
) -> None:
    if "sleep" in body:
        monkeypatch.setenv("LANTERN_ACTOR_AGENT_TIMEOUT", str(NO_TIME))
    before = children()
    command = agents.command(body)

    summary = await agents.played(command)
    [ended] = await told(bus, SessionEnded)

    assert (summary.as_json()["ended"], summary.as_json()["steps"]) == ("failed", 0)
    assert ended.detail.startswith(f"The agent {command} failed at step 0: it")
    assert why in ended.detail
    assert "\n" not in ended.detail
    assert children() <= before


async def test_an_agent_whose_output_nobody_reads_is_ended() -> None:
    agent = await AgentProcess.start([sys.executable, "-c", "print('x' * 9_000_000, flush=True)"], 1)
    while not agent._from._paused:  # type: ignore[attr-defined]
        await asyncio.sleep(0.01)

    async with asyncio.timeout(20):
        await agent.close()


@pytest.mark.parametrize(
    ("choose", "why"),
    [
        ("return 1 / 0", "mine.py, line 3: ZeroDivisionError: division by zero"),
        ("return 3", "TypeError: choose() returned int, not a string"),
        ("while True: pass", "did not answer within 0.5 s"),
        ("import os; os.abort()", "was killed by SIGABRT"),
    ],
)
async def test_a_class_that_fails_costs_nothing_but_its_session(
    agents: Agents, bus: Bus, monkeypatch: pytest.MonkeyPatch, choose: str, why: str
) -> None:
    if "while" in choose:
        monkeypatch.setenv("LANTERN_ACTOR_AGENT_TIMEOUT", str(NO_TIME))

    summary = await agents.played(agents.a_class(choose))

    assert summary.ended is not None
    assert (summary.ended.reason, why in summary.ended.detail) == (EndReason.FAILED, True), summary.ended


async def test_no_process_is_left_of_an_agent_that_forks(agents: Agents) -> None:
    note = agents.folder / "grandchild"
    body = f"""
import subprocess
child = subprocess.Popen(["sleep", "600"])
open({str(note)!r}, "w").write(str(child.pid))
{SCRIPTED}"""
    await agents.played(agents.command(body, "look"))

    grandchild = int(note.read_text())
    assert not psutil.pid_exists(grandchild) or psutil.Process(grandchild).status() == psutil.STATUS_ZOMBIE


@pytest.mark.parametrize(
    ("printed", "action", "fault"),
    [
        ("look\\x1b[31m\\x07 north", "look [31m  north", "control characters"),
        ("x" * 151, "look", "151 characters; 150 may be"),
        ("", "look", "no action"),
        ("  north ", "north", ""),
    ],
)
async def test_an_answer_that_cannot_be_typed_is_cleaned_or_replaced_and_that_is_recorded(
    agents: Agents, bus: Bus, printed: str, action: str, fault: str
) -> None:
    await agents.played(agents.command(SCRIPTED.replace("ACTIONS[n % len(ACTIONS)]", f'"{printed}"')), 1)
    [proposal] = await told(bus, ActionProposed)

    assert proposal.action == action
    assert fault in proposal.degraded
    assert bool(fault) == bool(proposal.degraded)


async def test_quit_restart_and_soft_restart_do_what_the_competition_says(agents: Agents) -> None:
    body = """
with open(__file__ + ".starts", "a") as starts:
    starts.write("x")
started = os.path.getsize(__file__ + ".starts")
for n, _ in enumerate(texts()):
    print(ACTIONS[n] if started == 1 else ["south", f"IEEECIG-ADVENT-QUIT-COMMAND"][n], flush=True)
"""
    soft, hard = (f"IEEECIG-ADVENT-{name}-COMMAND" for name in ("SOFT-RESTART", "RESTART"))
    summary = await agents.played(agents.command(body, "north", soft, "east", hard, "never"), 20)

    assert await agents.actions() == ["north", RESTART, "east", RESTART, "south"]
    assert (summary.as_json()["ended"], summary.as_json()["episodes"]) == ("quit", 3)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--agent", "no-such-program"), "there is no program 'no-such-program'"),
        (("--agent", ""), "--agent is empty"),
        (("--agent", "python3 'x"), "Close its quotes"),
        (("--agent", "nowhere.py:Mine"), "cannot be read"),
        (("--agent", "examples/my_choice.py:MyChioce"), "MyChoice"),
        (("--agent", "true", "--policy", "random"), "Leave out --policy"),
        (("--agent", "true", "--valid-actions"), "Leave out --valid-actions"),
    ],
)
def test_an_agent_that_cannot_be_is_refused_before_anything_is_played(
    lantern: Lantern, arguments: tuple[str, ...], why: str
) -> None:
    done = lantern.run("play", *arguments)

    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert why in done.stderr


FORGETFUL = """
with open(__file__ + ".starts", "a") as starts:
    starts.write("x")
first = os.path.getsize(__file__ + ".starts") == 1
for n, _ in enumerate(texts()):
    print(ACTIONS[n] if first or n else "wait", flush=True)
"""
WAY = ("north", "save", "south", "restore", "restore 0", "look", "restore 77", "north")


@pytest.mark.parametrize(("body", "differs"), [(SCRIPTED, False), (FORGETFUL, True)])
async def test_a_resumed_session_tells_a_fresh_agent_what_was_and_goes_on(
    agents: Agents, bus: Bus, body: str, differs: bool
) -> None:
    command = agents.command(body, *WAY)
    await agents.played(command, 4, restore=True)

    again = ResumeOptions("s1", bus.cell.name, steps=4, agent=command)
    await resume(again, agents.settings, SilentView())
    proposals = await told(bus, ActionProposed)

    assert await agents.actions() == list(WAY)
    assert [bool(each.degraded) for each in proposals] == [n == 4 and differs for n in range(8)]
    if differs:
        assert "answered step 0 with 'wait', not with 'north' (1 of 4 differ)" in proposals[4].degraded


@pytest.mark.exhaustive
def test_after_a_kill_of_everything_the_agent_goes_on_and_the_record_is_verified(
    lantern: Lantern, tmp_path: Path
) -> None:
    agent = tmp_path / "agent.py"
    agent.write_text(f"{READ}\nACTIONS = {WAY!r}\n{SCRIPTED}\n    time.sleep(0.05)")
    command = shlex.join([sys.executable, "-S", str(agent)])
    process = lantern.start("play", "--restore", "--agent", command, "--steps", "40", "--session", "s1")
    process.wait_for_step(9)
    [child] = [
        each for each in psutil.process_iter(["cmdline"]) if str(agent) in (each.info["cmdline"] or [])
    ]
    for left in lantern.processes():
        left.kill()
    process.wait()
    psutil.wait_procs([child], timeout=10)

    unnamed, other = lantern.run("resume", "s1"), lantern.run("resume", "s1", "--agent", "true")
    counts = lantern.resume("s1", "--agent", command)
    verified = lantern.run("sessions", "verify", "s1")
    replayed, forked = lantern.run("replay", "s1", "all"), lantern.run("fork", "s1", "--at", "3")

    assert not child.is_running()
    assert (unnamed.returncode, f"--agent {shlex.quote(command)}" in unnamed.stderr) == (2, True)
    assert (other.returncode, "is played by the agent" in other.stderr) == (2, True)
    assert (counts["steps"], counts["degraded"], counts["handicaps"][-1]) == (40, {}, "restore")
    assert [line.removeprefix("> ") for line in lantern.actions("s1")][:16] == [*WAY, *WAY]
    assert verified.returncode == 0, verified.stderr
    assert (forked.returncode, "Give the fork a --policy" in forked.stderr) == (2, True)
    assert (replayed.returncode, "An agent from outside decided" in replayed.stderr) == (2, True)


def test_ctrl_c_ends_a_session_whose_agent_thinks(lantern: Lantern, tmp_path: Path) -> None:
    agent = tmp_path / "agent.py"
    agent.write_text(
        f"{READ}\nfor n, _ in enumerate(texts()):\n    time.sleep(600 * n)\n    print('look', flush=True)"
    )
    process = lantern.start("play", "--agent", shlex.join([sys.executable, "-S", str(agent)]))
    process.wait_for_step(1)
    process.process.send_signal(signal.SIGINT)
    done = process.wait(timeout=30)

    assert (done.returncode, "ended: stopped" in done.stdout) == (130, True)
    assert done.stderr == "lantern: stopping after the step under way\n"
    assert [
        each for each in psutil.process_iter(["cmdline"]) if str(agent) in (each.info["cmdline"] or [])
    ] == []


def test_a_failed_agent_is_told_in_one_line_with_exit_code_1(lantern: Lantern) -> None:
    done = lantern.run("play", "--agent", "true", "--steps", "3")

    assert done.returncode == 1
    assert (
        "ended: failed (The agent true failed at step 0: it ended with exit code 0. Correct it" in done.stdout
    )
    assert "Traceback" not in done.stdout + done.stderr


def test_an_evaluation_plays_agents_from_outside_and_goes_on_when_one_fails(
    lantern: Lantern, tmp_path: Path
) -> None:
    out, chosen = str(tmp_path / "out"), "examples/my_choice.py:MyChoice"
    common = ("evaluate", "--seeds", "1", "--steps", "3", "--jobs", "1", "--out", out)
    done = lantern.run(*common, "--agent", chosen, "--agent", "true")
    refused = lantern.run(*common, "--agent", "examples/my_choice.py:Mine")
    plays = [json.loads(line) for line in (tmp_path / "out" / "results.jsonl").read_text().splitlines()]
    states = {play["agent"]: (play["state"], play["failure"]) for play in plays}

    assert done.returncode == 1
    assert states[chosen] == ("finished", "")
    assert states["true"][0] == "failed"
    assert "The agent true failed at step 0: it ended with exit code 0" in states["true"][1]
    assert (refused.returncode, "MyChoice" in refused.stderr) == (2, True)
