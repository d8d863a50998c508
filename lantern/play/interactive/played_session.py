"""A session that a client plays: it gives an action and gets the step, while all services take part."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Self

from folds.vocabulary.actions import is_restore, normal
from lantern.error_output import first_lantern_error
from lantern.play.interactive.client_actor import ClientActor, ClientTurn
from lantern.play.interactive.quiet_view import QuietView
from lantern.play.play import play
from lantern.play.resume import resume
from lantern.play.session_options import PlayOptions, ResumeOptions, checked_story
from lantern.play.summary import Summary
from mesh.errors import FailureError, InputError, LanternError
from mesh.settings import MeshSettings
from schemas.actor import ActionProposed
from schemas.base import ACTION_LENGTH
from schemas.critic import ActionJudged
from schemas.fragment import Fragment
from schemas.game import RESTART, SessionStarted, StepTaken
from services.actor.policies import OUTSIDE
from services.critic.logic import judge

Playing = Callable[[ClientActor, asyncio.Event], Awaitable[Summary]]


class NoMoreActions(InputError):
    """The session takes no more actions."""

    def __init__(self, session: str, summary: Summary) -> None:
        ended = summary.ended
        why = f"{ended.reason.value}{f': {ended.detail}' if ended.detail else ''}" if ended else "stopped"
        super().__init__(
            f"The session {session} has ended ({why}). "
            f"Play another, or go on with `lantern mcp --session {session} --resume --steps N`."
        )


class ActionUnusable(InputError):
    """An action that cannot be typed as one line."""

    def __init__(self, action: str) -> None:
        lines = len(action.splitlines())
        what = f"{lines} lines" if lines > 1 else f"{len(action)} characters"
        super().__init__(
            f"The action has {what}. Give one line of 1 to {ACTION_LENGTH} characters, as a player types it."
        )


class GameOver(InputError):
    """The game is over, so that an action would reach nobody."""

    def __init__(self) -> None:
        super().__init__(f"The game is over. Give `{RESTART}`, which begins it anew in the same session.")


@dataclass(frozen=True, slots=True)
class ClientStep:
    """A step as a client sees it."""

    started: SessionStarted
    step: StepTaken
    """With what its text says filled in."""
    fragments: Mapping[str, Fragment]
    notices: tuple[str, ...] = ()
    opinion: ActionJudged | None = None
    """What the critic's rules said of the action, before it was played. None: no action was."""
    summary: Summary | None = None
    """How the session ended with this step. None: it goes on."""


class PlayedSession:
    """One session. Its actions are taken one after the other, whoever gives them."""

    def __init__(self, session: str, playing: Playing) -> None:
        """`playing`: plays the session by an actor, until the event is set."""
        self.session = session
        self._actor = ClientActor()
        self._stopping = asyncio.Event()
        self._playing = playing
        self._turns = asyncio.Lock()
        self._task: asyncio.Task[Summary] | None = None

    @classmethod
    def new(cls, options: PlayOptions, settings: MeshSettings) -> Self:
        """A session that begins.

        Raises:
            InputError: an option has a value that cannot be.
        """
        story = checked_story(options)

        def playing(actor: ClientActor, stopping: asyncio.Event) -> Awaitable[Summary]:
            return play(options, story, settings, QuietView(), instead=[actor], stopping=stopping)

        return cls(options.session, playing)

    @classmethod
    def resumed(cls, options: ResumeOptions, settings: MeshSettings) -> Self:
        """A session that goes on where its record ends."""

        def playing(actor: ClientActor, stopping: asyncio.Event) -> Awaitable[Summary]:
            return resume(options, settings, QuietView(), instead=[actor], stopping=stopping)

        return cls(options.session, playing)

    @property
    def is_over(self) -> bool:
        """Whether it takes no more actions."""
        return self._task is not None and self._task.done()

    @property
    def has_failed(self) -> bool:
        """Whether it could not begin, or not go on."""
        return self._task is not None and self._task.done() and self._task.exception() is not None

    async def look(self) -> ClientStep:
        """The last step, without acting.

        Raises:
            LanternError: the session cannot be played.
        """
        async with self._turns:
            return self._seen(await self._turn(), None)

    async def act(self, action: str) -> ClientStep:
        """Play an action; what came of it.

        Raises:
            ActionUnusable: it is not one line that can be typed.
            GameOver: only `restart` goes on.
            NoMoreActions: the session takes no more actions.
            LanternError: the session cannot go on.
        """
        action = action.strip()
        if not 0 < len(action) <= ACTION_LENGTH or len(action.splitlines()) > 1 or "\0" in action:
            raise ActionUnusable(action)
        async with self._turns:
            turn = await self._turn()
            if isinstance(turn, Summary):
                raise NoMoreActions(self.session, turn)
            self._check_goes_on(action)
            wish = ActionProposed(step=turn.number, action=action, policy=OUTSIDE, reason="")
            opinion = judge(wish, self._actor.known)
            self._actor.act(action)
            return self._seen(await self._turn(), opinion)

    def _check_goes_on(self, action: str) -> None:
        step, started = self._actor.known.step, self._actor.started
        may_restore = started is not None and started.restore and is_restore(action)
        if step is not None and step.done and normal(action) != RESTART and not may_restore:
            raise GameOver

    def begin(self) -> None:
        """Start or resume it; whoever begins it closes it."""
        self._task = asyncio.create_task(self._run(), name=f"session {self.session}")

    async def close(self) -> None:
        """End the session after the step under way."""
        self._stopping.set()
        if self._task is not None:
            await asyncio.wait((self._task,))
            self._task.exception()  # it was told to whoever waited for a turn

    async def _run(self) -> Summary:
        return await self._playing(self._actor, self._stopping)

    async def _turn(self) -> ClientTurn | Summary:
        """The next turn; if there is none, how the session ended."""
        assert self._task is not None
        coming = asyncio.ensure_future(self._actor.changed.wait())
        try:
            await asyncio.wait((coming, self._task), return_when=asyncio.FIRST_COMPLETED)
        finally:
            coming.cancel()
        if self._actor.turn is not None:
            return self._actor.turn
        try:
            return await asyncio.shield(self._task)
        except (LanternError, BaseExceptionGroup) as error:
            raise first_lantern_error(error) from error

    def _seen(self, turn: ClientTurn | Summary, opinion: ActionJudged | None) -> ClientStep:
        step, started = self._actor.known.step, self._actor.started
        if step is None or started is None:
            raise FailureError(f"The session {self.session} has ended before its first step. Play another.")
        if isinstance(turn, Summary):
            return ClientStep(started, step, {}, (), opinion, turn)
        return ClientStep(started, step, turn.fragments, turn.notices, opinion)
