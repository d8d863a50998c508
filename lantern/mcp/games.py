"""The sessions that the clients of one server play."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Self

from lantern.inspect.forking import ForkOptions, copy_in
from lantern.inspect.forking import default_session as fork_name
from lantern.nats.session_index import SessionIndex
from lantern.play.interactive.played_session import PlayedSession
from lantern.play.session_options import PlayOptions, ResumeOptions, default_session
from mesh.errors import InputError
from mesh.nats.subjects import checked_session
from mesh.record.bus import Bus
from mesh.settings import MeshSettings
from schemas.game import SessionStarted
from services.actor.policies import OUTSIDE

MOST_GAMES = 8
"""Games that one server plays at a time; each has an emulator and a memory of its own."""

CRITIC = "critic"


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """What the user wants the clients to play."""

    story: str | None
    session: str | None
    resume: bool
    cell: str
    steps: int | None
    seed: int
    text_only: bool
    valid_actions: bool | None
    critic: bool
    """Whether the critic may have another action played than the client's."""


class Games:
    """Starts and resumes sessions as clients ask for them; leaving the block ends those that still go on."""

    def __init__(self, bus: Bus, options: ServerOptions, settings: MeshSettings) -> None:
        self.bus, self.options, self.settings = bus, options, settings
        self.own = options.session or default_session(
            options.story or "bundled", f"{datetime.now(UTC).isoformat()}/{os.getpid()}"
        )
        """The session that is meant where none is named."""
        self._played: dict[str, PlayedSession] = {}
        self._forked: set[str] = set()
        self._opening = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await asyncio.gather(*(game.close() for game in self._played.values()))

    async def check(self) -> None:
        """Raises SessionUnknown where the session that is meant neither is recorded nor can begin."""
        if self.options.story is None:
            await SessionIndex(self.settings).find(self.bus, self.own)

    def plays(self, session: str) -> bool:
        """Whether a session takes actions here now."""
        return session in self._played and not self._played[session].is_over

    async def game(self, named: str | None) -> tuple[PlayedSession, bool]:
        """The session to act in, started or resumed if it is not played yet; and whether it begins just now.

        Raises:
            InputError: it cannot be played here.
        """
        session = self.own if named is None else checked_session(named)
        async with self._opening:
            if session in self._played and not self._played[session].has_failed:
                return self._played[session], False
            if sum(not each.is_over for each in self._played.values()) >= MOST_GAMES:
                there = ", ".join(filter(self.plays, self._played))
                raise InputError(
                    f"{MOST_GAMES} games are played here at once, and no more. Go on with one of {there}, "
                    "or start another server."
                )
            started = await self.bus.reader.started(session)
            game = self._resumed(session, started) if started else self._new(session)
            game.begin()
            self._played[session] = game
            return game, started is None

    async def fork(self, session: str, at: int) -> str:
        """A new session with the steps up to `at` of another, to be played by a client.

        Raises:
            InputError: there is no such session or step.
        """
        name = fork_name(session, at, f"{datetime.now(UTC).isoformat()}/{len(self._forked)}")
        fork = ForkOptions(session, at, name, self.options.cell, self.options.steps, OUTSIDE)
        await copy_in(self.bus, fork, self.settings)
        self._forked.add(name)
        return name

    def _new(self, session: str) -> PlayedSession:
        options = self.options
        if options.story is None:
            raise InputError(
                f"There is no session {session!r}, and this server has no story for a new one. Start it as "
                "`lantern mcp --story STORY`, or leave the session out."
            )
        return PlayedSession.new(
            PlayOptions(
                options.story, options.steps or STEPS, OUTSIDE, options.seed, session, options.cell,
                options.valid_actions, options.text_only, without=self._absent(()), by_client=True,
            ),
            self.settings,
        )  # fmt: skip

    def _resumed(self, session: str, started: SessionStarted) -> PlayedSession:
        if not self.options.resume and session not in self._forked:
            raise InputError(
                f"The session {session} is recorded, and not played here. Read it by the other tools, play a "
                f"fork of it, or start the server as `lantern mcp --session {session} --resume`."
            )
        steps = None if session in self._forked else self.options.steps
        return PlayedSession.resumed(
            ResumeOptions(
                session, self.options.cell, steps, by_client=True, without=self._absent(started.without)
            ),
            self.settings,
        )

    def _absent(self, without: tuple[str, ...]) -> tuple[str, ...]:
        others = tuple(name for name in without if name != CRITIC)
        return others if self.options.critic else (*others, CRITIC)


STEPS = 1000
"""The step budget of a session, if the user names none."""
