"""The MCP server: tools, resources and prompts, each with the errors that a client can act upon."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Annotated, ParamSpec, TypeVar

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from mcp_types import ToolAnnotations
from pydantic import Field

from lantern.error_output import first_lantern_error
from lantern.mcp import playing, prompts
from lantern.mcp.answers import (
    ForkedSession,
    Found,
    MemoryContext,
    PlayedStep,
    RecordedSessions,
    ReplayedMoment,
    RoomState,
    WayThere,
)
from lantern.mcp.games import Games
from lantern.mcp.reading import RecordedGames
from mesh.errors import LanternError

P = ParamSpec("P")
R = TypeVar("R")

NAME_LENGTH = 200
"""The most characters of what a client names: a session, a room."""
QUESTION_LENGTH = 1_000

SessionId = Annotated[
    str | None,
    Field(max_length=NAME_LENGTH, description="A session's id; leave it out for the server's own game."),
]
AtStep = Annotated[int | None, Field(description="As it was after this step; leave it out for now.")]

READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
PLAYS = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)


def mcp_server(games: Games, version: str) -> MCPServer[None]:
    """The server of some games."""
    server: MCPServer[None] = MCPServer(
        "lantern", instructions=prompts.INSTRUCTIONS, version=version, log_level="ERROR"
    )
    read = RecordedGames(games)
    _add_playing(server, games)
    _add_memory(server, read)
    _add_records(server, games, read)
    _add_resources(server, read)
    for prompt in (prompts.play_well, prompts.explain_where_it_went_wrong):
        server.prompt()(prompt)
    return server


def _add_playing(server: MCPServer[None], games: Games) -> None:
    @server.tool(annotations=PLAYS)
    @_told_to(ToolError)
    async def play_action(
        action: Annotated[
            str,
            Field(description="One line as a player types it: `open mailbox`. Empty: only read the text."),
        ] = "",
        session: Annotated[
            str | None,
            Field(
                max_length=NAME_LENGTH,
                description="Which game: leave it out for the server's own; a new id begins another game of "
                "the server's story; a fork's id plays the fork.",
            ),
        ] = None,
    ) -> PlayedStep:
        """Play one action of the game. The result has the critic's opinion and the sub-agents' hints."""
        return await playing.play_action(games, action, session)


def _add_memory(server: MCPServer[None], read: RecordedGames) -> None:
    @server.tool(annotations=READS)
    @_told_to(ToolError)
    async def room_state(session: SessionId = None, at: AtStep = None) -> RoomState:
        """The room, its history, ALL_TRIED, valid actions, things, map, inventory, beliefs, revisits."""
        return await read.room_state(session, at)

    @server.tool(annotations=READS)
    @_told_to(ToolError)
    async def graph_memory_context(session: SessionId = None, at: AtStep = None) -> MemoryContext:
        """What the graph memory tells an actor: the room's state, and what is believed of the world."""
        return await read.memory_context(session, at)

    @server.tool(annotations=READS)
    @_told_to(ToolError)
    async def graph_memory_search(
        question: Annotated[str, Field(max_length=QUESTION_LENGTH, description="`where is the lamp`")],
        session: SessionId = None,
        at: AtStep = None,
    ) -> Found:
        """Ask the graph memory in words: where things are, what happened, what was tried, which exits."""
        return await read.search(question, session, at)

    @server.tool(annotations=READS)
    @_told_to(ToolError)
    async def route_to(
        room: Annotated[
            str | None,
            Field(max_length=NAME_LENGTH, description="Its name. None: the nearest direction not tried."),
        ] = None,
        session: SessionId = None,
    ) -> WayThere:
        """The actions that lead from here to a room, over exits that were walked."""
        return await read.route(room, session)


def _add_records(server: MCPServer[None], games: Games, read: RecordedGames) -> None:
    @server.tool(annotations=READS)
    @_told_to(ToolError)
    async def sessions() -> RecordedSessions:
        """List the recorded sessions, the newest first."""
        return await read.sessions()

    @server.tool(annotations=READS)
    @_told_to(ToolError)
    async def replay_step(
        step: Annotated[int, Field(description="0 is the opening.")], session: SessionId = None
    ) -> ReplayedMoment:
        """Everything that was said about one recorded step: the game, sub-agents, actor and critic."""
        return await read.moment(session, step)

    @server.tool(annotations=PLAYS)
    @_told_to(ToolError)
    async def fork(
        at: Annotated[int, Field(description="The last step that the fork has from it.")],
        session: SessionId = None,
    ) -> ForkedSession:
        """Copy a session up to a step into a new one, which `play_action` plays; the old one stays."""
        parent = session or games.own
        name = await games.fork(parent, at)
        return ForkedSession(session=name, parent=parent, at=at, next=f"play_action with session={name!r}")


def _add_resources(server: MCPServer[None], read: RecordedGames) -> None:
    @server.resource("lantern://sessions/{session}/transcript", mime_type="text/markdown")
    @_told_to(ResourceError)
    async def transcript(session: str) -> str:
        """A session as a text to read: the game, and what each agent said."""
        return await read.transcript(session)

    @server.resource("lantern://sessions/{session}/map", name="map", mime_type="image/svg+xml")
    @_told_to(ResourceError)
    async def world_map(session: str) -> str:
        """The map that the player has walked, as an SVG."""
        return await read.world_map(session)

    @server.resource("lantern://sessions/{session}/record", mime_type="application/jsonl")
    @_told_to(ResourceError)
    async def record(session: str) -> str:
        """Every message of a session, as `lantern sessions export` writes it."""
        return await read.record(session)


def _told_to(kind: type[Exception]) -> Callable[[Callable[P, Awaitable[R]]], Callable[P, Awaitable[R]]]:
    """Raise the errors of Lantern as the SDK's, whose text the client is shown."""

    def wrapping(work: Callable[P, Awaitable[R]]) -> Callable[P, Awaitable[R]]:
        @wraps(work)
        async def told(*given: P.args, **named: P.kwargs) -> R:
            try:
                return await work(*given, **named)
            except (LanternError, BaseExceptionGroup) as error:
                raise kind(str(first_lantern_error(error))) from error

        return told

    return wrapping
