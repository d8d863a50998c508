"""What the actor's prompts cost: tokens of a step, and how much of them a cache serves.

Usage: python -m benchmarks.model_costs [STORY ...] [--steps N]

Plays each story (the bundled one by default) with the policy `reflact` and a model that replies by script: it
does what the hints name first, and looks something up at every tenth step. Input tokens are counted as a
server would that caches up to the marks it is given (rules and tools, and the end of the told steps): a
prompt's longest beginning that an earlier one had up to such a mark is served from the cache. A token is
taken for four characters, as in English prose; the bound beside it is the actor's own, which errs upwards.
Prints Markdown.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.mesh import machine
from language_model.model import Prompt, Reply, ToolCall
from language_model.scripted import ScriptedModel
from lantern.compose import nats_url, running
from lantern.play import play
from lantern.show import Silent
from lantern.wishes import Wish, check_wish
from mesh.log import log_to_file
from mesh.settings import MeshSettings
from schemas.game import REFLACT
from services.actor.reflact.tokens import tokens
from services.actor.service import ActorService
from services.actor.settings import ActorSettings

CHARACTERS = 4
"""Of a token, on average."""

STEADY = (31, 60)
"""Steps over which the means are taken: the window of told steps has moved several times."""

_HINT = re.compile(r"^1\. (.+)$", re.M)
_STEP = re.compile(r"\[(\d+)\] ")


@dataclass(frozen=True, slots=True)
class Call:
    """What one call took, in tokens."""

    step: int
    input: int
    cached: int
    output: int
    bound: int
    """The input as the actor counts it."""


class Counting:
    """Counts calls as a server with a cache does."""

    def __init__(self) -> None:
        self.model = ScriptedModel(self._reply)
        self.calls: list[Call] = []
        self._marks: set[tuple[str, ...]] = set()

    def _reply(self, prompt: Prompt) -> Reply:
        reply = _replied(prompt)
        written = "".join(call.model_dump_json() for call in reply.calls)
        stable = "".join((*(tool.model_dump_json() for tool in prompt.tools), prompt.system))
        parts = (stable, *(said.text for said in prompt.said))
        self.calls.append(
            Call(
                _step_in(prompt),
                sum(map(len, parts)) // CHARACTERS,
                self._cached(prompt, parts) // CHARACTERS,
                len(written) // CHARACTERS,
                sum(map(tokens, parts)),
            )
        )
        return reply

    def _cached(self, prompt: Prompt, parts: tuple[str, ...]) -> int:
        """Characters up to the last mark that an earlier prompt had too; every mark is kept for later."""
        ends = [1, *(n for n, said in enumerate(prompt.said, start=2) if said.comes_again)]
        known = max((end for end in range(1, len(parts)) if parts[:end] in self._marks), default=0)
        self._marks.update(parts[:end] for end in ends)
        return sum(map(len, parts[:known]))


def _replied(prompt: Prompt) -> Reply:
    tools = [tool.name for tool in prompt.tools]
    told = {"reflection": "What was seen last opens no way yet; the hints name what is untried here. " * 2}
    told |= {"objective": "See every room that can be reached, and take what may be of use on the way."}
    if tools == ["advise"]:
        told = {
            "sentence": "Do not walk on in the dark before the lamp is lit, for it ends the game at once."
        }
        return _call("advise", told)
    if _step_in(prompt) % 10 == 9 and not prompt.said[-1].text.startswith("Memory"):
        return _call("ask_memory", {**told, "question": "nearest unexplored exit"})
    hint = next((found for said in reversed(prompt.said) if (found := _HINT.search(said.text))), None)
    return _call("play_action", {**told, "action": hint[1] if hint else "look"})


def _call(tool: str, told: dict[str, str]) -> Reply:
    return Reply(model="counting", calls=(ToolCall(name=tool, arguments=told),))


def _step_in(prompt: Prompt) -> int:
    return max(int(found[1]) for said in prompt.said if (found := _STEP.match(said.text)))


async def measured(story: str, steps: int) -> list[Call]:
    """The calls of a session."""
    counting, actor = Counting(), ActorService(ActorSettings(model_deadline=60))
    actor.model = counting.model
    with tempfile.TemporaryDirectory() as home:
        settings = MeshSettings(home=Path(home))
        with log_to_file(settings.home / "lantern.log"):
            async with nats_url(settings) as url, running([actor], url, "costs", settings):
                wish = Wish(story, steps, REFLACT, 1, "costs", "costs")
                named = settings.model_copy(update={"nats_url": url})
                await play(wish, check_wish(wish), named, Silent())
    return counting.calls


def row(story: str, calls: Sequence[Call]) -> str:
    """One line of the table."""
    asked: dict[int, list[Call]] = {}
    for call in calls:
        asked.setdefault(call.step, []).append(call)
    steady = [own for step, own in asked.items() if STEADY[0] <= step <= STEADY[1]]
    means = [
        statistics.mean(sum(getattr(c, name) for c in own) for own in steady) for name in ("input", "output")
    ]
    share = sum(c.cached for own in steady for c in own) / sum(c.input for own in steady for c in own)
    at_50 = asked.get(50) or asked[max(asked)]
    there = sum(c.cached for c in at_50) / sum(c.input for c in at_50)
    largest, bound = max(call.input for call in calls), max(call.bound for call in calls)
    return (
        f"| {Path(story).stem} | {means[0]:,.0f} | {means[1]:,.0f} | {share:.0%} | {there:.0%} "
        f"| {largest:,} | {bound:,} |"
    )


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("stories", nargs="*", default=["bundled"])
    arguments.add_argument("--steps", type=int, default=STEADY[1] + 1)
    given = arguments.parse_args()
    print(f"{machine()}; a step's means are of steps {STEADY[0]} to {STEADY[1]}\n")
    print("| story | input a step | output a step | from the cache | at step 50 | largest call | its bound |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for story in given.stories:
        print(row(story, asyncio.run(measured(story, given.steps))), flush=True)


if __name__ == "__main__":
    main()
