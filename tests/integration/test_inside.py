"""Metrics and health over HTTP: what is counted, what ails a service, and who answers when it is stuck."""

from __future__ import annotations

import asyncio
import json
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest
from prometheus_client.parser import text_string_to_metric_families
from structlog.testing import capture_logs
from test_runner import Counter, Faulty, publish

from games import BUNDLED
from lantern.nats.connection import connection
from lantern.play.compose import running
from mesh.observability import http
from mesh.runner.service import Service, Session
from mesh.settings import MeshSettings
from schemas.base import Message
from schemas.envelope import Envelope
from schemas.mesh import ServiceState
from services.actor.service import ActorService
from services.actor.settings import ActorSettings
from services.game.checked_story import check_story
from services.game.emulator.client import Emulator
from services.game.service import GameService
from services.game.settings import GameSettings
from tests.support.processes.command import Lantern, Running
from tests.support.servers.nats_server import nats_server

REFUSING = """
authorization {
  users = [
    {user: all, password: all}
    {user: less, password: less, permissions: {publish: {deny: "forbidden.>"}}}
  ]
}
"""


def page(url: str) -> tuple[int, str]:
    """A page of a service, and its status code."""
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def health(url: str) -> tuple[int, dict[str, Any]]:
    code, text = page(f"{url}/healthz")
    told: dict[str, Any] = json.loads(text)
    return code, told


def problems(url: str) -> list[str]:
    """What is wrong, by 503; nothing, by 200."""
    code, told = health(url)
    found: list[str] = told["problems"]
    assert (code, told["healthy"]) == ((503, False) if found else (200, True))
    return found


async def until_told(url: str, words: str) -> None:
    """Wait until an ailment is told in those words."""
    async with asyncio.timeout(60):
        while not any(words in ailment for ailment in await asyncio.to_thread(problems, url)):
            await asyncio.sleep(0.05)


async def until_well(url: str) -> None:
    async with asyncio.timeout(60):
        while await asyncio.to_thread(problems, url):
            await asyncio.sleep(0.05)


def until_counted(url: str, expected: dict[tuple[str, str, str], float], cell: str = "main") -> str:
    """The page of metrics, as soon as all values of a cell are the expected ones."""
    deadline = time.monotonic() + 30
    while True:
        text = page(f"{url}/metrics")[1]
        counted = values(text, cell)
        if (found := {key: counted.get(key) for key in expected}) == expected:
            return text
        assert time.monotonic() < deadline, found
        time.sleep(0.05)


def values(text: str, cell: str = "main") -> dict[tuple[str, str, str], float]:
    """Each value of a cell by its name, service and kind (or what else tells it from its like).

    The page of a process in which many tests have run has tens of thousands of lines of other cells.
    """
    found = {}
    lines = (line for line in text.splitlines(keepends=True) if f'cell="{cell}"' in line)
    for family in text_string_to_metric_families("".join(lines)):
        for sample in family.samples:
            if sample.name.startswith("lantern_") and "le" not in sample.labels:
                more = [
                    of for name, of in sample.labels.items() if name not in ("service", "version", "cell")
                ]
                found[sample.name, sample.labels.get("service", ""), " ".join(more)] = sample.value
    return found


PATIENT = {"metrics_port": 0, "dead_after": 30.0}
"""A busy machine may keep an event loop for a while."""


async def observed(
    services: Iterable[Service[Any]],
    url: str,
    settings: MeshSettings,
    watch: Callable[[str, Any], Awaitable[None]],
    cell: str = "main",
    given: dict[str, Any] = PATIENT,
) -> list[Any]:
    """Run services with a port for metrics and health, and watch them there; what they logged."""
    with capture_logs() as logs:
        async with running(list(services), url, cell, settings.model_copy(update=given)) as runners:
            [address] = [line["metrics"] for line in logs if line["event"] == "metrics_served"]
            await watch(address.removesuffix("/metrics"), runners)
    return logs


