"""Lantern's search for valid actions beside Jericho's, on the first states of each story's walkthrough.

Usage: python -m benchmarks.valid_actions [STORY ...] [--steps 50] [--reference DIRECTORY]

Recall is the share of the distinct world effects (by Jericho's own world hash) of Jericho's list that an
action of ours reaches too. Times are processor time of one thread, both in process. Jericho's part takes up
to a minute a state; it is kept in the directory, and a second run goes on from there.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from jericho import FrotzEnv

from benchmarks.jericho_reference import reached
from benchmarks.mesh import machine
from services.game.emulator.interpreter.game import Game
from services.game.emulator.protocol import SearchActions

BUDGET = 0.1
"""Seconds that a step waits for its valid actions."""
UNLIMITED = 1_000_000
SHARE = 0.1
"""Of Jericho's time: the goal."""

HEADER = (
    "| story | states | Jericho's effects | its time, s | ours, ms | ratio | tried | recall, complete "
    "| in a tenth of its time | in 100 ms | walkthrough actions: Jericho, ours, of |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
)


@dataclass(slots=True)
class Counts:
    """Sums over states."""

    states: int = 0
    effects: int = 0
    jericho_seconds: float = 0.0
    seconds: float = 0.0
    tried: int = 0
    reached: int = 0
    reached_in_a_tenth: int = 0
    reached_in_budget: int = 0
    walkthrough: int = 0
    """Walkthrough actions that change the world."""
    walkthrough_jericho: int = 0
    """Of these, those whose effect Jericho's list reaches."""
    walkthrough_ours: int = 0

    def add(self, other: Counts) -> None:
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))

    def row(self, name: str) -> str:
        """A row of the table."""
        states = max(1, self.states)
        shares = (self.reached, self.reached_in_a_tenth, self.reached_in_budget)
        recalls = " | ".join(f"{each / max(1, self.effects):.3f}" for each in shares)
        return (
            f"| {name} | {self.states} | {self.effects} | {self.jericho_seconds / states:.2f} "
            f"| {1000 * self.seconds / states:.0f} | {self.seconds / (self.jericho_seconds or 1):.3f} "
            f"| {self.tried / states:.0f} | {recalls} "
            f"| {self.walkthrough_jericho}, {self.walkthrough_ours}, {self.walkthrough} |"
        )


def measured(story: Path, reference: list[dict[str, Any]]) -> Counts:
    """Our search in the states of a reference. In this process, which can do so once."""
    env = FrotzEnv(str(story))
    env.reset()
    with tempfile.TemporaryDirectory() as directory:
        copy = Path(directory) / story.name
        copy.write_bytes(story.read_bytes())
        game = Game(copy, env.bindings["seed"])
    counts = Counts()
    for state in reference:
        counts.add(compared(env, game, state))
        env.step(state["walkthrough"])
        game.play(state["walkthrough"])
    return counts


def compared(env: FrotzEnv, game: Game, state: dict[str, Any]) -> Counts:
    """One state: all that can be found, and what is found in a tenth of Jericho's time and in the budget."""
    here = env.get_state()

    def effects(seconds: float) -> set[str]:
        found = game.search(SearchActions((), 0, UNLIMITED, seconds))
        return {reached(env, here, action) for action in found.actions}

    began = time.process_time()
    everything = game.search(SearchActions((), 0, UNLIMITED, 3600))
    seconds = time.process_time() - began
    ours = {reached(env, here, action) for action in everything.actions}
    jerichos = set(state["effects"].values()) - {state["world"], ""}
    changes = state["leads_to"] not in (state["world"], "")
    counts = Counts(
        states=1,
        effects=len(jerichos),
        jericho_seconds=state["seconds"],
        seconds=seconds,
        tried=everything.tried,
        reached=len(jerichos & ours),
        reached_in_a_tenth=len(jerichos & effects(SHARE * state["seconds"])),
        reached_in_budget=len(jerichos & effects(BUDGET)),
        walkthrough=int(changes),
        walkthrough_jericho=int(changes and state["leads_to"] in jerichos),
        walkthrough_ours=int(changes and state["leads_to"] in ours),
    )
    env.set_state(here)
    return counts


def in_a_process(module: str, *arguments: str) -> str:
    """What a module of these benchmarks prints, run alone."""
    command = [sys.executable, "-W", "ignore", "-m", f"benchmarks.{module}", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("stories", nargs="*", type=Path)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--reference", type=Path, default=Path(tempfile.gettempdir()) / "lantern-jericho")
    parser.add_argument("--counts", action="store_true", help="Print one story's counts as JSON.")
    given = parser.parse_args()
    beside = sorted((Path(__file__).parents[2] / "shared" / "games").glob("*.z*"))
    given.reference.mkdir(parents=True, exist_ok=True)
    if given.counts:
        [story] = given.stories
        lines = (given.reference / f"{story.stem}.jsonl").read_text().splitlines()
        print(json.dumps(asdict(measured(story, [json.loads(line) for line in lines[: given.steps]]))))
        return
    print(f"first {given.steps} states of each walkthrough; {machine()}\n\n{HEADER}")
    total = Counts()
    for story in given.stories or beside:
        file = given.reference / f"{story.stem}.jsonl"
        in_a_process("jericho_reference", str(story), str(file), "--steps", str(given.steps))
        options = ("--steps", str(given.steps), "--reference", str(given.reference), "--counts")
        counts = Counts(**json.loads(in_a_process("valid_actions", str(story), *options)))
        total.add(counts)
        print(counts.row(story.stem), flush=True)
    print(total.row("all"))


if __name__ == "__main__":
    main()
