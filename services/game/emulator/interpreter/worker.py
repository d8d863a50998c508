"""The child process of one session: the only process that loads the emulator's C code.

That code may end the process, print, hang or write files, so: what it prints cannot reach the client
(the real stdout is moved away first), it runs in a folder that is removed at once, so that no file can be
written there, and it dies with its parent.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from pathlib import Path
from typing import BinaryIO, assert_never

from mesh.child_process import die_with_parent
from services.game.emulator.interpreter.game import Game
from services.game.emulator.protocol import (
    FIRST_PROMPT,
    Answer,
    Begin,
    Load,
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
    encoded,
    request_in,
)
from services.game.emulator.snapshot import packed, unpacked
from zmachine.emulator import frotz


def main() -> None:
    """Answer the requests on stdin until it ends. The argument is the parent's process id."""
    die_with_parent(int(sys.argv[1]))
    Path.cwd().rmdir()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    requests, answers = private_pipes()
    frotz.library()
    game: Game | None = None
    for line in requests:
        request = request_in(line)
        if isinstance(request, Load):
            signal.setitimer(signal.ITIMER_PROF, FIRST_PROMPT)  # ends the process, also in C
            game = Game(Path(request.path), request.seed, clock=time.process_time)
            signal.setitimer(signal.ITIMER_PROF, 0)
            most = game.max_score
            answer: Answer = Loaded(game.known, most.value, most.source, game.has_status_line)
        elif game is None:
            sys.exit("The first request must be Load.")
        else:
            answer = answered(game, request)
        answers.write(encoded(answer))
        answers.flush()


def answered(game: Game, request: Request) -> Answer:
    match request:
        case Play(action):
            return game.play(action)
        case SearchActions():
            return game.search(request)
        case Stay(observation):
            return game.stay(observation)
        case Begin():
            return game.begin()
        case ReplayMoves(moves):
            return MovesReplayed(tuple(echoed(game, move) for move in moves))
        case TakeSnapshot():
            return SnapshotTaken(packed(game.save(), game.story))
        case RestoreSnapshot(snapshot):
            return restored(game, snapshot)
        case Load():
            sys.exit("A child plays one story; start another for another.")
        case _:
            assert_never(request)


def echoed(game: Game, move: Move) -> MoveReplayed:
    played = game.play(move.action) if isinstance(move, Play) else game.stay(move.observation)
    return MoveReplayed(played.world, played.observation, played.score, played.victory)


def restored(game: Game, snapshot: str) -> Played | SnapshotRejected:
    try:
        return game.load(unpacked(snapshot, game.story))
    except SnapshotRefused as refused:
        return SnapshotRejected(str(refused))


def private_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Move stdin and stdout out of the C code's reach; in their place is nothing."""
    requests, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.close(nothing)
    return os.fdopen(requests, "rb"), os.fdopen(answers, "wb")


if __name__ == "__main__":
    main()
