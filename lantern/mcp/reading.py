"""Reads the record for the tools: worlds, moments, lists."""

from __future__ import annotations

from collections.abc import Iterable

from lantern.mcp.answers import (
    Found,
    MemoryContext,
    RecordedSession,
    RecordedSessions,
    ReplayedMoment,
    RoomOnMap,
    RoomState,
    TriedHere,
    Utterance,
    WayThere,
)
from lantern.mcp.games import Games
from lantern.nats.session_index import SessionIndex
from lantern.recorded.memory_answers import answered
from lantern.recorded.session_list import listed_sessions
from lantern.views.drawing.svg import drawn
from lantern.views.transcript import chapter_of, markdown
from mesh.errors import InputError, SessionUnknown
from mesh.nats.subjects import checked_session
from mesh.printable import printable
from mesh.record import archive
from mesh.record.bus import Bus
from mesh.record.following import walk
from schemas.game import StepTaken, Thing
from schemas.memory import AskMemory, AskNearestUnexplored, AskRoute, NamedRoom, RouteAnswer
from services.memory.graph.recorded_sessions import RecordedWorlds, world_from_record
from services.memory.logic import fragment
from services.memory.questions.answers import answer
from services.memory.sections.layout import nearest_rooms
from services.memory.timeline.snapshot import snapshot_at
from services.memory.timeline.world_model import WorldModel

MOST_LISTED = 100
"""Sessions in one answer; a client's context is bounded."""


class RecordedGames:
    """Answers questions about any session of the record, being played or over."""

    def __init__(self, games: Games) -> None:
        self._games = games
        self._worlds = RecordedWorlds()

    async def room_state(self, session: str | None, at: int | None) -> RoomState:
        """Where the player is, as everything that the record tells of it."""
        name, world = await self._world(session, at)
        beliefs, step = world.beliefs, world.beliefs.last
        assert step is not None
        here = beliefs.map.here
        _, belief = fragment(beliefs).sections
        return RoomState(
            session=name,
            step=step.step,
            room=NamedRoom(id=step.room.id, name=step.room.name) if step.room else None,
            score=step.score,
            history=tuple(_tried(world, here)),
            all_tried=dict(beliefs.attempts.in_room(here)),
            valid_actions=step.valid_actions.actions if step.valid_actions else None,
            things=_names(step.objects),
            inventory=_names(step.inventory),
            map=tuple(_on_map(world, room) for room in nearest_rooms(beliefs)),
            beliefs=belief.text,
            state_revisit_count=step.world_seen if step.world else None,
        )

    async def memory_context(self, session: str | None, at: int | None) -> MemoryContext:
        """What the memory tells an actor."""
        name, world = await self._world(session, at)
        sections = {each.name: each.text for each in fragment(world.beliefs, world.failures.text).sections}
        return MemoryContext(session=name, step=world.last_step, sections=sections)

    async def search(self, question: str, session: str | None, at: int | None) -> Found:
        """The memory's answer to a question in words."""
        bus, name = await self._found(session)
        told = await answered(bus, AskMemory(session=name, question=question, at=at))
        return Found(answer=told.answer, known=told.known, steps=told.steps, by_text=told.by_text)

    async def route(self, room: str | None, session: str | None) -> WayThere:
        """The actions that lead to a room; without one, to the nearest way that was not tried."""
        name, world = await self._world(session, None)
        asked = AskRoute(session=name, goal=room) if room else AskNearestUnexplored(session=name)
        told = answer(asked, world)
        assert isinstance(told, RouteAnswer)
        return WayThere(
            answer=told.answer,
            known=told.known,
            actions=told.actions,
            room=told.room,
            unexplored=told.unexplored,
        )

    async def sessions(self) -> RecordedSessions:
        """The newest sessions of all cells."""
        listed = await listed_sessions(self._games.bus, self._games.settings)
        newest = sorted(listed, key=lambda each: each.date, reverse=True)
        rows = [each.as_json() for each in newest[:MOST_LISTED]]
        return RecordedSessions(
            sessions=tuple(
                RecordedSession(
                    **{field: row[field] for field in SAME_FIELDS},
                    story=row["game"],
                    playable=self._games.plays(row["session"]),
                )
                for row in rows
            ),
            left_out=len(newest) - len(rows),
        )

    async def moment(self, session: str | None, step: int) -> ReplayedMoment:
        """Everything that is recorded about one step."""
        bus, name = await self._found(session)
        last = await bus.reader.last_step(name)
        if last is None or not 0 <= step <= last.step:
            raise _no_step(name, step, last)
        moments = [each async for each in walk(bus.reader, name, step, step)]
        chapter = chapter_of(moments[-1], models=False)
        said = tuple(Utterance(who=each.who, text=each.text) for each in chapter.passages)
        return ReplayedMoment(
            session=name, step=step, last_step=last.step, heading=chapter.heading, said=said
        )

    async def transcript(self, session: str) -> str:
        """The session as a text to read, in Markdown."""
        bus, name = await self._found(session)
        chapters = [chapter_of(each, models=False) async for each in walk(bus.reader, name)]
        return "\n".join(markdown(name, chapters))

    async def world_map(self, session: str) -> str:
        """The map of the session, as an SVG."""
        name, world = await self._world(session, None)
        graph = snapshot_at(world, world.last_step)
        return printable(drawn(graph, f"{name}, step {graph.step}"))

    async def record(self, session: str) -> str:
        """Every message of the session, one JSON object a line, as `lantern sessions export` writes it."""
        bus, name = await self._found(session)
        return "".join([f"{line}\n" async for line in archive.export(bus.cell, name)])

    async def _found(self, session: str | None) -> tuple[Bus, str]:
        """The session's name, and a bus in its cell."""
        name = self._games.own if session is None else checked_session(session)
        try:
            found = await SessionIndex(self._games.settings).find(self._games.bus, name)
        except SessionUnknown:
            if session is not None:
                raise
            raise InputError(
                "No game has begun here. Begin it by `play_action`, or name a session."
            ) from None
        return self._games.bus.in_cell(found.cell), name

    async def _world(self, session: str | None, at: int | None) -> tuple[str, WorldModel]:
        bus, name = await self._found(session)
        world = await self._worlds.world(bus, name)
        if world is None or world.beliefs.last is None:
            raise InputError(f"The session {name} has no step yet. Ask again after its opening.")
        if at is None:
            return name, world
        if not 0 <= at <= world.last_step:
            raise _no_step(name, at, world.beliefs.last)
        return name, await world_from_record(bus, name, at)


