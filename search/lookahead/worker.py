"""A process that looks ahead in one story, from one position after the other, until its parent ends."""

from __future__ import annotations

import resource
import signal
import sys
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from mesh.child_process import die_with_parent
from search.environment import Environment
from search.lookahead.explorer import Explorer
from search.lookahead.messages import Ahead, LoadStory, LookAhead, line_of, request_in
from search.worker import private_pipes
from zmachine.emulator.input_line import cleaned


@dataclass(slots=True)
class Follower:
    """Follows a session, and looks ahead from its positions."""

    environment: Environment
    explorer: Explorer = field(init=False)
    _moves: tuple[str, ...] = ()
    """Those that have led to the emulator's position."""

    def __post_init__(self) -> None:
        self.explorer = Explorer(self.environment)

    def answer(self, request: LookAhead) -> Ahead:
        """Go to the position, and look ahead; the emulator stays there."""
        began = self.environment.probes
        self._follow(request.moves)
        if self.environment.world() != request.world or self.environment.save().done:
            return Ahead(reached=False, spent=self.environment.probes - began)
        there = self.environment.probes
        self.explorer.explore(request.actions, Random(request.seed), request.probes)
        return Ahead(
            reached=True,
            probes=self.environment.probes - there,
            spent=self.environment.probes - began,
            points=self.explorer.points,
            actions=self.explorer.actions,
            risks=self.explorer.risks,
        )

    def _follow(self, moves: tuple[str, ...]) -> None:
        known = len(self._moves)
        if moves[:known] != self._moves:
            self.environment.restart()
            known = 0
        for move in moves[known:]:
            self.environment.step(cleaned(move))
        self._moves = moves


def main() -> None:
    """Answer requests. The argument is the parent's process id."""
    die_with_parent(int(sys.argv[1]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, which ends this process
    requests, answers = private_pipes()
    follower: Follower | None = None
    for line in requests:
        request, answer = request_in(line), Ahead(reached=False)
        if isinstance(request, LoadStory):
            follower = Follower(Environment(Path(request.path), request.seed))
        elif follower is not None:
            answer = follower.answer(request)
        answers.write(line_of(answer))
        answers.flush()


if __name__ == "__main__":
    main()
