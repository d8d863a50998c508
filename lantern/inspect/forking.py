"""Forks a session: copies its record up to a step, and goes on from there in another way."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

from language_model.settings import ModelSettings
from lantern.nats.connection import connection, nats_url
from lantern.nats.session_index import SessionIndex
from lantern.play.own.outside_agents import is_played_by_client
from lantern.play.resume import resume
from lantern.play.session_options import ResumeOptions, check_steps
from lantern.play.summary import Summary
from lantern.play.watching import SessionView
from mesh.errors import InputError
from mesh.nats.subjects import checked_cell, checked_session
from mesh.printable import one_line
from mesh.record import fork as forks
from mesh.record.bus import Bus
from mesh.record.fork import Fork
from mesh.runner.service import Service
from mesh.settings import MeshSettings
from schemas.base import ACTION_LENGTH
from services.actor.policies import policy_of
from services.game.errors import BudgetUsed


@dataclass(frozen=True, slots=True)
class ForkOptions:
    """What the user wants to be forked, and how the fork goes on; None: as its parent would."""

    parent: str
    at: int
    session: str
    cell: str | None = None
    steps: int | None = None
    policy: str | None = None
    seed: int | None = None
    for_models: tuple[str, ...] = ()
    """What was given that only a session which asks models has a use for."""
    action: str | None = None
    """What the fork does first; None: its policy decides."""


def check_fork_options(options: ForkOptions) -> None:
    """Raises InputError where what the user asked for cannot be, whatever the record holds."""
    checked_session(options.parent)
    checked_session(options.session)
    check_steps(options.steps)
    if options.cell is not None:
        checked_cell(options.cell)
    if options.policy is not None:
        policy_of(options.policy)
    if options.seed is not None and options.seed < 1:
        raise InputError(f"--seed cannot be {options.seed}: seeds are 1 and above.")
    if options.action is not None:
        check_action(options.action)
    if options.at < 0:
        raise InputError(f"--at cannot be {options.at}: give the number of a step, 0 or above.")


def check_action(action: str) -> None:
    """Raises InputError for an action that cannot be typed as one line."""
    if not 0 < len(action) <= ACTION_LENGTH or len(action.splitlines()) != 1 or "\0" in action:
        raise InputError(
            f"The action cannot be {one_line(action)[:60]!r}: give one line, 1 to {ACTION_LENGTH} characters."
        )


async def copy(options: ForkOptions, settings: MeshSettings) -> Fork:
    """Put the fork into the record, and nothing more: it can be resumed.

    Raises:
        InputError: the session cannot be played as the options say.
    """
    async with nats_url(settings) as url, connection(url, "main") as bus:
        return await copy_in(bus, options, settings)


async def copy_in(bus: Bus, options: ForkOptions, settings: MeshSettings) -> Fork:
    """The same with a connection that there is.

    Raises:
        InputError: the session cannot be played as the options say.
    """
    fork = await _planned(bus, options, settings)
    await forks.write(bus, fork)
    await SessionIndex(settings).note(bus.in_cell(fork.cell), fork.session)
    return fork


async def copy_and_play(
    options: ForkOptions,
    settings: MeshSettings,
    view: SessionView,
    instead: Sequence[Service[Any]],
    models: ModelSettings | None = None,
    announce: Callable[[str], None] = lambda line: None,
) -> Summary:
    """Put the fork into the record and play it to its end; one that cannot begin is not left behind.

    `instead`, `announce`: as for `resume`.

    Raises:
        InputError: the session cannot be played as the options say.
        FailureError: the mesh cannot do it.
    """
    async with nats_url(settings) as url, connection(url, "main") as bus:
        fork = await _planned(bus, options, settings)
        if fork.started.steps <= options.at:
            raise BudgetUsed(options.parent, fork.started.steps)
        has_actor = any(service.name == "actor" for service in instead)
        if is_played_by_client(fork.started) and not has_actor:
            raise InputError(
                f"The session {options.parent} is played by a client. Give the fork a --policy, or make it "
                "by --no-play and go on by `lantern mcp --session FORK --resume`."
            )
        if fork.started.agent and not has_actor:
            raise InputError(
                f"The session {options.parent} is played by an agent from outside. Give the fork a --policy, "
                "or make it by --no-play and go on by `lantern resume FORK --agent COMMAND`."
            )
        await forks.write(bus, fork)
        async with AsyncExitStack() as undo:
            undo.push_async_callback(_discard_unless_begun, bus, fork)
            again = ResumeOptions(fork.session, fork.cell, for_models=options.for_models)
            return await resume(again, settings, view, instead, models, announce)


def default_session(parent: str, at: int, now: str) -> str:
    """An id that tells where the fork comes from."""
    return f"{parent[:40]}-at{at}-{hashlib.sha256(now.encode()).hexdigest()[:4]}"


async def _planned(bus: Bus, options: ForkOptions, settings: MeshSettings) -> Fork:
    found = await SessionIndex(settings).find(bus, options.parent)
    there = bus.in_cell(found.cell)
    cell = options.cell or found.cell
    return await forks.plan_fork(
        there,
        options.parent,
        forks.ForkRequest(
            options.session, cell, options.at, options.steps, options.policy, options.seed, options.action
        ),
    )


async def _discard_unless_begun(bus: Bus, fork: Fork) -> None:
    if bus.cell.is_connected and not await bus.in_cell(fork.cell).reader.is_begun(fork.session):
        await forks.discard(bus, fork)
