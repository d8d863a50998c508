"""The emulators of the sessions: new ones, and such as stand at a recorded step."""

from __future__ import annotations

from contextlib import AsyncExitStack

import structlog

from mesh.errors import FailureError
from mesh.record import snapshots, stories
from mesh.record.bus import Bus
from mesh.record.steps import steps_from
from schemas.game import SessionStarted, StepTaken
from services.game.emulator.client import Emulator
from services.game.emulator.pool import Pool
from services.game.emulator.protocol import SnapshotRefused
from services.game.metrics import REPLACED, SEARCH
from services.game.session.kept import Kept, packed, unpacked
from services.game.session.playing import Playing, RecordDiffers
from services.game.settings import GameSettings
from services.game.story.zmachine import Story, check_story
from services.game.valid_actions.scout import Limits, Scout

log = structlog.get_logger()


class Emulators:
    """Starts emulators, and brings them from the record to where a session is."""

    def __init__(self, bus: Bus, limits: GameSettings, pool: Pool) -> None:
        self.bus, self.limits, self._pool = bus, limits, pool

    async def start(self, story: Story, seed: int) -> Emulator:
        """A new emulator at the story's beginning."""
        return await Emulator.start(
            story,
            seed,
            patience=self.limits.watchdog,
            snapshot_every=self.limits.snapshot_every,
            pool=self._pool,
            replaced=self.bus.telemetry.meter.of(REPLACED).inc,
        )

    async def scout(self, story: Story, started: SessionStarted) -> Scout | None:
        """Who looks for valid actions; None: the session is not told any."""
        if not started.valid_actions or started.text_only:
            return None
        limits = Limits(self.limits.search_candidates, self.limits.search_seconds)
        searched = self.bus.telemetry.meter.of(SEARCH).observe
        return Scout(await self.start(story, started.seed), limits, searched)

    async def story(self, md5: str) -> Story:
        """The story of this MD5, from the story store.

        Raises:
            LanternError: it is not there, or is no story.
        """
        return check_story(await stories.get(self.bus, md5), md5)

    async def bring(self, playing: Playing, at: int) -> None:
        """Have the session's emulator stand at a recorded step.

        Raises:
            RecordDiffers: the record does not lead there.
        """
        if playing.emulator is not None and playing.last is not None and playing.last.step == at:
            return
        await playing.close()
        story = await self.story(playing.started.story_md5)
        emulator = await self.start(story, playing.started.seed)
        async with AsyncExitStack() as failed:
            failed.push_async_callback(playing.close)
            failed.push_async_callback(emulator.close)
            await self._rebuild(playing, emulator, at)
            if (scout := await self.scout(story, playing.started)) is not None:
                await playing.be_scouted(scout)
            failed.pop_all()

    async def _rebuild(self, playing: Playing, emulator: Emulator, at: int) -> None:
        """From the newest snapshot; where that is none, or does not fit the record, from the opening."""
        try:
            kept = await self._kept(playing.session, at)
            if kept is not None:
                await playing.rebuild(emulator, kept, await self._steps(playing, kept.step, at))
                log.info("session_rebuilt", session=playing.session, snapshot=kept.step, step=at)
                return
        except (SnapshotRefused, RecordDiffers) as error:
            log.warning("snapshot_refused", session=playing.session, step=at, why=str(error))
        await playing.rebuild(emulator, None, await self._steps(playing, 0, at))
        log.info("session_rebuilt", session=playing.session, snapshot=None, step=at)

    async def _steps(self, playing: Playing, first: int, last: int) -> list[StepTaken]:
        steps = [step async for step in steps_from(self.bus, playing.session, first, last)]
        if len(steps) <= last - first:
            raise RecordDiffers(first + len(steps), "message")
        return steps

    async def _kept(self, session: str, at: int) -> Kept | None:
        stored = await snapshots.newest(self.bus, session)
        if stored is None or stored.step > at:
            return None
        return unpacked(stored.data)

    async def keep(self, playing: Playing) -> None:
        """Keep a snapshot of the last step, if one is due."""
        kept = playing.kept()
        if kept is None:
            return
        try:
            await snapshots.put(self.bus, playing.session, kept.step, packed(kept))
        except FailureError as error:
            log.warning("snapshot_not_kept", error=str(error))
