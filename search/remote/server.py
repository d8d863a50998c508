"""The process of one environment: answers requests until its parent leaves."""

from __future__ import annotations

import resource
import signal
import sys
from collections.abc import Collection
from pathlib import Path
from typing import assert_never

from mesh.child_process import die_with_parent
from search.environment import Environment, Outcome, SavedPosition
from search.remote.protocol import (
    INVENTORY,
    ROOM,
    VALID_ACTIONS,
    Answer,
    LoadRemoteStory,
    RemoteMoment,
    RemotePosition,
    Request,
    Restart,
    Step,
    TakePosition,
    receive,
    request_in,
    send,
)
from search.valid_actions.finder import ValidActionFinder
from search.worker import private_pipes
from zmachine.emulator.frotz import MachineState
from zmachine.reading.surroundings import held


def main() -> None:
    """Serve the parent, whose process id is the argument."""
    die_with_parent(int(sys.argv[1]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, which closes the pipe
    pipes = private_pipes()
    requests, answers = (pipe.fileno() for pipe in pipes)
    load = request_in(receive(requests))
    if not isinstance(load, LoadRemoteStory):
        sys.exit("The first message must be LoadRemoteStory.")
    served = ServedEnvironment(Environment(Path(load.path), load.seed), load.facts)
    send(answers, served.moment(served.environment.opening))
    while body := receive(requests):
        send(answers, served.answer(request_in(body)))


class ServedEnvironment:
    """Answers the requests of one environment."""

    def __init__(self, environment: Environment, facts: Collection[str]) -> None:
        """`facts`: what each moment shall tell beside text and score."""
        self.environment = environment
        self._room, self._inventory = ROOM in facts, INVENTORY in facts
        self._finder = ValidActionFinder(environment) if VALID_ACTIONS in facts else None

    def answer(self, request: Request) -> Answer:
        """What comes of a request."""
        match request:
            case Step(action):
                return self.moment(self.environment.step(action))
            case Restart():
                return self.moment(self.environment.restart())
            case TakePosition():
                return _as_position(self.environment.save())
            case RemotePosition() as position:
                self.environment.restore(_as_saved(position))
                return self.moment(Outcome("", position.score, position.done))
            case LoadRemoteStory():
                raise ValueError("A story has been loaded.")
            case _:
                assert_never(request)

    def moment(self, outcome: Outcome) -> RemoteMoment:
        """An outcome with the facts that were asked for."""
        environment = self.environment
        room, inventory = self._scene() if self._room or self._inventory else (None, None)
        valid = self._finder.here() if self._finder else None
        return RemoteMoment(
            outcome.observation,
            outcome.score,
            outcome.done,
            outcome.victory,
            outcome.refused,
            environment.max_score,
            self._moves(outcome),
            room,
            inventory,
            valid,
        )

    def _moves(self, outcome: Outcome) -> int | None:
        environment = self.environment
        if environment.frotz.known:
            return environment.frotz.moves()
        return environment.reader.read(outcome.text, closely=False).moves

    def _scene(self) -> tuple[str | None, tuple[str, ...] | None]:
        tables, tree, player = self.environment.tables, self.environment.tree(), self.environment.player
        room = self.environment.room() if self._room else 0
        things = held(tree, tables.shown, player, lambda word: True) if self._inventory and player else None
        name = tables.shown[room] if room else None
        return name, None if things is None else tuple(thing.name for thing in things)


def _as_position(saved: SavedPosition) -> RemotePosition:
    state = saved.state
    return RemotePosition(
        state.ram, state.stack, state.registers, state.random, state.narrative, saved.score, saved.done
    )


def _as_saved(position: RemotePosition) -> SavedPosition:
    state = MachineState(
        position.ram, position.stack, position.registers, position.random, position.narrative
    )
    return SavedPosition(state, position.score, position.done)


if __name__ == "__main__":
    main()
