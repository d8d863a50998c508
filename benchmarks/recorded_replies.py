"""Replies of a file, sent in their order: a model that makes every fault that models were seen to make."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from services.actor.reflact.prompt import CORRECTED
from services.actor.reflact.tools import ToolName
from tests.support.servers.messages_server import Answer, Request, calls, says

FILE = Path(__file__).with_name("replies.json")
HERE, KNOWN, VALID = "{here}", "{known}", "{valid}"
"""In an argument: the room where the player stands, one to walk to, and an action that the hints name."""

_PLACES = {
    HERE: re.compile(r"^(?:ROOM|YOU_ARE): ([^(\n]+)", re.M),
    KNOWN: re.compile(r"^== ROOMS KNOWN ==\n(.+?) \(\d+ steps?\)", re.M),
    VALID: re.compile(r"^1\. (.+)$", re.M),
}


@cache
def replies() -> list[dict[str, Any]]:
    """Each with `fits`: whether the actor can do what it says."""
    found: list[dict[str, Any]] = json.loads(FILE.read_text())
    return found


@dataclass(slots=True)
class RecordedReplies:
    """The script of a server, and what it has sent."""

    sent: list[tuple[bool, bool]] = field(default_factory=list)
    """Of each reply about a decision: whether it corrects another, and whether it fits."""
    _next: int = 0

    def answer(self, request: Request) -> Answer:
        """The next reply that can be given; one whose tool or room there is not yet comes at a later step."""
        if request.tools == ["advise"]:
            return calls("advise", sentence="Look around before you leave.")
        while (reply := self._reply()).get("needs", "") not in ("", *request.tools):
            pass
        if not (reply["fits"] and reply.get("tool") == ToolName.ASK_MEMORY):  # a look-up decides nothing
            self.sent.append((CORRECTED in request.text, reply["fits"]))
        if "words" in reply:
            return says(reply["words"], reply.get("stop", "end_turn"))
        told = {name: _filled(value, request.text) for name, value in reply["arguments"].items()}
        return calls(reply["tool"], **told)

    def amount(self) -> tuple[int, int, int]:
        """Decisions that fit at once, after a correction, and not at all, as the file says of each reply."""
        at_once = sum(fits for corrects, fits in self.sent if not corrects)
        corrected = sum(fits for corrects, fits in self.sent if corrects)
        return at_once, corrected, sum(not fits for corrects, fits in self.sent if corrects)

    def _reply(self) -> dict[str, Any]:
        reply = replies()[self._next % len(replies())]
        self._next += 1
        return reply


def _filled(value: Any, text: str) -> Any:
    if not isinstance(value, str):
        return value
    for name, pattern in _PLACES.items():
        found = pattern.findall(text)
        value = value.replace(name, found[-1].strip() if found else "look")
    return value
