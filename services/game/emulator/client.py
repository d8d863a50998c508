"""The emulator of one session, as the game service sees it.

Every action is answered, whatever the game does to its child process (it may hang, crash or be killed): the
child is replaced, and what was played since the newest snapshot is replayed, which gives the same world.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from schemas.sources import Source
from services.game.actions import GIVEN_UP
from services.game.emulator.history import MoveHistory
from services.game.emulator.pool import ChildPool
from services.game.emulator.protocol import (
    ActionsFound,
    Answer,
    Begin,
    Move,
    MoveReplayed,
    MovesReplayed,
    Play,
    Played,
    RestoreSnapshot,
    SearchActions,
    SnapshotRefused,
    SnapshotRejected,
    SnapshotTaken,
    Stay,
    TakeSnapshot,
)
from services.game.emulator.supervisor import ChildSupervisor, ChildTimeouts
from zmachine.emulator.input_line import cleaned
from zmachine.story_file import StoryFile

PATIENCE = 5.0
"""Seconds for an action; a step takes less than a millisecond."""
START_PATIENCE = 30.0
"""Seconds for a child to start and load its story (usually a tenth of one), or to replay a batch."""
SNAPSHOT_EVERY = 100
"""Moves between two snapshots, and in a batch."""


class Emulator:
    """One session's story. Call one method at a time, from the main thread.

    Raises StoryUnplayable where no child can run the story, EmulatorClosed after `close`.
    """

    def __init__(self, supervisor: ChildSupervisor, history: MoveHistory) -> None:
        """`supervisor`: of a child that has loaded the story. `history`: the one it replays."""
        self._supervisor = supervisor
        self._history = history

    @classmethod
    async def start(
        cls,
        story: StoryFile,
        seed: int,
        *,
        patience: float = PATIENCE,
        start_patience: float = START_PATIENCE,
        snapshot_every: int = SNAPSHOT_EVERY,
        pool: ChildPool | None = None,
        replaced: Callable[[], object] = lambda: None,
    ) -> Self:
        """Load the story in a child, from the pool where it has a spare one.

        Patience is in seconds, for each action and for the start. `replaced` is called for each child that
        failed.
        """
        history = MoveHistory(snapshot_every)
        timeouts = ChildTimeouts(action=patience, start=start_patience)
        supervisor = ChildSupervisor(story, seed, history, timeouts, pool, replaced)
        await supervisor.start()
        return cls(supervisor, history)

    @property
    def story(self) -> StoryFile:
        return self._supervisor.story

    @property
    def known(self) -> bool:
        """Whether Jericho knows this very story."""
        return self._supervisor.loaded.known

    @property
    def max_score(self) -> int | None:
        return self._supervisor.loaded.max_score

    @property
    def max_score_source(self) -> Source:
        return self._supervisor.loaded.max_score_source

    @property
    def has_status_line(self) -> bool:
        """Whether a human sees a status line over this story's text."""
        return self._supervisor.loaded.status_line

    @property
    def fresh_snapshot(self) -> str | None:
        """The snapshot of this very moment, if one has been taken."""
        return self._history.fresh_snapshot

    async def opening(self) -> Played:
        """Begin the story anew; its opening text."""
        self._history.restart(Begin())
        return _as_played(await self._supervisor.require(Begin()))

    async def play(self, action: str) -> Played:
        """Execute an action, whatever its text.

        `restart` begins a new episode, and so does any action once the game is `done`; Lantern itself carries
        out `save`, `restore`, `undo` and `quit`. An action that would harm the session is answered in square
        brackets, and leaves the world unchanged.
        """
        played = await self._try_move(Play(cleaned(action))) or await self.give_up()
        if self._history.snapshot_is_due:
            await self._take_snapshot()
        return played

    async def give_up(self) -> Played:
        """Answer at once what `play` answers for an action that hangs."""
        return await self.stay(GIVEN_UP)

    async def stay(self, observation: str) -> Played:
        """Execute no action; answer with this observation of the unchanged world."""
        played = await self._try_move(Stay(observation))
        if played is None:
            raise self._supervisor.unplayable()
        return played

    async def return_to(self, snapshot: str | None, moves: Sequence[Move]) -> None:
        """Go to the position to which these moves lead from a snapshot (None: from the opening)."""
        await (self.restore(snapshot) if snapshot else self.rewind())
        await self.replay(moves)

    async def rewind(self) -> MoveReplayed:
        """Begin the story anew, with the short answer of `replay`."""
        return _as_replayed(await self.opening())

    async def restore(self, snapshot: str) -> MoveReplayed:
        """Return to the moment of a snapshot; what the last move there had come to.

        Raises SnapshotRefused; the game then stays where it was.
        """
        answer = await self._supervisor.require(RestoreSnapshot(snapshot))
        if isinstance(answer, SnapshotRejected):
            raise SnapshotRefused(answer.reason)
        self._history.restart(RestoreSnapshot(snapshot))
        return _as_replayed(_as_played(answer))

    async def replay(self, moves: Sequence[Move]) -> list[MoveReplayed]:
        """Make the moves, fast. What follows is as if each had been played."""
        results: list[MoveReplayed] = []
        for batch in self._history.batches(moves):
            answer = await self._supervisor.require(batch)
            assert isinstance(answer, MovesReplayed)
            results += answer.results
            self._history.moves += batch.moves
            if self._history.snapshot_is_due:
                await self._take_snapshot()
        return results

    async def search(self, request: SearchActions, timeout: float) -> ActionsFound | None:
        """Search for valid actions in the present world; None: the child failed, or took too long."""
        answer = await self._supervisor.ask(request, timeout)
        assert answer is None or isinstance(answer, ActionsFound)
        return answer

    async def snapshot(self) -> str | None:
        """A snapshot of this very moment; None: the child failed at it."""
        await self._take_snapshot()
        return self.fresh_snapshot

    async def close(self) -> None:
        """End the child. May be called twice."""
        await self._supervisor.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def _try_move(self, move: Move) -> Played | None:
        """The result of a move; None: the child failed at it, and another is where it was before."""
        answer = await self._supervisor.ask(move)
        if answer is None:
            return None
        self._history.moves.append(move)
        return _as_played(answer)

    async def _take_snapshot(self) -> None:
        """If the child fails at it, the history goes on from the snapshot before."""
        answer = await self._supervisor.ask(TakeSnapshot())
        if isinstance(answer, SnapshotTaken):
            self._history.restart(RestoreSnapshot(answer.snapshot))


def _as_played(answer: Answer) -> Played:
    assert isinstance(answer, Played)
    return answer


def _as_replayed(played: Played) -> MoveReplayed:
    return MoveReplayed(played.world, played.observation, played.score, played.victory)