SAME_FIELDS = (
    "session", "policy", "steps", "score", "best_score", "max_score", "state", "date", "parent",
)  # fmt: skip


def _no_step(session: str, step: int, last: StepTaken | None) -> InputError:
    there = f"steps 0 to {last.step}" if last else "no step yet"
    return InputError(f"The session {session} has {there}, and no step {step}. Name one of them.")


def _tried(world: WorldModel, room: str) -> Iterable[TriedHere]:
    for attempt in reversed(world.beliefs.attempts.by_room.get(room, ())):
        yield TriedHere(
            step=attempt.step,
            action=attempt.action,
            reward=attempt.reward,
            score_before=attempt.score_before,
            score_after=attempt.score_after,
            gained=attempt.gained,
            lost=attempt.lost,
            result=attempt.result,
        )


def _on_map(world: WorldModel, room: str) -> RoomOnMap:
    beliefs = world.beliefs
    name = beliefs.rooms.name_of
    exits = beliefs.exits.of(room)
    return RoomOnMap(
        room=NamedRoom(id=room, name=name(room)),
        exits={action: name(end.removeprefix("room:")) for action, end in exits.items()},
        blocked=tuple(sorted(way for way in beliefs.map.blocked.get(room, ()) if way not in exits)),
        unexplored=tuple(way for way in beliefs.map.untried(room) if way not in exits),
    )


def _names(things: tuple[Thing, ...] | None) -> tuple[str, ...] | None:
    return None if things is None else tuple(thing.name for thing in things)
