"""The MCP server, asked by the SDK's own client."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

from lantern.mcp.games import MOST_GAMES, Games, ServerOptions
from lantern.mcp.server import mcp_server
from lantern.play.resume import resume
from lantern.play.session_options import ResumeOptions
from lantern.views.text_view import SilentView
from mesh.errors import FailureError, InputError
from mesh.record.bus import Bus
from mesh.settings import MeshSettings
from schemas.actor import ActionProposed
from schemas.base import ACTION_LENGTH, Kind
from schemas.critic import ActionJudged
from tests.support.processes.command import ROOT, Lantern, Running

TOOLS = {
    "play_action", "room_state", "graph_memory_context", "graph_memory_search",
    "sessions", "replay_step", "fork", "route_to",
}  # fmt: skip
OPTIONS = ServerOptions(
    story="bundled",
    session="g1",
    resume=False,
    cell="main",
    steps=None,
    seed=1,
    text_only=False,
    valid_actions=None,
    critic=False,
)

Serving = Callable[..., AbstractAsyncContextManager["Player"]]


class Player:
    """A client that calls tools."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        told: dict[str, Any] = result.structured_content or {}
        return told

    async def refused(self, tool: str, **arguments: object) -> str:
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error, result.structured_content
        return str(result.content[0].text)  # type: ignore[union-attr]

    async def read(self, uri: str) -> str:
        [content] = (await self.client.read_resource(uri)).contents
        return str(content.text)  # type: ignore[union-attr]


@pytest.fixture
def serving(bus: Bus, settings: MeshSettings, nats_url: str) -> Serving:
    """A client and a server in this process, with options of the test's own."""

    @asynccontextmanager
    async def serving(**changes: Any) -> AsyncIterator[Player]:
        fields = {field: getattr(OPTIONS, field) for field in ServerOptions.__dataclass_fields__}
        options = ServerOptions(**{**fields, "cell": bus.cell.name, **changes})
        there = settings.model_copy(update={"nats_url": nats_url})
        async with Games(bus, options, there) as games:
            await games.check()
            async with Client(mcp_server(games, "0")) as client:
                yield Player(client)

    return serving


def over_stdio(lantern: Lantern, *arguments: str) -> Client:
    env = {**lantern.env, "PYTHONPATH": "."}
    return Client(
        StdioServerParameters(command=sys.executable, args=["-m", "lantern.cli", "mcp", *arguments], env=env)
    )


@asynccontextmanager
async def over_http(lantern: Lantern, *arguments: str) -> AsyncIterator[str]:
    """The address of a server that is stopped with the block."""
    running = lantern.start("mcp", "--http", "0", *arguments)
    try:
        yield await address_of(running)
    finally:
        running.process.send_signal(signal.SIGTERM)
        assert running.wait().returncode == 0


async def address_of(running: Running) -> str:
    """What the server prints when it listens."""
    while not (printed := running.err.read_text()).endswith("\n"):
        assert running.process.poll() is None, printed
        await asyncio.sleep(0.05)
    return printed.split()[-1]


async def test_a_client_plays_over_standard_input_and_output(lantern: Lantern) -> None:
    async with over_stdio(lantern, "--session", "g1", "--story", "bundled") as client:
        player = Player(client)
        assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS
        played = await player.call("play_action", action="north")
        room = await player.call("room_state")

    assert "shingle" in played["observation"] and "Kelder Light" in played["opening"]
    assert (played["step"], played["room"]["name"], played["critic"]["score"]) == (1, "Shingle Beach", 1.0)
    assert [hint["service"] for hint in played["hints"] if hint["suggestions"]] == ["hint"]
    assert (room["room"]["name"], room["ALL_TRIED"], room["STATE_REVISIT_COUNT"]) == ("Shingle Beach", {}, 0)
    [listed] = lantern.sessions()
    assert (listed["policy"], listed["steps"], listed["state"]) == ("outside", 1, "stopped")
    assert lantern.run("sessions", "verify", "g1").returncode == 0


