"""How many of the actor's decisions are the model's own: its replies that fit, at once or after a correction.

Usage: python -m benchmarks.decisions [STORY ...] [--steps N] [--model FILE.gguf] [--recorded]

Plays each story with the policy `reflact`; only the actor asks, every other service keeps to its rules. The
model is the packaged one or a GGUF file on this machine. `--recorded` asks none: a Messages-API server on
this machine sends the replies of benchmarks/replies.json in their order, which make every fault that models
were seen to make, and the table has beside each count what the replies amount to. A decision is a step about
which the model was asked; a step of a walk that it decided on before is none. Prints Markdown.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.asking_actor import messages_of_play
from benchmarks.mesh import machine
from benchmarks.recorded_replies import RecordedReplies
from language_model.model import Prompt
from language_model.settings import ModelSettings
from lantern.play.models.session_models import reachable
from schemas.actor import ActionProposed
from schemas.base import Message
from schemas.critic import ActionJudged, Decision
from schemas.language_model import ModelAsked
from services.actor.reflact.prompt import CORRECTED
from services.actor.reflact.tools import ToolName
from services.actor.settings import ActorSettings
from tests.support.servers.messages_server import MessagesServer

GAMES = Path(__file__).parents[1] / ".." / "shared" / "games"
STORIES = ("advent.z5", "detective.z5", "library.z5", "lostpig.z8", "ludicorp.z5")
PATIENCE = 600.0
"""Seconds for a decision: a small machine's time is not what is measured here."""
HEAD = (
    "| story | decisions | fit at once | after a correction | by rules | no reply | share that fits "
    "| of these substituted |"
)


@dataclass(frozen=True, slots=True)
class DecisionCounts:
    """What became of the decisions about which a model was asked."""

    at_once: int = 0
    corrected: int = 0
    by_rules: int = 0
    """The reply did not fit twice."""
    no_reply: int = 0
    substituted: int = 0
    """Of those that fit: the critic had something else done."""

    @property
    def asked(self) -> int:
        """All of them."""
        return self.at_once + self.corrected + self.by_rules + self.no_reply

    @property
    def share(self) -> float:
        """Of all, those that the model has decided."""
        return (self.at_once + self.corrected) / max(1, self.asked)

    def __add__(self, other: DecisionCounts) -> DecisionCounts:
        return DecisionCounts(
            self.at_once + other.at_once,
            self.corrected + other.corrected,
            self.by_rules + other.by_rules,
            self.no_reply + other.no_reply,
            self.substituted + other.substituted,
        )


def counted(messages: Iterable[Message]) -> DecisionCounts:
    """The decisions in a session's record."""
    prompts: dict[int, list[Prompt]] = {}
    counts = DecisionCounts()
    decided: dict[int, bool] = {}
    for message in messages:
        if isinstance(message, ModelAsked) and _asks_for_a_decision(
            prompt := Prompt.model_validate_json(message.prompt)
        ):
            prompts.setdefault(message.step, []).append(prompt)
        elif isinstance(message, ActionProposed) and message.step in prompts:
            fate = _fate(message.degraded, prompts[message.step])
            decided[message.step] = bool(fate.at_once or fate.corrected)
            counts += fate
        elif isinstance(message, ActionJudged) and decided.get(message.step):
            counts += DecisionCounts(substituted=message.decision is Decision.SUBSTITUTE)
    return counts


def _asks_for_a_decision(prompt: Prompt) -> bool:
    return ToolName.PLAY_ACTION in [tool.name for tool in prompt.tools]


def _fate(degraded: str, prompts: Sequence[Prompt]) -> DecisionCounts:
    if degraded:
        unfit = degraded.startswith("the reply did not fit")
        return DecisionCounts(by_rules=unfit, no_reply=not unfit)
    corrected = any(CORRECTED in part.text for part in prompts[-1].parts)
    return DecisionCounts(at_once=not corrected, corrected=corrected)


async def played(story: str, steps: int, models: ModelSettings) -> DecisionCounts:
    """The decisions of a session in which only the actor asks the model."""
    patient = ActorSettings(model_deadline=60, thinking=PATIENCE)
    return counted(await messages_of_play(story, steps, models, patient))


def row(name: str, counts: DecisionCounts) -> str:
    """One line of the table."""
    return (
        f"| {name} | {counts.asked} | {counts.at_once} | {counts.corrected} | {counts.by_rules} "
        f"| {counts.no_reply} | {counts.share:.1%} | {counts.substituted} |"
    )


async def with_local_model(stories: Sequence[str], steps: int, model: str) -> None:
    total, began = DecisionCounts(), time.perf_counter()
    async with reachable(ModelSettings(name=model, deadline=PATIENCE)) as models:
        print(f"{models.name}, {steps} steps of each story, load {os.getloadavg()[0]:.1f} at the start\n")
        print(f"{machine()}\n\n{HEAD}\n|{' --- |' * (HEAD.count('|') - 1)}", flush=True)
        for story in stories:
            counts = await played(story, steps, models)
            total += counts
            print(row(Path(story).stem, counts), flush=True)
    print(row("all", total))
    print(f"\n{(time.perf_counter() - began) / max(1, total.asked):.0f} s for each decision")


async def with_recorded_replies(stories: Sequence[str], steps: int) -> None:
    print(f"{HEAD} replies amount to |\n|{' --- |' * HEAD.count('|')}")
    for story in stories:
        counts, amount = await with_replies(story, steps)
        print(f"{row(Path(story).stem, counts)} {amount} |", flush=True)


async def with_replies(story: str, steps: int) -> tuple[DecisionCounts, tuple[int, int, int]]:
    """What was measured, and what the replies amount to: at once, after a correction, by rules."""
    replies = RecordedReplies()
    with MessagesServer(replies.answer) as server:
        models = ModelSettings.model_validate({"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "none"})
        return await played(story, steps, models), replies.amount()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("stories", nargs="*", default=[str(GAMES / name) for name in STORIES])
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--model", default="local")
    parser.add_argument("--recorded", action="store_true", help="ask no model: the replies of a file")
    given = parser.parse_args()
    if given.recorded:
        asyncio.run(with_recorded_replies(given.stories, given.steps))
    else:
        asyncio.run(with_local_model(given.stories, given.steps, given.model))


if __name__ == "__main__":
    main()