def served_at(serving: Running) -> str:
    """Where a command serves its metrics, as soon as it says so."""
    deadline = time.monotonic() + 30
    while True:
        for line in serving.err.read_text().splitlines():
            if line.endswith("}") and json.loads(line)["event"] == "metrics_served":
                url: str = json.loads(line)["metrics"]
                return url.removesuffix("/metrics")
        assert time.monotonic() < deadline and serving.process.poll() is None, serving.err.read_text()
        time.sleep(0.02)


def test_a_served_mesh_counts_what_it_does_and_says_that_it_is_well(lantern: Lantern) -> None:
    serving = lantern.start("serve", "all", "--metrics-port", "0")
    url = served_at(serving)
    asyncio.run(until_well(url))

    lantern.play("--steps", "5", "--session", "counted")
    text = until_counted(
        url,
        {
            ("lantern_game_steps_total", "game", ""): 6,
            ("lantern_game_step_seconds_count", "game", ""): 6,
            ("lantern_messages_total", "hint", "step handled"): 6,
            ("lantern_handling_seconds_count", "critic", "proposal"): 5,
            ("lantern_publishes_total", "actor", "proposal stored"): 5,
            ("lantern_publish_seconds_count", "game", "step"): 6,
            ("lantern_actor_waited_seconds_count", "actor", ""): 5,
            ("lantern_sessions_held", "game", ""): 0,
            ("lantern_messages_in_hand", "memory", ""): 0,
        },
    )
    told = health(url)[1]
    serving.process.terminate()

    assert serving.wait(30).returncode == 0
    assert [service["state"] for service in told["services"]] == ["ready"] * 7
    assert values(text)["lantern_game_search_seconds_count", "game", ""] >= 1
    assert "process_resident_memory_bytes" in text
    assert "counted" not in text, "no label may name a session"


async def test_faults_redeliveries_dead_letters_and_catching_up_are_counted(
    nats_url: str, cell: str, settings: MeshSettings
) -> None:
    async def watch(url: str, runners: Any) -> None:
        async with connection(nats_url, cell) as bus:
            await publish(bus, "s", [0, 1, 2])
            expected = {
                ("lantern_messages_total", "faulty", "step failed"): 3.0,
                ("lantern_redeliveries_total", "faulty", "step"): 2,
                ("lantern_dead_letters_total", "faulty", ""): 1,
                ("lantern_catch_up_steps_total", "counter", ""): 0,
                ("lantern_sessions_held", "counter", ""): 1,
                ("lantern_publishes_total", "counter", "fragment stored"): 3,
            }
            text = await asyncio.to_thread(until_counted, url, expected, cell)
        assert values(text, cell)["lantern_catch_up_steps_total", "faulty", ""] >= 1

    await observed((Counter(), Faulty(failures={1: 9})), nats_url, settings, watch, cell)


class Mute(Counter):
    """Is waited for in vain."""

    name = "mute"

    async def answer(self, session: Session[Any], envelope: Envelope) -> Sequence[Message]:
        return ()


async def test_the_actor_counts_whose_deadlines_are_missed_and_the_game_who_judged_instead(
    nats_url: str, cell: str, settings: MeshSettings
) -> None:
    actor = ActorService(ActorSettings(deadline=0.05))
    game = GameService(GameSettings(verdict_deadline=0.05, spares=0))

    async def watch(url: str, runners: Any) -> None:
        async with connection(nats_url, cell) as bus:
            await publish(bus, "s", [0])
            expected = {
                ("lantern_actor_deadlines_missed_total", "actor", "mute"): 1.0,
                ("lantern_actor_degraded_steps_total", "actor", ""): 1,
                ("lantern_game_degraded_verdicts_total", "game", ""): 1,
            }
            await asyncio.to_thread(until_counted, url, expected, cell)

    await observed((Mute(), actor, game), nats_url, settings, watch, cell)


