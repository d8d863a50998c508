"""Agents from outside, as `--agent` names them: a command, or a class in a Python file."""

from __future__ import annotations

import ast
import re
import shlex
import shutil
from pathlib import Path

from lantern.play.own.own_services import OwnServiceBroken, parsed_file
from mesh.errors import InputError
from mesh.printable import one_line
from mesh.suggestions import did_you_mean
from schemas.game import SessionStarted
from services.actor.outside.agent import AgentProgram
from services.actor.outside.service import OutsideActor
from services.actor.policies import OUTSIDE

_CLASS = re.compile(r"(?P<path>.*\.py):(?P<name>\w*)")


def outside_actor(command: str) -> OutsideActor:
    """The actor that plays with an agent from outside: a command, or `path.py:Class`.

    Raises:
        InputError: there is no such program, file or class.
    """
    return OutsideActor(_program(command))


def is_class(command: str) -> bool:
    """Whether an agent is named by its class, which is told more than the game's text."""
    found = _CLASS.fullmatch(command)
    return found is not None and (Path(found["path"]).exists() or " " not in command)


def check_agent(session: str, started: SessionStarted, given: str | None) -> None:
    """Raises InputError where a session is not resumed with the agent that it was played by.

    A command from a record is never run by itself: the record may come from somebody else.
    """
    if started.agent and given is None:
        raise InputError(
            f"The session {session} is played by an agent from outside. "
            f"Name it again, if you trust it: --agent {shlex.quote(one_line(started.agent))}"
        )
    if is_played_by_client(started) and given is None:
        raise InputError(
            f"The session {session} is played by a client. Go on by `lantern mcp --session {session} "
            f"--resume`, or let a policy go on: `lantern fork {session} --at STEP --policy heuristic`."
        )
    if given is not None and given != started.agent:
        by = f"the agent {one_line(started.agent)!r}" if started.agent else f"the policy {started.policy}"
        raise InputError(f"The session {session} is played by {by}. Leave out --agent, or give that.")


def is_played_by_client(started: SessionStarted) -> bool:
    """Whether a client gives each action: the record names no agent that could be started."""
    return started.policy == OUTSIDE and not started.agent


def check_client(session: str, started: SessionStarted) -> None:
    """Raises InputError where a session that a client wants to go on with was played by somebody else."""
    if not is_played_by_client(started):
        who = f"the agent {one_line(started.agent)!r}" if started.agent else f"the policy {started.policy}"
        raise InputError(f"The session {session} is played by {who}. Fork it, and play the fork.")


def _program(command: str) -> AgentProgram:
    found = _CLASS.fullmatch(command)
    if found and is_class(command):
        _check_class(Path(found["path"]), found["name"])
        return AgentProgram.of_class(command, found["path"], found["name"])
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError(
            f"--agent {one_line(command)!r} is no command ({error}). Close its quotes."
        ) from None
    if not words:
        raise InputError("--agent is empty. Give the command that starts your agent, or path.py:Class.")
    if shutil.which(words[0]) is None:
        raise InputError(
            f"--agent: there is no program {one_line(words[0])!r}. "
            "Give the command that starts your agent, or path.py:Class."
        )
    return AgentProgram(command, tuple(words))


def _check_class(path: Path, name: str) -> None:
    lines = {node.name: node.lineno for node in parsed_file(path).body if isinstance(node, ast.ClassDef)}
    if name not in lines:
        named = ", ".join(f"{path}:{each}" for each in lines)
        mend = f"Name one of {named}." if named else "Write one with choose(self, observation, info)."
        raise OwnServiceBroken(path, None, f"there is no class {name!r}.{did_you_mean(name, lines)} {mend}")
