"""An environment in a process of its own, as its parent sees it.

A process that dies or hangs is replaced by another, which is brought to the same moment; the action that did
it is refused.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Collection
from pathlib import Path

from msgspec.structs import replace

from mesh.child_process import child_environment
from mesh.errors import FailureError
from search.remote.protocol import (
    Answer,
    LoadRemoteStory,
    RemoteMoment,
    RemotePosition,
    Request,
    Restart,
    Step,
    TakePosition,
    answer_in,
    receive,
    send,
)
from zmachine.story_file import StoryFile

FOLDER = "lantern-environment-"
SERVER = "search.remote.server"

LONGEST_REPLAY = 500
"""Actions that a fresh process may have to repeat; then the position is kept."""

PATIENCE = 10.0
"""Seconds for a request; a step takes less than a millisecond, a search for valid actions up to seconds."""
START_PATIENCE = 60.0

FRESH_PROCESSES = 3
"""Processes in a row that may fail before the story is given up."""


class EnvironmentLost(Exception):
    """The process has ended, or did not answer in time and was killed."""


class StoryLost(FailureError):
    """The story cannot be played by any process."""

    def __init__(self, md5: str, why: str) -> None:
        super().__init__(f"The story {md5} cannot be played: {why}. Check the file, or take another story.")


class RemoteEnvironment:
    """One story. Not for several threads at once; use it in the thread that has made it, and close it."""

    def __init__(self, story: StoryFile, seed: int, facts: Collection[str] = ()) -> None:
        """`seed`: of the story's own chance. `facts`: what moments tell beside text and score.

        Raises:
            StoryLost: the story cannot be played.
        """
        self._process: subprocess.Popen[bytes] | None = None
        self.story = story
        self._load = LoadRemoteStory("", seed, tuple(facts))
        self._base: RemotePosition | None = None
        self._played: list[str] = []
        """The actions since the base, or since the opening, in order."""
        self.opening = self._recovered()

    def step(self, action: str) -> RemoteMoment:
        """Execute an action: one line of printable ASCII, without a backslash."""
        try:
            moment = _as_moment(self._asked(Step(action)))
        except EnvironmentLost:
            return replace(self._recovered(), text="", refused=True)
        self._played.append(action)
        if len(self._played) >= LONGEST_REPLAY:
            self.save()
        return moment

    def restart(self) -> RemoteMoment:
        """Return to the opening."""
        self._base, self._played = None, []
        return _as_moment(self._safely(Restart()))

    def save(self) -> RemotePosition:
        """Where the game is now."""
        answer = self._safely(TakePosition())
        assert isinstance(answer, RemotePosition)
        self._base, self._played = answer, []
        return answer

    def restore(self, position: RemotePosition) -> RemoteMoment:
        """Return to a position of this story, saved in any process. The moment has no text."""
        self._base, self._played = position, []
        return _as_moment(self._safely(position))

    def close(self) -> None:
        """End the process. May be called twice."""
        if self._process is not None:
            process, self._process = self._process, None
            process.kill()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
            process.wait()

    def __del__(self) -> None:
        self.close()

    def _safely(self, request: Request) -> Answer:
        """The answer, by a fresh process if this one fails at it."""
        try:
            return self._asked(request)
        except EnvironmentLost:
            self._recovered()
        try:
            return self._asked(request)
        except EnvironmentLost as lost:
            raise StoryLost(self.story.md5, str(lost)) from lost

    def _recovered(self) -> RemoteMoment:
        """A fresh process where the one before was.

        Raises:
            StoryLost: it fails as well.
        """
        why = ""
        for _ in range(FRESH_PROCESSES):
            self.close()
            try:
                return self._started()
            except EnvironmentLost as lost:
                why = str(lost)
        raise StoryLost(self.story.md5, why)

    def _started(self) -> RemoteMoment:
        with tempfile.TemporaryDirectory(prefix=FOLDER, ignore_cleanup_errors=True) as folder:
            path = Path(folder) / f"{self.story.md5}{self.story.suffix}"
            path.write_bytes(self.story.data)
            self._process = subprocess.Popen(
                (sys.executable, "-m", SERVER, str(os.getpid())),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                cwd=folder,
                env=child_environment(),
            )
            assert self._process.stdout is not None
            self._poll = select.poll()
            self._poll.register(self._process.stdout, select.POLLIN)
            moment = _as_moment(self._asked(replace(self._load, path=str(path)), START_PATIENCE))
        past: list[Request] = [self._base] if self._base else []
        for request in (*past, *map(Step, self._played)):
            moment = _as_moment(self._asked(request))
        return moment

    def _asked(self, request: Request, patience: float = PATIENCE) -> Answer:
        """Raises EnvironmentLost."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise EnvironmentLost("the environment is closed")
        answers = process.stdout.fileno()
        try:
            send(process.stdin.fileno(), request)
            body = receive(answers) if self._poll.poll(patience * 1000) else b""
        except BrokenPipeError:
            body = b""
        if not body:
            self.close()
            raise EnvironmentLost(f"its process ended, or did not answer within {patience:g} s")
        return answer_in(body)


def _as_moment(answer: Answer) -> RemoteMoment:
    assert isinstance(answer, RemoteMoment)
    return answer
