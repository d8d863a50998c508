"""What the actor's prompts cost: tokens of a step, and how much of them a cache serves.

Usage: python -m benchmarks.model_costs [STORY ...] [--steps N]

Plays each story (the bundled one by default) with the policy `reflact`, through the anthropic SDK, against a
server of ours that speaks the Messages API over HTTP and caches up to the marks it is given, from 512 tokens
on as the usual model does. Its replies are scripted: it does what the hints name first, and looks something
up at every tenth step. All figures are what the server reported, as the record has them; a token is taken
for four characters. Beside them stands the actor's own bound of its largest prompt, which errs upwards. Only
the actor asks; every other service keeps to its rules. Prints Markdown.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.asking_actor import messages_of_play
from benchmarks.mesh import machine
from language_model.known_models import DEFAULT, known
from language_model.model import Prompt
from language_model.prompting.tokens import tokens
from language_model.settings import ModelSettings
from schemas.language_model import ModelAsked
from services.actor.settings import ActorSettings
from tests.support.servers.messages_server import Answer, MessagesServer, Request, calls

STEADY = (31, 60)
"""Steps over which the means are taken: by then the window of told steps has moved."""

WORDS = {
    "reflection": "What was seen last opens no way yet; the hints name what is untried here. " * 2,
    "objective": "See every room that can be reached, and take what may be of use on the way.",
}
"""As much as a model writes that does as it is told."""

_HINT = re.compile(r"^1\. (.+)$", re.M)
_STEP = re.compile(r"^\[(\d+)\] ", re.M)


def scripted(request: Request) -> Answer:
    """What the server replies."""
    if request.tools == ["advise"]:
        return calls(
            "advise", sentence="Do not walk on in the dark before the lamp is lit: it ends the game."
        )
    step = max(map(int, _STEP.findall(request.text)), default=0)
    if step % 10 == 9 and "Memory: " not in request.text:
        return calls("ask_memory", question="nearest unexplored exit", **WORDS)
    hint = _HINT.search(request.text)
    return calls("play_action", action=hint[1] if hint else "look", **WORDS)


async def measured(story: str, steps: int) -> list[ModelAsked]:
    """The calls of a session."""
    shortest = known(DEFAULT)
    assert shortest is not None
    with MessagesServer(scripted, shortest.min_cacheable) as server:
        models = ModelSettings.model_validate({"ANTHROPIC_BASE_URL": server.url})
        found = await messages_of_play(story, steps, models, ActorSettings(model_deadline=60))
    return [body for body in found if isinstance(body, ModelAsked)]


def row(story: str, asked: Sequence[ModelAsked]) -> str:
    """One line of the table."""
    steps: dict[int, list[ModelAsked]] = {}
    for call in asked:
        steps.setdefault(call.step, []).append(call)
    steady = [own for step, own in steps.items() if STEADY[0] <= step <= STEADY[1]]
    at_50 = steps.get(50) or steps[max(steps)]
    told = (
        statistics.mean(total(own, "input_tokens") for own in steady),
        statistics.mean(total(own, "output_tokens") for own in steady),
    )
    cost = statistics.mean(total(own, "cost_usd") for own in steady)
    shares = share([call for own in steady for call in own]), share(at_50)
    largest = max(call.input_tokens for call in asked)
    bound = max(map(bound_of, asked))
    return (
        f"| {Path(story).stem} | {len(asked)} | {told[0]:,.0f} | {told[1]:,.0f} | {shares[0]:.0%} "
        f"| {shares[1]:.0%} | {largest:,} | {bound:,} | ${1000 * cost:.2f} |"
    )


def total(asked: Sequence[ModelAsked], name: str) -> Any:
    """A figure of a step: of all the calls about it."""
    return sum(getattr(call, name) for call in asked)


def share(asked: Sequence[ModelAsked]) -> float:
    """Of the input, what came from the cache."""
    return float(total(asked, "cached_tokens") / max(1, total(asked, "input_tokens")))


def bound_of(asked: ModelAsked) -> int:
    """What the actor takes a prompt for at most."""
    prompt = Prompt.model_validate_json(asked.prompt)
    parts = (prompt.system, *(tool.model_dump_json() for tool in prompt.tools))
    return sum(map(tokens, (*parts, *(said.text for said in prompt.parts))))


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("stories", nargs="*", default=["bundled"])
    arguments.add_argument("--steps", type=int, default=STEADY[1] + 1)
    given = arguments.parse_args()
    print(f"{machine()}; a step's means are of steps {STEADY[0]} to {STEADY[1]}; prices of {DEFAULT}\n")
    print(
        "| story | calls | input a step | output a step | from the cache | at step 50 | largest call "
        "| its bound | 1,000 steps |"
    )
    print("| --- |" + " --- |" * 8)
    for story in given.stories:
        print(row(story, asyncio.run(measured(story, given.steps))), flush=True)


if __name__ == "__main__":
    main()
