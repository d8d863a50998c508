"""How fast a local model is, through everything that a play goes through: SDK, adapter, llama.cpp.

Usage: python -m benchmarks.local_model [--model FILE.gguf] [--runs N]

A prompt of an agent's kind: a beginning that stays the same (rules and two tools), then a step that is new
each time, and one tool call as the reply, held by grammar. Prints Markdown: seconds until the model can be
asked, tokens a second of prompts and of words, seconds for a step with and without the beginning in the
cache, and memory.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import time
from pathlib import Path
from typing import Any

import anthropic
import psutil

from benchmarks.mesh import machine
from language_model.local.settings import local_settings
from lantern.play.models.local_model import LocalModel, checked_model, local_model

RULES = "You play a text adventure. Say what you want, then act. " + " ".join(
    f"Rule {number}: look at what is new in a room, and try what was not tried there before."
    for number in range(20)
)
STEP = "Room {number}. A narrow passage leads north and east. A brass key number {number} lies here. " * 4
TOOLS: list[dict[str, Any]] = [
    {
        "name": name,
        "description": told,
        "input_schema": {
            "type": "object",
            "properties": {argument: {"type": "string", "minLength": 4, "maxLength": 40}},
            "required": [argument],
        },
    }
    for name, told, argument in (
        ("play_action", "Play one action in the game.", "action"),
        ("go_to", "Walk to a room that is known.", "room"),
    )
]
WORDS = 64
"""Tokens of a reply in words."""


async def timed(client: anthropic.AsyncAnthropic, **wish: Any) -> tuple[float, anthropic.types.Message]:
    began = time.perf_counter()
    reply = await client.messages.create(**wish)
    return time.perf_counter() - began, reply


async def measure(model: LocalModel, runs: int) -> dict[str, list[float]]:
    """Every figure's values, one for each run."""
    found: dict[str, list[float]] = {}

    def note(figure: str, value: float) -> None:
        found.setdefault(figure, []).append(value)

    async with anthropic.AsyncAnthropic(base_url=model.base_url, api_key=model.key, max_retries=0) as client:
        for run in range(runs):
            usual = {"model": model.name, "tools": TOOLS, "tool_choice": {"type": "any"}, "max_tokens": 80}
            for number in (2 * run, 2 * run + 1):
                said = [{"role": "user", "content": STEP.format(number=number)}]
                seconds, reply = await timed(client, **usual, system=f"Game {run}. {RULES}", messages=said)
                usage = reply.usage
                assert reply.stop_reason == "tool_use", reply
                kind = "in the cache" if number % 2 else "new"
                note(f"a step, its beginning {kind}, s", seconds)
                note(f"its prompt, beginning {kind}: tokens read", usage.input_tokens)
                note(
                    f"its prompt, beginning {kind}: tokens from the cache", usage.cache_read_input_tokens or 0
                )
                note("its reply, tokens", usage.output_tokens)
            prompt = [{"role": "user", "content": f"Tale {run}. {RULES} {STEP}"}]
            usual = {"model": model.name, "messages": prompt, "extra_body": {"temperature": 0}}
            first, reply = await timed(client, **usual, max_tokens=1)
            note("prompt, tokens/s", reply.usage.input_tokens / first)
            all_of_it, reply = await timed(client, **usual, max_tokens=WORDS)
            note("words, tokens/s", reply.usage.output_tokens / all_of_it)
    return found


async def report(given: Path | None, runs: int) -> None:
    file, began = checked_model(given), time.perf_counter()
    async with local_model(file) as model:
        started = time.perf_counter() - began
        process = psutil.Process(model.pid)
        at_start = process.memory_info().rss
        load = os.getloadavg()[0]
        found = await measure(model, runs)
        memory = process.memory_info().rss
    threads = local_settings().threads
    print(
        f"{file.name}, {threads} thread, context {file.context}: {runs} runs, load {load:.1f} at the start\n"
    )
    print(f"{machine()}\n\n| figure | median | least | greatest |\n| --- | --- | --- | --- |")
    for figure, values in found.items():
        print(f"| {figure} | {statistics.median(values):.1f} | {min(values):.1f} | {max(values):.1f} |")
    print(f"| until it can be asked, s | {started:.1f} | | |")
    print(f"| memory at the start, and at the end, MB | {at_start / 1e6:.0f} | | {memory / 1e6:.0f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--model", type=Path, default=None)
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    asyncio.run(report(given.model, given.runs))


if __name__ == "__main__":
    main()