async def test_two_clients_play_at_once_over_http(lantern: Lantern) -> None:
    async with over_http(lantern) as url, Client(url) as one, Client(url, mode="legacy") as two:
        ann, ben = Player(one), Player(two)
        await ann.call("play_action", action="north", session="ann")
        await ben.call("play_action", action="look", session="ben")
        together = await ben.call("play_action", action="south", session="ann")
        rooms = [(await ben.call("room_state", session=name))["room"]["name"] for name in ("ann", "ben")]
        states = {each["session"]: each["playable"] for each in (await ann.call("sessions"))["sessions"]}

    assert (together["step"], together["room"]["name"]) == (2, "Jetty")
    assert rooms == ["Jetty", "Jetty"]
    assert states == {"ann": True, "ben": True}


async def test_the_game_of_a_client_that_dies_is_resumed(lantern: Lantern) -> None:
    script = f"""
import asyncio, time
from mcp import Client
from mcp.client.stdio import StdioServerParameters

async def main():
    server = StdioServerParameters(command={sys.executable!r}, args=["-m", "lantern.cli", "mcp",
        "--story", "bundled", "--session", "g1"], env={ {**lantern.env, "PYTHONPATH": "."}!r})
    async with Client(server) as client:
        for action in ("north", "east"):
            await client.call_tool("play_action", {{"action": action}})
        print("played", flush=True)
        await asyncio.sleep(600)

asyncio.run(main())
"""
    with subprocess.Popen(  # noqa: ASYNC220 (it is told from in here)
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True
    ) as dying:
        assert dying.stdout is not None
        assert dying.stdout.readline() == "played\n"
        dying.kill()
    lantern.wait_until_gone()
    async with over_stdio(lantern, "--session", "g1") as client:
        refusal = await Player(client).refused("play_action", action="look")
    async with over_stdio(lantern, "--session", "g1", "--resume") as client:
        seen = await Player(client).call("play_action")
        played = await Player(client).call("play_action", action="west")

    assert "`lantern mcp --session g1 --resume`" in refusal
    assert (seen["step"], seen["action"]) == (2, "east")
    assert (played["step"], played["room"]["name"]) == (3, "Shingle Beach")
    assert lantern.actions("g1") == ["> north", "> east", "> west"]


async def test_a_server_that_is_killed_has_lost_nothing(lantern: Lantern) -> None:
    running = lantern.start("mcp", "--http", "0", "--session", "g1", "--story", "bundled")
    async with Client(await address_of(running)) as client:
        await Player(client).call("play_action", action="north")
        running.process.kill()
        running.process.wait()
    lantern.wait_until_gone()
    async with over_stdio(lantern, "--session", "g1", "--resume") as client:
        played = await Player(client).call("play_action", action="south")

    assert (played["step"], played["room"]["name"]) == (2, "Jetty")


async def test_the_critic_tells_its_opinion_and_substitutes_only_if_asked_to(
    serving: Serving, bus: Bus
) -> None:
    async with serving(session="told") as player:
        told = [await player.call("play_action", action="jump") for _ in range(3)]
    async with serving(session="asked", critic=True) as player:
        asked = [await player.call("play_action", action="jump") for _ in range(3)]
    verdict = await bus.reader.read_at("asked", Kind.VERDICT, 2)
    proposal = await bus.reader.read_at("asked", Kind.PROPOSAL, 2)

    assert [(step["action"], step["substituted"]) for step in told] == [("jump", False)] * 3
    assert [step["critic"]["score"] for step in told] == [0.0, -0.5, -1.0]
    assert told[2]["critic"]["instead"] == asked[2]["action"] != "jump"
    assert asked[2]["substituted"]
    assert verdict and isinstance(verdict.body, ActionJudged) and verdict.body.by == "critic"
    assert proposal and isinstance(proposal.body, ActionProposed)
    assert (proposal.body.action, proposal.body.policy) == ("jump", "outside")


