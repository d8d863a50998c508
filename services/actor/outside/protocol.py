"""What Lantern and an agent from outside write to each other.

A command is spoken to as the IOAgent of the IEEE CIG text adventure competition speaks to an agent: it is
told the game's text and then a line `BREAK-NARRATIVE`, and answers with one line. A Python class is run by
`class_host.py`, which reads one line of JSON for each step and answers with one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from folds.vocabulary.actions import is_restore
from mesh.printable import counted
from schemas.base import ACTION_LENGTH
from schemas.game import RESTART, SessionStarted, StepTaken

END_OF_TEXT = "BREAK-NARRATIVE"
"""The line after the game's text (the competition's IOAgent)."""

TEXT_LENGTH = 16_384
"""The most characters of the game's text that an agent is told."""

INSTEAD = "look"
"""What is played in place of an action that cannot be typed."""


class AgentCommand(StrEnum):
    """The competition's predefined actions, by the strings of its IOAgent."""

    QUIT = "IEEECIG-ADVENT-QUIT-COMMAND"
    RESTART = "IEEECIG-ADVENT-RESTART-COMMAND"
    SOFT_RESTART = "IEEECIG-ADVENT-SOFT-RESTART-COMMAND"


class UnusableAnswer(Exception):
    """An agent's line cannot be read; the message says why, and the mend."""


@dataclass(frozen=True, slots=True)
class AgentAnswer:
    """An agent's answer to a step."""

    action: str
    fault: str = ""
    """What was wrong with it, so that the action is not what the agent wrote. Empty: nothing."""
    command: AgentCommand | None = None


def as_text(step: StepTaken) -> bytes:
    """A step as a command is told of it: the game's text and the line that ends it."""
    lines = (f" {line}" if line.startswith(END_OF_TEXT) else line for line in _text(step).split("\n"))
    return "\n".join((*lines, END_OF_TEXT, "")).encode()


def as_json(started: SessionStarted, step: StepTaken) -> bytes:
    """A step as the host of a class is told of it: the two arguments of `choose`."""
    return json.dumps({"observation": _text(step), "info": _info(started, step)}).encode() + b"\n"


def answer_in_text(line: bytes) -> AgentAnswer:
    """A command's answer.

    Raises:
        UnusableAnswer: it is not UTF-8.
    """
    try:
        return _answer(line.decode())
    except UnicodeDecodeError:
        raise UnusableAnswer("its action is not UTF-8. Print actions in UTF-8") from None


def answer_in_json(line: bytes) -> AgentAnswer:
    """The answer of a class's host."""
    return _answer(json.loads(line))


def proposed(answer: AgentAnswer, started: SessionStarted, step: StepTaken) -> str:
    """The action that is proposed. A game that is over is restarted, unless the session allows `restore`."""
    if answer.command is not None:
        return RESTART
    if step.done and not (started.restore and is_restore(answer.action)):
        return RESTART
    return answer.action


def _answer(written: str) -> AgentAnswer:
    text = written.strip()
    if text in tuple(AgentCommand):
        return AgentAnswer(RESTART, command=AgentCommand(text))
    if (lines := len(text.splitlines())) != 1:
        what = f"{counted(lines, 'line')}" if lines else "no action"
        return AgentAnswer(INSTEAD, f"the agent answered with {what}")
    if len(text) > ACTION_LENGTH:
        return AgentAnswer(INSTEAD, f"the agent's action has {len(text)} characters; {ACTION_LENGTH} may be")
    plain = "".join(c if c.isprintable() else " " for c in text).strip()
    if plain == text:
        return AgentAnswer(text)
    return AgentAnswer(plain or INSTEAD, "control characters were taken out of the agent's action")


def _text(step: StepTaken) -> str:
    text = "".join(c if c.isprintable() or c == "\n" else " " for c in step.observation)
    return text if len(text) <= TEXT_LENGTH else f"{text[:TEXT_LENGTH]}\n[...]"


def _info(started: SessionStarted, step: StepTaken) -> dict[str, Any]:
    """None: the session does not tell it."""
    told = step.valid_actions
    return {
        "step": step.step,
        "steps": started.steps,
        "seed": started.policy_seed or started.seed,
        "score": step.score,
        "max_score": started.max_score,
        "moves": step.moves,
        "valid_actions": list(told.actions) if told else None,
        "inventory": [thing.name for thing in step.inventory] if step.inventory is not None else None,
        "room": step.room.name if step.room else None,
        "done": step.done,
        "victory": step.victory,
        "episode": step.episode,
        "restore": started.restore,
    }
