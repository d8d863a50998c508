"""The emulator of one session, as the game service sees it: a child process, and what to do when it fails.

Whatever a game does to its child (hangs, crashes, is killed from outside), each action is answered: the
child is replaced, put where the newest snapshot was taken, and what has been played since is played again,
which gives the same world.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Self

from schemas.sources import Source
from services.game.actions import GIVEN_UP, cleaned
from services.game.emulator.child import Child, ChildDied, ChildHung
from services.game.emulator.pool import Pool
from services.game.emulator.protocol import (
    ActionsFound,
    Answer,
    Begin,
    Loaded,
    Move,
    MoveReplayed,
    MovesReplayed,
    Play,
    Played,
    ReplayMoves,
    Request,
    RestoreSnapshot,
    SearchActions,
    SnapshotRefused,
    SnapshotRejected,
    SnapshotTaken,
    Stay,
    TakeSnapshot,
)
from services.game.errors import EmulatorClosed, StoryUnplayable
from services.game.story.zmachine import Story

PATIENCE = 5.0
"""Seconds for an action; a step takes less than a millisecond."""
START_PATIENCE = 30.0
"""Seconds for a child to start and load its story (usually a tenth of one), or to replay a batch."""
FRESH_CHILDREN = 3
"""In a row that may fail while a session is played again, before it is given up."""
SNAPSHOT_EVERY = 100
"""Moves between two snapshots, and in a batch."""


class Emulator:
    """One session's story. Call one method at a time, from the main thread.

    Raises StoryUnplayable where no child can run the story, EmulatorClosed after `close`.
    """

    def __init__(
        self,
        story: Story,
        seed: int,
        patience: float,
        start_patience: float,
        snapshot_every: int,
        pool: Pool | None,
        replaced: Callable[[], object],
    ) -> None:
        """Use `start`."""
        self.story = story
        self._seed = seed
        self._patience = patience
        self._start_patience = start_patience
        self._every = snapshot_every
        self._pool = pool
        self._replaced = replaced
        self._child: Child | None = None
        self._base: Request = Begin()
        self._since: list[Move] = []
        self._closed = False
        self.known = False
        self.max_score: int | None = None
        self.max_score_source = Source.UNKNOWN

    @classmethod
    async def start(
        cls,
        story: Story,
        seed: int,
        *,
        patience: float = PATIENCE,
        start_patience: float = START_PATIENCE,
        snapshot_every: int = SNAPSHOT_EVERY,
        pool: Pool | None = None,
        replaced: Callable[[], object] = lambda: None,
    ) -> Self:
        """Have a child with the story: a spare of the pool's where there is one.

        Patience is in seconds, for each action and for the start. `replaced` is called for each child that
        failed.
        """
        emulator = cls(story, seed, patience, start_patience, snapshot_every, pool, replaced)
        try:
            await emulator._replace_child()
        except (ChildDied, ChildHung) as failure:
            raise StoryUnplayable(story.md5, str(failure)) from failure
        return emulator

    @property
    def fresh_snapshot(self) -> str | None:
        """The snapshot of this very moment, where one has been taken."""
        return self._base.snapshot if isinstance(self._base, RestoreSnapshot) and not self._since else None

    async def opening(self) -> Played:
        """The story's opening text. Everything played before is forgotten."""
        self._base, self._since = Begin(), []
        return _as_played(await self._insisted(Begin()))

    async def play(self, action: str) -> Played:
        """Execute an action, whatever its text.

        `restart` begins a new episode, and so does any action once the game is `done`; `save`, `restore`,
        `undo` and `quit` are Lantern's own. What would harm the session is answered in square brackets,
        with the world unchanged.
        """
        played = await self._moved(Play(cleaned(action))) or await self._moved(Stay(GIVEN_UP))
        if played is None:
            raise self._unplayable()
        if len(self._since) % self._every == 0:
            await self._take_snapshot()
        return played

    async def give_up(self) -> Played:
        """What `play` answers where an action hangs, at once."""
        played = await self._moved(Stay(GIVEN_UP))
        if played is None:
            raise self._unplayable()
        return played

    async def rewind(self) -> MoveReplayed:
        """Stand at the opening. Everything played before is forgotten."""
        self._base, self._since = Begin(), []
        return _echo_of(await self._insisted(Begin()))

    async def restore(self, snapshot: str) -> MoveReplayed:
        """Stand where the snapshot was taken; what was said last there.

        Raises SnapshotRefused, and stands where it stood.
        """
        answer = await self._insisted(RestoreSnapshot(snapshot))
        if isinstance(answer, SnapshotRejected):
            raise SnapshotRefused(answer.reason)
        self._base, self._since = RestoreSnapshot(snapshot), []
        return _echo_of(answer)

    async def replay(self, moves: Sequence[Move]) -> list[MoveReplayed]:
        """Make the moves, fast. What follows is as if each had been played."""
        echoes: list[MoveReplayed] = []
        for start in range(0, len(moves), self._every):
            batch = tuple(moves[start : start + self._every])
            answer = await self._insisted(ReplayMoves(batch))
            assert isinstance(answer, MovesReplayed)
            echoes += answer.results
            self._since += batch
            if len(self._since) % self._every == 0:
                await self._take_snapshot()
        return echoes

    async def find(self, wish: SearchActions, patience: float) -> ActionsFound | None:
        """Try actions out where the story stands; None: the child failed at it (or took too long)."""
        answer = await self._answer(wish, patience)
        assert answer is None or isinstance(answer, ActionsFound)
        return answer

    async def snapshot(self) -> str | None:
        """A snapshot of this very moment; None: the child failed at it."""
        await self._take_snapshot()
        return self.fresh_snapshot

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

    async def _moved(self, move: Move) -> Played | None:
        """What a move came to; None: the child failed at it, and another stands where it stood before."""
        answer = await self._answer(move)
        if answer is None:
            return None
        self._since.append(move)
        return _as_played(answer)

    async def _take_snapshot(self) -> None:
        """Without one (a child that fails at it) what was played since the last is merely longer."""
        answer = await self._answer(TakeSnapshot())
        if isinstance(answer, SnapshotTaken):
            self._base, self._since = RestoreSnapshot(answer.snapshot), []

    async def _insisted(self, request: Request) -> Answer:
        answer = await self._answer(request)
        if answer is None:
            raise self._unplayable()
        return answer

    async def _answer(self, request: Request, patience: float | None = None) -> Answer | None:
        """None: the child hung, or a fresh one ended too; another stands where it stood before."""
        patience = patience or (self._start_patience if isinstance(request, ReplayMoves) else self._patience)
        for _ in range(2):
            if self._closed or self._child is None:
                raise EmulatorClosed
            try:
                return await self._child.ask(request, patience)
            except ChildHung:
                await self._play_again()
                return None
            except ChildDied:
                await self._play_again()
        return None

    async def _play_again(self) -> None:
        """Replace the child, and bring the new one to where the old one was."""
        self._replaced()
        why = ""
        for _ in range(FRESH_CHILDREN):
            if self._closed:
                raise EmulatorClosed
            try:
                child = await self._replace_child()
                _as_played(await child.ask(self._base, self._patience))
                for start in range(0, len(self._since), self._every):
                    batch = tuple(self._since[start : start + self._every])
                    await child.ask(ReplayMoves(batch), self._start_patience)
            except (ChildDied, ChildHung) as failure:
                why = str(failure)
            else:
                return
        raise StoryUnplayable(self.story.md5, why)

    async def _replace_child(self) -> Child:
        """A spare that turns out to be dead costs a moment; a fresh child's failure is told."""
        if self._child is not None:
            await self._child.end()
        spare = self._pool.take() if self._pool else None
        try:
            await self._load(spare or Child())
        except ChildDied:
            if spare is None:
                raise
            await self._load(Child())
        if self._pool is not None:
            self._pool.fill()
        assert self._child is not None
        return self._child

    async def _load(self, child: Child) -> None:
        async with AsyncExitStack() as failed:
            failed.push_async_callback(child.end)
            loaded: Loaded = await child.load(self.story, self._seed, self._start_patience)
            if self._closed:  # while the child was starting
                raise EmulatorClosed
            failed.pop_all()
        self._child, self.known = child, loaded.known
        self.max_score, self.max_score_source = loaded.max_score, loaded.max_score_source

    def _unplayable(self) -> StoryUnplayable:
        return StoryUnplayable(self.story.md5, "the emulator keeps ending or hanging")


def _as_played(answer: Answer) -> Played:
    assert isinstance(answer, Played), answer
    return answer


def _echo_of(answer: Answer) -> MoveReplayed:
    played = _as_played(answer)
    return MoveReplayed(played.world, played.observation, played.score, played.victory)