async def test_an_emulator_that_is_replaced_is_told() -> None:
    replaced: list[bool] = []
    story = check_story(BUNDLED.read_bytes(), BUNDLED.name)
    async with await Emulator.start(story, 1, replaced=lambda: replaced.append(True)) as emulator:
        await emulator.opening()
        assert replaced == []
        for child in psutil.Process().children(recursive=True):
            if "emulator.interpreter.worker" in " ".join(child.cmdline()):
                child.kill()
        await emulator.play("look")
        assert replaced == [True]


async def test_a_stuck_event_loop_is_told_by_who_is_not_stuck(
    nats_url: str, cell: str, settings: MeshSettings
) -> None:
    async def watch(url: str, runners: Any) -> None:
        await until_well(url)

        deadline = time.monotonic() + 30  # nothing is awaited from here on: this is what keeps the loop
        while not (found := problems(url)) and time.monotonic() < deadline:
            time.sleep(0.05)  # noqa: ASYNC251

        assert [ailment for ailment in found if "event loop has been stuck" in ailment] == found != []
        await until_well(url)

    await observed((Counter(),), nats_url, settings, watch, cell, {"metrics_port": 0})


async def test_a_server_that_hangs_or_is_gone_is_told_until_it_is_back(
    tmp_path: Path, settings: MeshSettings
) -> None:
    with nats_server(tmp_path) as server:

        async def watch(url: str, runners: Any) -> None:
            server.halt()
            await until_told(url, "its consumer has been silent")
            server.go_on()
            await until_well(url)
            server.kill()
            await until_told(url, "it is not connected to NATS")
            server.start()
            await until_well(url)

        await observed((Counter(),), server.url, settings, watch)


async def test_what_nats_refuses_is_told_at_once_and_stays_told(
    tmp_path: Path, settings: MeshSettings
) -> None:
    with nats_server(tmp_path, REFUSING) as server:

        async def watch(url: str, runners: Any) -> None:
            await runners[0].bus.cell.nc.publish("forbidden.subject", b"")
            await until_told(url, "NATS refuses it: ")
            [(_, refused)] = runners[0].bus.cell.events.refusals
            alive = runners[0].presence.alive()

            assert "forbidden.subject" in refused
            assert (alive.healthy, alive.problems) == (False, (f"NATS refuses it: {refused}",))

        logs = await observed((Counter(),), server.url.replace("//", "//less:less@"), settings, watch)
        [told] = [line["refused"] for line in logs if line["event"] == "bus_refused"]
        assert told == "publish forbidden.subject"


async def test_a_service_that_is_not_ready_yet_is_not_healthy(
    nats_url: str, cell: str, settings: MeshSettings
) -> None:
    async def watch(url: str, runners: Any) -> None:
        [runner] = runners
        runner.presence.state = ServiceState.WARMING
        assert await asyncio.to_thread(problems, url) == ["counter: it takes no messages yet"]
        runner.presence.state = ServiceState.READY
        assert await asyncio.to_thread(page, f"{url}/other") == (404, "See /metrics and /healthz.\n")

    await observed((Counter(),), nats_url, settings, watch, cell)


def test_a_client_that_sends_no_request_is_let_go_without_a_traceback(
    settings: MeshSettings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(http._Handler, "timeout", 0.05)
    with http.serve_pages(settings.model_copy(update={"metrics_port": 0})) as pages:
        host, port = pages.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=10) as silent:
            assert silent.recv(1) == b""  # it hangs up
    while "page_not_served" not in (told := "".join(capsys.readouterr())):
        time.sleep(0.01)

    assert "Traceback" not in told


def test_a_port_that_is_taken_is_one_line_and_nothing_stays(lantern: Lantern) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = lantern.run("serve", "hint", "--metrics-port", str(port))

    assert done.returncode == 2
    [line] = [line for line in done.stderr.splitlines() if line.startswith("lantern: ")]
    assert f"127.0.0.1:{port}" in line and "--metrics-port" in line
    assert "Traceback" not in done.stderr
    lantern.wait_until_gone()
