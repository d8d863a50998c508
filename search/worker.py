"""A process that searches one story: it holds the emulator, and runs the method beside it."""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from pathlib import Path
from random import Random
from threading import Thread
from typing import BinaryIO

from mesh.child_process import die_with_parent
from search.channel import Channel
from search.environment import Environment, SearchStopped
from search.messages import Finished, Order
from search.methods import JOBS, SHORTENING
from search.task import Task


def main() -> None:
    """Search as the first message says. The argument is the parent's process id."""
    die_with_parent(int(sys.argv[1]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, which says when to stop
    channel = Channel(*private_pipes())
    order = channel.next_message()
    if not isinstance(order, Order):
        sys.exit("The first message must be Order.")
    signal.signal(signal.SIGTERM, lambda *_: setattr(channel, "stopping", True))
    channel.send(searched(order, channel))


def searched(order: Order, channel: Channel) -> Finished:
    """Search until the probes are spent, the parent says stop, all points are found, or nothing is left."""

    def check(probes: int) -> None:
        if channel.stopping or probes >= order.probes:
            raise SearchStopped

    environment = Environment(Path(order.story), order.emulator_seed, check)
    Thread(target=_guard, args=(environment, channel, order.patience), daemon=True).start()
    task = Task(
        environment,
        order,
        channel,
        Random(order.seed),
        environment.opening.score,
        until_complete=order.method != SHORTENING,
    )
    try:
        for actions in order.known:
            task.offer(actions)
        environment.restart()
        JOBS[order.method](task)
    except SearchStopped:
        return Finished(environment.probes, complete=task.is_complete)
    return Finished(environment.probes, exhausted=True)


def _guard(environment: Environment, channel: Channel, patience: float) -> None:
    """End the search with its process where the game never ends an action: C code cannot be interrupted."""
    frotz, seen, since = environment.frotz, -1, 0.0
    while True:
        time.sleep(patience / 10)
        now, action = time.process_time(), frotz.under_way
        if action is None or frotz.steps != seen:
            seen, since = frotz.steps, now
        elif now - since > patience:
            channel.send(Finished(environment.probes, endless=action))
            os._exit(0)


def private_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Move stdin and stdout out of the C code's reach; in their place is nothing."""
    requests, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.close(nothing)
    return os.fdopen(requests, "rb", buffering=0), os.fdopen(answers, "wb")


if __name__ == "__main__":
    main()
