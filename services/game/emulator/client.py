"""The emulator of one session, as the game service sees it: a child process, and what to do when it fails.

Whatever a game does to its child (hangs, crashes, is killed from outside), each action is answered: the
child is replaced, and what has been played so far is played again, which gives the same world.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from services.game.actions import GIVEN_UP
from services.game.emulator.child import Child, ChildDied, ChildHung
from services.game.emulator.protocol import Answer, Find, Found, Opening, Play, Played, Request, Stay
from services.game.errors import EmulatorClosed, StoryUnplayable
from services.game.sources import Source
from services.game.zmachine import Story

PATIENCE = 5.0
"""Seconds for an action; a step takes less than a millisecond."""
START_PATIENCE = 30.0
"""Seconds for a child to start and load its story; usually a tenth of one."""
FRESH_CHILDREN = 3
"""In a row that may fail while a session is played again, before it is given up."""


class Emulator:
    """One session's story. Call one method at a time, from the main thread.

    Raises StoryUnplayable where no child can run the story, EmulatorClosed after `close`.
    """

    def __init__(
        self, story: Story, seed: int, valid_actions: bool, patience: float, start_patience: float
    ) -> None:
        """Use `start`."""
        self.story = story
        self._seed = seed
        self._valid_actions = valid_actions
        self._patience = patience
        self._start_patience = start_patience
        self._child: Child | None = None
        self._past: list[Request] = []
        self._barred: set[str] = set()
        self._closed = False
        self.known = False
        self.max_score: int | None = None
        self.max_score_source = Source.UNKNOWN

    @classmethod
    async def start(
        cls,
        story: Story,
        seed: int,
        valid_actions: bool,
        *,
        patience: float = PATIENCE,
        start_patience: float = START_PATIENCE,
    ) -> Self:
        """Start a child with the story; patience is in seconds, for each action and for the start."""
        emulator = cls(story, seed, valid_actions, patience, start_patience)
        try:
            await emulator._replace_child()
        except (ChildDied, ChildHung) as failure:
            raise StoryUnplayable(story.md5, str(failure)) from failure
        return emulator

    async def opening(self) -> Played:
        """The story's opening text. Everything played before is forgotten."""
        self._past = []
        return await self._with_valid_actions(await self._recorded(Opening()))

    async def play(self, action: str) -> Played:
        """Execute an action, whatever its text.

        `restart` begins a new episode, and so does any action once the game is `done`; `save`, `restore`,
        `undo` and `quit` are Lantern's own. What would harm the session is answered in square brackets,
        with the world unchanged.
        """
        return await self._with_valid_actions(await self._executed(action))

    async def replay(self, actions: Sequence[str]) -> Played:
        """Play the actions from the opening, fast: without looking for valid actions.

        What follows is exactly as if each had been played; the answer is the last one's (or the opening).
        """
        self._past = []
        played = await self._recorded(Opening())
        for action in actions:
            played = await self._executed(action)
        return played

    async def close(self) -> None:
        """End the child. May be called twice."""
        self._closed = True
        if self._child is not None:
            child, self._child = self._child, None
            await child.end()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def _executed(self, action: str) -> Played:
        return await self._recorded(Play(action), otherwise=Stay(GIVEN_UP))

    async def _recorded(self, request: Request, otherwise: Request | None = None) -> Played:
        """The answer to a request, or to another one where the child fails at it; then part of the past."""
        for wish in (request, otherwise) if otherwise else (request,):
            answer = await self._answer(wish)
            if isinstance(answer, Played):
                self._past.append(wish)
                return answer
        raise StoryUnplayable(self.story.md5, "the emulator keeps ending or hanging")

    async def _answer(self, request: Request) -> Answer | None:
        """None: the child hung, or a fresh one ended too; another stands where it stood before."""
        for _ in range(2):
            if self._closed or self._child is None:
                raise EmulatorClosed
            try:
                return await self._child.ask(request, self._patience)
            except ChildHung:
                await self._play_again()
                return None
            except ChildDied:
                await self._play_again()
        return None

    async def _with_valid_actions(self, played: Played) -> Played:
        """A world in which the search hangs or ends the child is not searched again."""
        if not self._valid_actions or played.done or played.world in self._barred:
            return played
        found = await self._answer(Find())
        if isinstance(found, Found):
            return dataclasses.replace(played, valid=found.valid)
        self._barred.add(played.world)
        return played

    async def _play_again(self) -> None:
        """Replace the child, and bring the new one to where the old one was."""
        why = ""
        for _ in range(FRESH_CHILDREN):
            try:
                child = await self._replace_child()
                for request in self._past:
                    await child.ask(request, self._patience)
            except (ChildDied, ChildHung) as failure:
                why = str(failure)
            else:
                return
        raise StoryUnplayable(self.story.md5, why)

    async def _replace_child(self) -> Child:
        if self._child is not None:
            await self._child.end()
        self._child, loaded = await Child.start(
            self.story, self._seed, search=self._valid_actions, patience=self._start_patience
        )
        self.known, self.max_score = loaded.known, loaded.max_score
        self.max_score_source = loaded.max_score_source
        return self._child
