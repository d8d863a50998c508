"""Failures across sessions: what a model advises itself is in its prompts of later sessions."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support.processes.command import Lantern
from tests.support.servers.messages_server import Answer, MessagesServer, Request, calls, says

TRAP = Path(__file__).parent / "stories" / "trap.z5"
_ADVICE = re.compile(r"advice number \d")


class Perishing:
    """A model that kills itself whenever it may act, and advises itself by number."""

    def __init__(self) -> None:
        self.advised = 0
        self.heard: list[list[str]] = []
        """By decision, which advice stood in the notes."""

    def __call__(self, request: Request) -> Answer:
        if request.tools == ["advise"]:
            self.advised += 1
            return calls("advise", sentence=f"Mind advice number {self.advised}.")
        if "play_action" not in request.tools:
            return says("Nothing to add.")
        self.heard.append(_ADVICE.findall(request.text))
        return calls("play_action", action="perish", reflection="r", objective="Perish.")


def numbers(*counts: int) -> list[str]:
    return [f"advice number {count}" for count in counts]


def test_the_last_three_failures_of_a_session_are_told_in_the_next_and_each_once(lantern: Lantern) -> None:
    model = Perishing()
    with MessagesServer(model) as server:
        lantern.env |= server.environment()
        wish = ["play", str(TRAP), "--policy", "reflact", "--experience", "--budget-calls", "400"]
        wish += ["--no-valid-actions", "--without", "critic"]  # it would not let the model die twice alike
        for session, steps in (("s1", 8), ("s2", 4)):
            done = lantern.run(*wish, "--steps", str(steps), "--session", session, timeout=120)
            assert done.returncode == 0, done.stderr

    first, second = model.heard[:4], model.heard[4:]
    assert [set(each) for each in first] == [set(), *(set(numbers(*range(1, n))) for n in (2, 3, 4))]
    assert second[0] == numbers(2, 3, 4)
    assert sorted(second[1]) == numbers(3, 4, 5)
    assert all(len(each) == len(set(each)) for each in (*first, *second))