async def test_what_was_played_can_be_asked_about_replayed_and_forked(serving: Serving) -> None:
    async with serving() as player:
        _, east, _ = [await player.call("play_action", action=action) for action in ("north", "east", "west")]
        where = await player.call("graph_memory_search", question="where am I")
        context = await player.call("graph_memory_context", at=2)
        way = await player.call("route_to", room=east["room"]["name"])
        unexplored = await player.call("route_to")
        moment = await player.call("replay_step", step=2)
        fork = await player.call("fork", at=1)
        forked = await player.call("play_action", action="south", session=fork["session"])
        mine = await player.call("play_action")
        transcript, drawn, record = [
            await player.read(f"lantern://sessions/g1/{name}") for name in ("transcript", "map", "record")
        ]
        prompts = (await player.client.list_prompts()).prompts
        prompt = await player.client.get_prompt("explain_where_it_went_wrong", {"session": "g1"})

    assert (where["known"], where["steps"]) == (True, [3]) and "Shingle Beach" in where["answer"]
    assert context["step"] == 2 and set(context["sections"]) == {"room_state", "belief"}
    assert (way["known"], way["actions"]) == (True, ["east"])
    assert unexplored["unexplored"]
    assert {"game", "memory", "actor"} <= {each["who"] for each in moment["said"]}
    assert (forked["step"], forked["room"]["name"]) == (2, "Jetty")
    assert (mine["step"], mine["room"]["name"]) == (3, "Shingle Beach")
    assert transcript.startswith("# g1") and drawn.startswith("<svg")
    assert json.loads(record.splitlines()[0])["session"] == "g1"
    assert {each.name for each in prompts} == {"play_well", "explain_where_it_went_wrong"}
    assert "lantern://sessions/g1/transcript" in str(prompt.messages[0].content)


HOSTILE: tuple[tuple[str, dict[str, object], str], ...] = (
    ("play_action", {"action": " \t "}, "Give one line"),
    ("play_action", {"action": "look\nquit"}, "Give one line"),
    ("play_action", {"action": "x" * (ACTION_LENGTH + 1)}, "Give one line"),
    ("play_action", {"action": "take\0lamp"}, "Give one line"),
    ("play_action", {"action": ["look"]}, "valid string"),
    ("play_action", {"action": "look", "session": "../../etc/passwd"}, "use 1 to 64 letters"),
    ("play_action", {"action": "look", "session": "*.>"}, "use 1 to 64 letters"),
    ("play_action", {"action": "look", "session": "x" * 100_000}, "at most 200"),
    ("room_state", {"session": "none"}, "lantern sessions list"),
    ("room_state", {"at": -1}, "Name one of them"),
    ("room_state", {"at": 10**30}, "Name one of them"),
    ("graph_memory_context", {"at": "now"}, "valid integer"),
    ("graph_memory_search", {}, "Field required"),
    ("graph_memory_search", {"question": "?" * 2_000}, "at most 1000"),
    ("route_to", {"room": "y" * 300}, "at most 200"),
    ("replay_step", {"step": 5}, "Name one of them"),
    ("fork", {"at": 7}, "has steps 0 to 0"),
    ("fork", {"at": 0, "session": "none"}, "lantern sessions list"),
    ("undo", {}, "Unknown tool"),
)


async def test_hostile_arguments_are_refused_with_the_mend(serving: Serving) -> None:
    async with serving() as player:
        await player.call("play_action")
        for tool, arguments, mend in HOSTILE:
            assert mend in await player.refused(tool, **arguments), (tool, arguments)
        assert (await player.call("play_action", action="look"))["step"] == 1


async def test_texts_that_are_no_commands_of_the_game_are_played_as_they_are(serving: Serving) -> None:
    async with serving() as player:
        for action in ("; DROP TABLE rooms", "\u202eевил", "say \\x1b[2J", "save", "{{7*7}}", "quit"):
            assert (await player.call("play_action", action=action))["action"] == action
        assert "Give `restart`" in await player.refused("play_action", action="look")
        assert (await player.call("play_action", action="restart"))["episode"] == 2


async def test_resources_of_no_session_are_errors(serving: Serving) -> None:
    async with serving() as player:
        for uri in ("lantern://sessions/none/map", "lantern://sessions/..%2F..%2Fetc/record"):
            with pytest.raises(MCPError):
                await player.read(uri)


