"""Starts the sessions' emulators, and replays records in them."""

from __future__ import annotations

from contextlib import AsyncExitStack

import structlog

from mesh.errors import FailureError
from mesh.record import snapshots, stories
from mesh.record.bus import Bus
from schemas.game import SessionStarted, StepTaken
from services.game.checked_story import check_story
from services.game.emulator.client import Emulator
from services.game.emulator.pool import ChildPool
from services.game.emulator.protocol import SnapshotRefused
from services.game.metrics import REPLACED, SEARCH
from services.game.session.game_session import GameSession
from services.game.session.replayed_step import RecordDiffers
from services.game.session.session_snapshot import SessionSnapshot, packed, unpacked
from services.game.settings import GameSettings
from services.game.valid_actions.searcher import SearchLimits, ValidActionSearcher
from zmachine.story_file import StoryFile

log = structlog.get_logger()


class Emulators:
    """Starts emulators, and brings them to a recorded step."""

    def __init__(self, bus: Bus, limits: GameSettings, pool: ChildPool) -> None:
        self.bus, self.limits, self._pool = bus, limits, pool

    async def start(self, story: StoryFile, seed: int) -> Emulator:
        """A new emulator at the story's beginning."""
        return await Emulator.start(
            story,
            seed,
            patience=self.limits.watchdog,
            snapshot_every=self.limits.snapshot_every,
            pool=self._pool,
            replaced=self.bus.telemetry.meter.of(REPLACED).inc,
        )

    async def searcher(self, story: StoryFile, started: SessionStarted) -> ValidActionSearcher | None:
        """The session's searcher for valid actions; None: the session does not ask for them."""
        if not started.valid_actions or started.text_only:
            return None
        limits = SearchLimits(self.limits.search_candidates, self.limits.search_seconds)
        searched = self.bus.telemetry.meter.of(SEARCH).observe
        return ValidActionSearcher(await self.start(story, started.seed), limits, searched)

    async def story(self, md5: str, session: str) -> StoryFile:
        """The story of this MD5, which a session needs, from the story store.

        Raises:
            LanternError: the store has no such file, or the file is not a story.
        """
        return check_story(await stories.get(self.bus.cell, md5, session), md5)

    async def bring_to(self, game: GameSession, at: int) -> None:
        """Bring the session's emulator to a recorded step.

        Raises:
            RecordDiffers: the record cannot be replayed up to there.
        """
        if game.emulator is not None and game.last is not None and game.last.step == at:
            return
        await game.close()
        story = await self.story(game.started.story_md5, game.session)
        emulator = await self.start(story, game.started.seed)
        async with AsyncExitStack() as failed:
            failed.push_async_callback(game.close)
            failed.push_async_callback(emulator.close)
            await self._rebuild(game, emulator, at)
            if (searcher := await self.searcher(story, game.started)) is not None:
                await game.attach_searcher(searcher)
            failed.pop_all()

    async def _rebuild(self, game: GameSession, emulator: Emulator, at: int) -> None:
        """Replay from the newest snapshot, or from the opening if no snapshot fits the record.

        A session that allows `restore` can go back to any step, so that all of them are replayed.
        """
        try:
            stored = None if game.started.restore else await self._stored_snapshot(game.session, at)
            if stored is not None:
                await game.rebuild(emulator, stored, await self._steps(game, stored.step, at))
                log.info("session_rebuilt", session=game.session, snapshot=stored.step, step=at)
                return
        except (SnapshotRefused, RecordDiffers) as error:
            log.warning("snapshot_refused", session=game.session, step=at, why=str(error))
        await game.rebuild(emulator, None, await self._steps(game, 0, at))
        log.info("session_rebuilt", session=game.session, snapshot=None, step=at)

    async def _steps(self, game: GameSession, first: int, last: int) -> list[StepTaken]:
        steps = [step async for step in self.bus.reader.steps(game.session, first, last)]
        if len(steps) <= last - first:
            raise RecordDiffers(first + len(steps), "message")
        return steps

    async def _stored_snapshot(self, session: str, at: int) -> SessionSnapshot | None:
        stored = await snapshots.newest(self.bus.cell, session)
        if stored is None or stored.step > at:
            return None
        return unpacked(stored.data)

    async def store_snapshot(self, game: GameSession) -> None:
        """Store a snapshot of the last step, if the emulator has taken one."""
        stored = game.to_snapshot()
        if stored is None:
            return
        try:
            await snapshots.put(self.bus.cell, game.session, stored.step, packed(stored))
        except FailureError as error:
            log.warning("snapshot_not_kept", error=str(error))
