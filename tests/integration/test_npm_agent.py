"""A sub-agent in JavaScript, with the package `nats` of npm."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from test_foreign_agents import until
from test_resume import in_the_store

from mesh.record.bus import Bus
from schemas.actor import ActionProposed
from schemas.base import Kind
from tests.support.processes.command import ROOT, Lantern

EXAMPLE = ROOT / "examples" / "npm_agent"


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    """The example with its packages; skipped where they cannot be had."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("node and npm are not installed")
    folder = tmp_path / "agent"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("node_modules"))
    npm = ("npm", "ci", "--no-audit", "--no-fund", "--fetch-retries", "0", "--ignore-scripts")
    installed = subprocess.run(npm, cwd=folder, capture_output=True, text=True, timeout=60)
    if installed.returncode:
        assert re.search(r"EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ETIMEDOUT|network", installed.stderr), installed
        pytest.skip(f"the registry of npm cannot be reached: {installed.stderr.splitlines()[-1:]}")
    return folder


def test_the_example_is_short_and_names_no_registry() -> None:
    lines = (EXAMPLE / "agent.js").read_text().splitlines()

    assert len(lines) <= 60
    assert "resolved" not in (EXAMPLE / "package-lock.json").read_text()


def test_the_example_takes_part_in_a_session_that_is_being_played(lantern: Lantern, agent: Path) -> None:
    playing = lantern.start("play", "--steps", "100000", "--session", "s1", "--no-valid-actions")
    playing.wait_for_step(1)
    env = {"PATH": os.environ["PATH"], "NATS_URL": lantern.run("nats-url").stdout.strip()}
    with subprocess.Popen(["node", "agent.js"], cwd=agent, env=env) as foreign:
        until(lambda: in_the_store(lantern, the_parrot_was_used))
        foreign.send_signal(signal.SIGINT)
        assert foreign.wait(10) == 0
    status = lantern.run("status", "--json").stdout
    playing.process.send_signal(signal.SIGINT)
    playing.wait()
    shown = lantern.run("sessions", "transcript", "s1").stdout

    assert "The longest word is" in shown and "listen" in shown
    assert lantern.run("dead-letters", "list").stdout == ""
    assert '"name": "game"' in status


async def the_parrot_was_used(bus: Bus) -> bool:
    step = await bus.reader.last_step("s1")
    held = await bus.reader.read_at("s1", Kind.PROPOSAL, step.step - 1) if step else None
    proposal = held.body if held else None
    return isinstance(proposal, ActionProposed) and "parrot" in {used.service for used in proposal.fragments}