async def test_a_session_ends_with_its_budget(serving: Serving) -> None:
    async with serving(steps=1) as player:
        last = await player.call("play_action", action="look")
        refusal = await player.refused("play_action", action="look")

    assert (last["ended"], last["steps_left"]) == ("budget", 0)
    assert "--resume --steps" in refusal


async def test_a_server_without_a_story_only_reads(serving: Serving) -> None:
    async with serving() as player:
        await player.call("play_action", action="north")
    async with serving(story=None) as player:
        assert (await player.call("room_state"))["step"] == 1
        assert "no story for a new one" in await player.refused("play_action", action="x", session="other")


async def test_a_server_plays_only_so_many_games(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lantern.mcp.games.MOST_GAMES", 1)
    async with serving() as player:
        await player.call("play_action")
        refusal = await player.refused("play_action", session="other")

    assert "g1" in refusal and MOST_GAMES > 1


async def test_a_game_that_could_not_begin_can_be_tried_again(
    serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def failing(*_: object, **__: object) -> None:
        raise FailureError("The server is away. Try again.")

    async with serving() as player:
        with monkeypatch.context() as meanwhile:
            meanwhile.setattr("lantern.play.interactive.played_session.play", failing)
            refusal = await player.refused("play_action", action="north")
        played = await player.call("play_action", action="north")

    assert "Try again." in refusal
    assert played["step"] == 1


async def test_a_clients_session_is_resumed_by_a_client_only(
    serving: Serving, settings: MeshSettings, nats_url: str, bus: Bus
) -> None:
    async with serving() as player:
        await player.call("play_action", action="north")
    there = settings.model_copy(update={"nats_url": nats_url})
    with pytest.raises(InputError, match="lantern mcp --session g1 --resume"):
        await resume(ResumeOptions("g1", bus.cell.name), there, SilentView())


def test_without_its_packages_the_command_names_the_extra(lantern: Lantern) -> None:
    script = "import sys; sys.modules['mcp'] = None; from lantern.cli import run; sys.exit(run(['mcp']))"
    done = subprocess.run([sys.executable, "-c", script], env=lantern.env, capture_output=True, text=True)

    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "pip install 'lantern-mesh[mcp]'" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "mend"),
    [
        (["--session", "none"], "There is no session 'none'"),
        (["--story", "none.z5"], "none.z5"),
        (["--steps", "0"], "--steps"),
        (["--http", "70000"], "--http"),
    ],
)
def test_a_server_that_cannot_start_says_why_in_a_line(
    lantern: Lantern, arguments: list[str], mend: str
) -> None:
    done = lantern.run("mcp", *arguments)

    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert mend in done.stderr


PAGE = (ROOT / "docs" / "mcp.md").read_text()
PLACE = "/path/to/lantern/.venv/bin/lantern"


async def test_the_servers_that_the_page_configures_play(lantern: Lantern) -> None:
    [block] = re.findall(r"```json\n(.*?)```", PAGE, re.S)
    desktop = json.loads(block)["mcpServers"]["lantern"]
    code = re.findall(r"^claude mcp add lantern -- (.*)$", PAGE, re.M)[0].split()

    for command, *arguments in ([desktop["command"], *desktop["args"]], code):
        assert (command, arguments.pop(0)) == (PLACE, "mcp")
        async with over_stdio(lantern, *arguments) as client:
            assert (await Player(client).call("play_action", action="north"))["step"] == 1
    async with over_stdio(lantern, *desktop["args"][1:]) as client:
        assert (await Player(client).call("play_action"))["step"] == 1


def test_the_client_of_the_page_plays(lantern: Lantern) -> None:
    [program] = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    env = {**lantern.env, "PYTHONPATH": "."}
    there = f'command={sys.executable!r}, env={env!r}, args=["-m", "lantern.cli", '
    program = program.replace('command="lantern", args=[', there)
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)

    assert (done.returncode, done.stdout.count("critic: ")) == (0, 3), done.stderr
