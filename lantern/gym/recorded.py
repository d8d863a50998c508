"""A game played through the mesh: each episode is a recorded session."""

from __future__ import annotations

import asyncio
import itertools
import os
import threading
from collections.abc import Coroutine
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import Any, TypeVar

from lantern.evaluation.plan import Regime
from lantern.gym.game import GameMoment
from lantern.play.interactive.played_session import ActionUnusable, ClientStep, PlayedSession
from lantern.play.session_options import PlayOptions, default_session, usual_absences
from mesh.errors import InputError
from mesh.log import log_to_file
from mesh.settings import MeshSettings
from schemas.game import StepTaken
from services.actor.policies import OUTSIDE

R = TypeVar("R")

_numbers = itertools.count(1)


class RecordedGame:
    """Sessions one after the other. The mesh runs in a thread, so that it lives while the caller thinks."""

    def __init__(self, story: str, regime: Regime, seed: int, settings: MeshSettings) -> None:
        self._story, self._regime, self._seed, self._settings = story, regime, seed, settings
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="lantern", daemon=True)
        self._stack = ExitStack()
        self._session: PlayedSession | None = None

    def begin(self, seed: int | None) -> GameMoment:
        """A new session."""
        self._seed = seed or self._seed
        if not self._thread.is_alive():
            self._stack.enter_context(log_to_file(self._settings.home / "lantern.log"))
            self._thread.start()
        self._end_session()
        return self._do(self._begun())

    def play(self, action: str) -> GameMoment:
        """One step of the record."""
        try:
            return self._told(self._do(self._running.act(action)))
        except ActionUnusable:
            return self._told(self._do(self._running.act("look")))

    def save(self) -> bytes:
        """The number of the step: the record has all else."""
        self._check_may_restore()
        session = self._running
        return f"{session.session}:{self._do(session.look()).step.step}".encode()

    def restore(self, saved: bytes) -> GameMoment:
        """A step of the record that goes back to another one."""
        self._check_may_restore()
        session, _, step = saved.decode(errors="replace").rpartition(":")
        if session != self._running.session or not step.isdecimal():
            raise InputError("This was saved in another session. Restore within the episode.")
        return self._told(self._do(self._running.act(f"restore {step}")))

    def close(self) -> None:
        """End the session and the thread."""
        if self._thread.is_alive():
            self._end_session()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
        if not self._loop.is_closed():
            self._loop.close()
        self._stack.close()

    @property
    def _running(self) -> PlayedSession:
        if self._session is None:
            raise InputError("The environment is closed, or has not begun. Call reset() first.")
        return self._session

    def _check_may_restore(self) -> None:
        if not self._regime.restore:
            raise InputError(
                "This regime allows no restore. Give one with restore=True, or play bare (recorded=False)."
            )

    def _end_session(self) -> None:
        if self._session is not None:
            session, self._session = self._session, None
            self._do(session.close())

    async def _begun(self) -> GameMoment:
        now = f"{datetime.now(UTC).isoformat()}/{os.getpid()}/{next(_numbers)}"
        regime = self._regime
        self._session = PlayedSession.new(
            PlayOptions(
                self._story, regime.steps, OUTSIDE, self._seed, default_session(self._story, now), "main",
                regime.valid_actions, regime.text_only, without=usual_absences(OUTSIDE),
                restore=regime.restore, status_line=regime.status_line, by_client=True,
            ),
            self._settings,
        )  # fmt: skip
        self._session.begin()
        return self._told(await self._session.look())

    def _do(self, work: Coroutine[Any, Any, R]) -> R:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def _told(self, seen: ClientStep) -> GameMoment:
        step = seen.step
        facts = {} if self._regime.text_only else _facts(step, seen.started.max_score)
        reward = 0.0 if step.action is None else float(step.reward)
        is_cut = seen.summary is not None
        return GameMoment(step.observation, reward, step.done, step.victory, facts, is_cut)


def _facts(step: StepTaken, max_score: int | None) -> dict[str, object]:
    known = {
        "score": step.score,
        "max_score": max_score,
        "moves": step.moves,
        "room": step.room.name if step.room else None,
        "inventory": None if step.inventory is None else [thing.name for thing in step.inventory],
        "admissible_commands": list(step.valid_actions.actions) if step.valid_actions else None,
    }
    return {name: value for name, value in known.items() if value is not None}
